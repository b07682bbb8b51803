// SPDX-License-Identifier: Apache-2.0

import {
    ApplicationShell,
    ConfirmDialog,
    DiffUris,
    FrontendApplicationContribution,
    KeybindingContribution,
    KeybindingRegistry
} from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { CommandContribution, CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { UNTITLED_SCHEME, UntitledResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { generateUuid } from '@theia/core/lib/common/uuid';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { hunksOf } from '../../common/diff/line-hunks';
import { KeptEdit, ReviewSave } from '../../common/companion-protocol';
import { ReviewBackend } from '../../common/review-protocol';
import { plainText } from '../../common/plain-text';
import { plain } from '../../common/same-text';
import { noAnswerText } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { REVIEW_COMMANDS } from './review-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { FileEditors, textOf } from '../diff/file-editors';
import { KeptEditMessages } from './kept-edit-messages';
import { OriginalContents } from '../diff/original-contents';
import { DiffEditors } from '../diff/diff-editors';
import { ALT_GRAPH_KEY } from '../window/held-keys';
import { ReviewUris } from './review-uris';

const CALL_LIMIT_MS = 20_000;
/** How long an edit can be brought back after it was discarded, in milliseconds. */
const UNDO_TIME_MS = 15_000;

/** True while the diff of a kept edit has the keyboard. */
const KEPT_EDIT_ACTIVE_KEY = 'companionKeptEditActive';

/**
 * What users typed into proposals that ended without it. It is offered, and opens as a diff: left the file, right the edit, both read-only.
 * Applying it makes the file's own editor dirty; the user saves it, or Theia's auto-save does. An edit stays until the file has it.
 */
@injectable()
export class KeptEdits implements FrontendApplicationContribution, CommandContribution, KeybindingContribution {
    @inject(ReviewBackend)
    protected readonly backend: ReviewBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(DiffEditors)
    protected readonly diffs: DiffEditors;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(FileEditors)
    protected readonly fileEditors: FileEditors;
    @inject(UntitledResourceResolver)
    protected readonly untitled: UntitledResourceResolver;
    @inject(OriginalContents)
    protected readonly originals: OriginalContents;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(KeptEditMessages)
    protected readonly offers: KeptEditMessages;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    /** The new files that edits were opened as, by the edits' ids. */
    protected readonly newFiles = new Map<string, URI>();
    /** Ids of those that the user has discarded: the backend may not know it yet. */
    protected readonly discarded = new Set<string>();
    protected active: ContextKey<boolean>;
    protected readonly toDispose = new DisposableCollection();

    @postConstruct()
    protected init(): void {
        this.active = this.contextKeys.createKey(KEPT_EDIT_ACTIVE_KEY, false);
    }

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => this.offer()),
            this.editors.onCreated(widget => this.track(widget)),
            this.shell.onDidChangeActiveWidget(() => this.active.set(this.current !== undefined))
        ]);
        this.editors.all.forEach(widget => this.track(widget));
        this.offer();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        const inEdit = (act: (widget: EditorWidget) => unknown): CommandHandler => ({
            isEnabled: () => this.current !== undefined,
            isVisible: () => this.current !== undefined,
            execute: () => this.current && act(this.current)
        });
        commands.registerCommand(
            REVIEW_COMMANDS.APPLY_EDITS,
            inEdit(widget => this.apply(widget))
        );
        commands.registerCommand(
            REVIEW_COMMANDS.DISCARD_EDITS,
            inEdit(widget => this.discardIn(widget))
        );
        commands.registerCommand(REVIEW_COMMANDS.SHOW_EDIT, { execute: (edit: KeptEdit) => this.show(edit) });
        commands.registerCommand(REVIEW_COMMANDS.DISCARD_EDIT, { execute: (edit: KeptEdit) => this.discard(edit) });
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        // The same keys as for a review.
        const focused = `editorTextFocus && ${KEPT_EDIT_ACTIVE_KEY}`;
        keybindings.registerKeybindings(
            { command: REVIEW_COMMANDS.APPLY_EDITS.id, keybinding: 'ctrlcmd+enter', when: focused },
            { command: REVIEW_COMMANDS.DISCARD_EDITS.id, keybinding: 'ctrlcmd+alt+backspace', when: `${focused} && !${ALT_GRAPH_KEY}` }
        );
    }

    get all(): readonly KeptEdit[] {
        return (this.connection.state?.keptEdits ?? []).filter(({ id }) => !this.discarded.has(id));
    }

    /** Opens it beside the file; as a new file if there is no file, or none that can be shown. */
    async show(edit: KeptEdit): Promise<void> {
        try {
            const open = this.showing(edit.id)[0];
            if (open) {
                await this.editors.open(open.editor.uri, { mode: 'activate' });
                return;
            }
            const text = await this.read(edit.id);
            if (text === undefined) {
                const path = this.paths.display(edit.path);
                this.messages.info(
                    plainText(nls.localize('theia/cli-companion/edits/gone', 'Your edits to {0} are no longer kept.', path))
                );
            } else if (await this.canBeShown(edit)) {
                const label = nls.localize('theia/cli-companion/edits/title', '{0} (your edits)', visibleText(new URI(edit.uri).path.base));
                const diff = DiffUris.encode(ReviewUris.original(edit), ReviewUris.uriOfEdit(edit), label);
                await this.editors.open(diff, { mode: 'activate', preview: false });
            } else {
                await this.openAsNewFile(edit, text);
            }
        } catch (error) {
            this.fail(error);
        }
    }

    /**
     * Puts the edit into the file's own editor, as one step for undo. Asks first if lines of the file would be changed or lost. The edit stays
     * until the backend sees that the file has it.
     */
    async apply(widget: EditorWidget): Promise<void> {
        try {
            const id = editIdIn(widget) ?? '';
            const file = new URI(this.all.find(edit => edit.id === id)?.uri ?? ReviewUris.fileOf(widget.editor.uri).toString());
            const text = await this.read(id);
            const mayReplace = (model: MonacoEditorModel): Promise<boolean> => this.mayReplace(model, text ?? '');
            if (text !== undefined && (await this.fileEditors.replace(file, text, mayReplace))) {
                widget.close();
            }
        } catch (error) {
            this.fail(error);
        }
    }

    /** Closes what shows the edit, and forgets it. For a while it can be brought back. */
    async discard(edit: Pick<KeptEdit, 'id' | 'reviewId' | 'uri' | 'cliName'>): Promise<void> {
        try {
            const text = await this.read(edit.id);
            this.showing(edit.id).forEach(widget => widget.close());
            this.discarded.add(edit.id);
            this.connection.calls.call(`discard ${edit.id}`, { make: () => this.backend.discardEdit(edit.id), reply: () => undefined });
            if (text !== undefined) {
                void this.offerUndo(edit, text);
            }
        } catch (error) {
            this.fail(error);
        }
    }

    protected offer(): void {
        const listed = new Set(this.connection.state?.keptEdits.map(({ id }) => id));
        [...this.discarded].filter(id => !listed.has(id)).forEach(id => this.discarded.delete(id));
        this.offers.update(this.all, (edit, answer) => void this[answer](edit));
    }

    /** The diff of a kept edit that has the keyboard. */
    protected get current(): EditorWidget | undefined {
        const { activeWidget } = this.shell;
        return activeWidget instanceof EditorWidget && editIdIn(activeWidget) !== undefined ? activeWidget : undefined;
    }

    protected async discardIn(widget: EditorWidget): Promise<void> {
        const edit = this.all.find(({ id }) => id === editIdIn(widget));
        if (edit) {
            await this.discard(edit);
        }
    }

    /** Says over the diff what is on which side, and offers the two ways out. */
    protected track(widget: EditorWidget): void {
        const id = editIdIn(widget);
        if (id === undefined) {
            return;
        }
        const editor = this.diffs.create(widget);
        const path = this.paths.display(ReviewUris.fileOf(widget.getResourceUri() ?? widget.editor.uri).path.fsPath());
        const left = nls.localize('theia/cli-companion/review/originalLabel', 'File on disk: {0}', path);
        editor.describe(left, nls.localize('theia/cli-companion/edits/rightLabel', 'Your edits: {0}', path), [
            {
                text: nls.localize('theia/cli-companion/edits/bothSides', 'Left: the file. Right: your edits.'),
                actions: [
                    {
                        label: nls.localize('theia/cli-companion/edits/apply', 'Apply'),
                        isMain: true,
                        run: () => void this.apply(widget)
                    },
                    {
                        label: nls.localize('theia/cli-companion/edits/discard', 'Discard'),
                        run: () => void this.discardIn(widget)
                    }
                ]
            }
        ]);
        widget.disposed.connect(() => editor.dispose());
    }

    protected showing(id: string): EditorWidget[] {
        return this.editors.all.filter(widget => editIdIn(widget) === id);
    }

    protected async offerUndo(
        { id, reviewId, uri, cliName }: Pick<KeptEdit, 'id' | 'reviewId' | 'uri' | 'cliName'>,
        text: string
    ): Promise<void> {
        const undo = nls.localize('theia/cli-companion/changes/undo', 'Undo');
        const path = this.paths.display(new URI(uri).path.fsPath());
        const discarded = nls.localize('theia/cli-companion/edits/discarded', 'Your edits to {0} were discarded.', path);
        if ((await this.messages.info(plainText(discarded), { timeout: UNDO_TIME_MS }, undo)) !== undo) {
            return;
        }
        // Not a revision of this page: the text is not what is typed here, and nothing that is typed here continues it.
        const revision = { page: generateUuid(), n: 1 };
        const save: ReviewSave = { about: { reviewId, uri, cliName }, revision, text, base: [], apart: true };
        this.offers.rememberText(save);
        // Made again later, it would take away what is undone here.
        this.connection.calls.drop(`discard ${id}`);
        const make = (): Promise<void> => this.backend.saveReview(save);
        this.connection.calls.call(`keep ${revision.page}`, { make, reply: () => undefined, length: text.length });
    }

    protected async read(id: string): Promise<string | undefined> {
        return (await this.connection.ask(() => this.backend.readEdit(id), CALL_LIMIT_MS, noAnswerText())) ?? undefined;
    }

    protected async canBeShown(edit: KeptEdit): Promise<boolean> {
        const { exists, fault } = await this.originals.read(new URI(edit.uri));
        return exists && !fault;
    }

    protected async openAsNewFile(edit: KeptEdit, text: string): Promise<void> {
        let uri = this.newFiles.get(edit.id);
        if (!uri || !this.untitled.has(uri)) {
            const file = new URI(edit.uri);
            const sameName = file.withScheme(UNTITLED_SCHEME);
            uri = this.untitled.has(sameName) ? this.untitled.createUntitledURI(file.path.ext) : sameName;
            this.newFiles.set(edit.id, uri);
            await this.untitled.createUntitledResource(text, undefined, uri);
        }
        await this.editors.open(uri, { mode: 'activate', preview: false });
    }

    /** Asks if lines of the file would be changed or lost: the user may have written them since the proposal. */
    protected async mayReplace(file: MonacoEditorModel, text: string): Promise<boolean> {
        const before = textOf(file);
        const hunks = hunksOf(before, plain(text));
        const sum = (count: (before: number, after: number) => number): number =>
            hunks.reduce((total, hunk) => total + count(hunk.baseEnd - hunk.baseStart, hunk.diskEnd - hunk.diskStart), 0);
        const [changed, lost] = [sum(Math.min), sum((old, now) => Math.max(old - now, 0))];
        if (changed === 0 && lost === 0) {
            return true;
        }
        const msg = nls.localize(
            'theia/cli-companion/edits/takesCount',
            'This changes {0} and removes {1} lines of the file as it is now. Undo restores them.',
            changed,
            lost
        );
        const dialog = new ConfirmDialog({
            title: nls.localize(
                'theia/cli-companion/edits/takesTitle',
                'Apply your edits to {0}?',
                visibleText(new URI(file.uri).path.base)
            ),
            msg,
            ok: nls.localize('theia/cli-companion/edits/apply', 'Apply')
        });
        // What was typed while the dialog was open was not counted.
        return (await dialog.open()) === true && (textOf(file) === before || this.mayReplace(file, text));
    }

    protected fail(error: unknown): void {
        this.messages.error(plainText(error instanceof Error ? error.message : String(error)));
    }
}

/** The id of the edit that the widget shows; `undefined` for every other widget. */
function editIdIn(widget: EditorWidget): string | undefined {
    return ReviewUris.editIdOf(widget.getResourceUri());
}
