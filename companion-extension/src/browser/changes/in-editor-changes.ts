// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, KeybindingContribution, KeybindingRegistry } from '@theia/core/lib/browser';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EDITOR_CONTEXT_MENU } from '@theia/editor/lib/browser/editor-menu';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoTextModelService } from '@theia/monaco/lib/browser/monaco-text-model-service';
import { IEditorWorkerService } from '@theia/monaco-editor-core/esm/vs/editor/common/services/editorWorker';
import { StandaloneServices } from '@theia/monaco-editor-core/esm/vs/editor/standalone/browser/standaloneServices';
import { FileChange } from '../../common/changes/changes-protocol';
import { CompanionPreferences } from '../../common/companion-preferences';
import { DiffEditors } from '../diff/diff-editors';
import { ChangeDiffs } from './change-diff';
import { CHANGE_COMMANDS } from './changes-command-ids';
import { CHANGES_LISTED_KEY } from './changes-contribution';
import { BASELINE_SCHEME } from './change-uris';
import { EditorChanges, EditorChangesHost } from './editor-changes';
import { PageChanges } from './page-changes';

const PREFERENCE = 'companion.changes.inEditor';

/** Shows in the files' own editors what agents changed. Its base is the left side of the diff. */
@injectable()
export class InEditorChanges implements FrontendApplicationContribution, CommandContribution, KeybindingContribution, MenuContribution {
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(MonacoTextModelService)
    protected readonly models: MonacoTextModelService;
    @inject(PageChanges)
    protected readonly changes: PageChanges;
    @inject(ChangeDiffs)
    protected readonly diffs: ChangeDiffs;
    @inject(DiffEditors)
    protected readonly keys: Pick<DiffEditors, 'keysOf' | 'run'>;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;

    protected readonly shown = new Map<EditorWidget, { changes: EditorChanges; toDispose: DisposableCollection }>();
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.editors.onCreated(widget => this.track(widget)),
            this.changes.onDidChange(() => this.editors.all.forEach(widget => this.update(widget))),
            this.preferences.onPreferenceChanged(({ preferenceName }) => {
                if (preferenceName === PREFERENCE) {
                    this.editors.all.forEach(widget => this.update(widget));
                }
            })
        ]);
        this.editors.all.forEach(widget => this.track(widget));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CHANGE_COMMANDS.SHOW_REMOVED, {
            isEnabled: () => this.inFront !== undefined,
            isVisible: () => this.inFront !== undefined,
            execute: () => this.inFront?.toggleRemoved()
        });
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        keybindings.registerKeybindings({
            command: CHANGE_COMMANDS.SHOW_REMOVED.id,
            keybinding: 'ctrl+shift+f11',
            when: CHANGES_LISTED_KEY
        });
    }

    registerMenus(menus: MenuModelRegistry): void {
        menus.registerMenuAction([...EDITOR_CONTEXT_MENU, '0_companion'], { commandId: CHANGE_COMMANDS.SHOW_REMOVED.id, order: '4' });
    }

    /** That of the editor with the keyboard, or that had it last. */
    protected get inFront(): EditorChanges | undefined {
        const editor = this.diffs.find()?.editor;
        return editor instanceof EditorChanges ? editor : undefined;
    }

    protected track(widget: EditorWidget): void {
        if (widget.editor.uri.scheme === 'file' && MonacoEditor.get(widget)) {
            const listening = widget.onDidChangeVisibility(() => this.update(widget));
            widget.disposed.connect(() => {
                listening.dispose();
                this.remove(widget);
            });
            this.update(widget);
        }
    }

    protected update(widget: EditorWidget): void {
        const { uri } = widget.editor;
        const editor = uri.scheme === 'file' ? MonacoEditor.get(widget) : undefined;
        const shown = this.shown.get(widget);
        if (!editor || !this.preferences[PREFERENCE] || !this.find(uri)) {
            this.remove(widget);
        } else if (shown) {
            shown.changes.update();
        } else if (widget.isVisible) {
            const changes = this.make(widget, editor);
            const attached = this.diffs.attach(widget, () =>
                changes.hasChanges ? { widget, editor: changes, change: this.find(uri) } : undefined
            );
            this.shown.set(widget, { changes, toDispose: new DisposableCollection(changes, attached) });
        }
    }

    protected make(widget: EditorWidget, editor: MonacoEditor): EditorChanges {
        return new EditorChanges(widget, editor, this.hostOf(editor.uri));
    }

    protected remove(widget: EditorWidget): void {
        this.shown.get(widget)?.toDispose.dispose();
        this.shown.delete(widget);
    }

    protected find(uri: URI): FileChange | undefined {
        const change = this.changes.find(uri.toString());
        return change?.kind === 'modified' || change?.kind === 'added' ? change : undefined;
    }

    protected hostOf(uri: URI): EditorChangesHost {
        // It is disposed without a row.
        const change = (): FileChange => this.find(uri) as FileChange;
        const worker = StandaloneServices.get(IEditorWorkerService);
        const { keys, models } = this;
        const bar = (): EditorChangesHost['bar'] => this.diffs.barOf(change());
        return {
            get bar() {
                return bar();
            },
            get isWhole() {
                return change().isWhole === true;
            },
            keysOf: id => keys.keysOf(id),
            run: (id, widget) => keys.run(id, widget),
            openDiff: () => void this.diffs.show(change()),
            openBase: () => models.createModelReference(uri.withScheme(BASELINE_SCHEME)),
            compare: async (original, modified, maxComputationTimeMs) => {
                const options = { ignoreTrimWhitespace: false, computeMoves: false, maxComputationTimeMs };
                return (await worker.computeDiff(original.uri, modified.uri, options, 'advanced'))?.changes ?? [];
            }
        };
    }
}
