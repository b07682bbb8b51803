// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, FrontendApplicationContribution, open, OpenerService } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import { LineRangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';
import { FileChange } from '../../common/changes/changes-protocol';
import { visibleText } from '../../common/visible-text';
import { textOf } from '../diff/file-editors';
import { OriginalContents } from '../diff/original-contents';
import { DiffEditor } from '../diff/diff-editor';
import { ReadOnlyResource } from '../window/read-only-resource';
import { ShownChange } from './change-undo';
import { BASELINE_SCHEME, ChangeUris } from './change-uris';
import { titleOf, wholeText } from './change-words';
import { PageChanges } from './page-changes';

/** A diff that shows a change, with what the user sees in it. */
export interface ChangeDiff {
    readonly widget: EditorWidget;
    readonly editor: DiffEditor;
    readonly change: FileChange;
}

/** The diffs of changes: left the text that the user last knew, right the file itself, in Theia's own editor. */
@injectable()
export class ChangeDiffs implements FrontendApplicationContribution, ResourceResolver {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(OpenerService)
    protected readonly opener: OpenerService;
    @inject(OriginalContents)
    protected readonly contents: OriginalContents;
    @inject(PageChanges)
    protected readonly changes: PageChanges;

    protected readonly shown = new Map<EditorWidget, DiffEditor>();
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.editors.onCreated(widget => this.track(widget)),
            this.changes.onDidChange(() => {
                this.closeOutdated();
                this.shown.forEach(editor => this.describe(editor));
            })
        ]);
        this.editors.all.forEach(widget => this.track(widget));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** The left side: the text that the user last knew. Without a row it is the file, so that nothing differs. */
    resolve(uri: URI): Resource {
        if (uri.scheme !== BASELINE_SCHEME) {
            throw new Error(`Not a baseline: '${uri.toString()}'`);
        }
        const file = ChangeUris.fileOf(uri);
        const versionNow = (): number | undefined => this.changes.find(file.toString())?.version;
        /** Of the row whose text was read. */
        let version: number | undefined;
        const read = async (): Promise<string> => {
            if (ChangeUris.isNoFile(uri)) {
                return '';
            }
            version = versionNow();
            const baseline = await this.changes.readBaseline(file.toString());
            return baseline?.shown ?? (await this.contents.read(file)).text;
        };
        return new ReadOnlyResource(
            uri,
            read,
            Event.filter(this.changes.onDidChange, () => versionNow() !== version)
        );
    }

    /** Opens the diff, or the file itself if there is nothing to compare it with. */
    async show(change: FileChange): Promise<void> {
        const file = new URI(change.uri);
        if (!isCompared(change)) {
            await this.showFile(change);
        } else {
            const title = titleOf(change, visibleText(file.path.base));
            // One tab for a file, whatever its title says by now.
            const uri = this.widgetOf(file)?.editor.uri ?? ChangeUris.diff(file, title, change.kind === 'deleted');
            await this.editors.open(uri, { mode: 'activate' });
        }
    }

    async showFile({ uri }: Pick<FileChange, 'uri'>): Promise<void> {
        await open(this.opener, new URI(uri));
    }

    /** Nothing is left to see. */
    close({ uri }: FileChange): void {
        this.widgetOf(new URI(uri))?.close();
    }

    isShown(widget: unknown): widget is EditorWidget {
        return widget instanceof EditorWidget && this.shown.has(widget);
    }

    /** The diff that a toolbar names; else the one with the keyboard, or one that is visible. Without a row it has nothing to decide. */
    find(widget?: unknown): ChangeDiff | undefined {
        const all = [widget, this.shell.activeWidget, ...[...this.shown.keys()].filter(({ isVisible }) => isVisible)];
        const found = all.find(one => this.isShown(one)) as EditorWidget | undefined;
        const change = found && this.changeIn(found);
        const editor = found && this.shown.get(found);
        return found && editor && change && { widget: found, editor, change };
    }

    /** The diff whose left side that is. */
    findBy(originalUri: unknown): ChangeDiff | undefined {
        const widget = this.widgetOf(ChangeUris.fileOf(new URI(String(originalUri))));
        return widget && this.find(widget);
    }

    /** @param mapping the lines of one change */
    shownIn({ widget }: ChangeDiff, mapping?: Pick<LineRangeMapping, 'original' | 'modified'>): ShownChange | undefined {
        if (!(widget.editor instanceof MonacoDiffEditor)) {
            return undefined;
        }
        const { originalModel, modifiedModel } = widget.editor;
        const texts = { base: textOf(originalModel), text: textOf(modifiedModel) };
        return mapping ? { ...texts, lines: linesOf(mapping) } : texts;
    }

    protected widgetOf(file: URI): EditorWidget | undefined {
        return [...this.shown.keys()].find(({ editor }) => ChangeUris.changedFile(editor.uri)?.isEqual(file));
    }

    /** A diff without a file on the right is of a deleted file, and no other is. */
    protected closeOutdated(): void {
        for (const { editor } of [...this.shown.keys()]) {
            const file = ChangeUris.changedFile(editor.uri);
            const change = file && this.changes.find(file.toString());
            if (file && (change?.kind === 'deleted') !== ChangeUris.hasNoFile(editor.uri)) {
                this.widgetOf(file)?.close();
            }
        }
    }

    /** Single changes are offered where there are any. */
    protected describe(editor: DiffEditor): void {
        const { isWhole = false } = this.changeIn(editor.widget) ?? {};
        editor.setRevertible(!isWhole);
        editor.setNotices(isWhole ? [{ text: wholeText() }] : []);
    }

    protected changeIn({ editor }: EditorWidget): FileChange | undefined {
        return this.changes.find(ChangeUris.changedFile(editor.uri)?.toString() ?? '');
    }

    protected track(widget: EditorWidget): void {
        if (ChangeUris.changedFile(widget.editor.uri)) {
            const editor = new DiffEditor(widget);
            this.describe(editor);
            this.shown.set(widget, editor);
            widget.disposed.connect(() => {
                editor.dispose();
                this.shown.delete(widget);
            });
        }
    }
}

/** Both sides are texts. */
function isCompared({ kind }: FileChange): boolean {
    return kind === 'modified' || kind === 'added' || kind === 'deleted';
}

function linesOf({ original, modified }: Pick<LineRangeMapping, 'original' | 'modified'>): ShownChange['lines'] {
    return {
        baseStart: original.startLineNumber - 1,
        baseEnd: original.endLineNumberExclusive - 1,
        diskStart: modified.startLineNumber - 1,
        diskEnd: modified.endLineNumberExclusive - 1
    };
}
