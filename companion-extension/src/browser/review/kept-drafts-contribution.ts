// SPDX-License-Identifier: Apache-2.0

import { ConfirmDialog, DiffUris, FrontendApplicationContribution, SaveableWidget } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { UNTITLED_SCHEME, UntitledResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { EndOfLinePreference } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { CompanionBackend, DraftRef, KeptDraft } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { visibleText } from '../../common/visible-text';
import { withTimeLimit } from '../../common/time-limit';
import { ClosableMessage, ClosableMessages } from '../window/closable-messages';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { countChanges } from './change-count';
import { DiffOverlay, revertName } from './diff-overlay';
import { ReviewUris } from './review-uris';

const CALL_LIMIT = 20_000;

/**
 * Offers what users typed into proposals that ended without it. It opens that text beside the file, in the user's own editor. Taking the
 * text makes that editor dirty; the user saves it, or Theia's auto-save does.
 */
@injectable()
export class KeptDraftsContribution implements FrontendApplicationContribution {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(UntitledResourceResolver)
    protected readonly untitled: UntitledResourceResolver;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ClosableMessages)
    protected readonly closable: ClosableMessages;

    /** The messages about edits, by the edits' versions. */
    protected readonly told = new Map<string, ClosableMessage>();
    /** The new files that edits were opened as, by the edits' URIs. */
    protected readonly newFiles = new Map<string, URI>();
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => this.tellNew()),
            this.editors.onCreated(widget => this.explain(widget))
        ]);
        this.editors.all.forEach(widget => this.explain(widget));
        this.tellNew();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    get all(): readonly KeptDraft[] {
        return this.connection.state?.keptDrafts ?? [];
    }

    /** Opens the edits beside the file, or as a new file if the file does not exist. */
    async show(edit: KeptDraft): Promise<void> {
        try {
            const text = await withTimeLimit(this.backend.readDraft(edit.id), CALL_LIMIT, 'The backend does not answer.');
            if (typeof text !== 'string') {
                const path = this.paths.display(edit.path);
                this.messages.info(
                    plainText(nls.localize('theia/cli-companion/edits/gone', 'Your edits to {0} are no longer kept.', path))
                );
                return;
            }
            const file = new URI(edit.uri);
            if (await this.files.exists(file)) {
                const label = nls.localize('theia/cli-companion/edits/title', '{0} (your edits)', visibleText(file.path.base));
                await this.editors.open(DiffUris.encode(ReviewUris.edited(edit), file, label), { mode: 'activate', preview: false });
            } else {
                await this.openAsNewFile(edit, text);
            }
        } catch (error) {
            this.fail(error);
        }
    }

    /** Closes what shows the edits beside the file, and forgets them. The user may cancel where the file has changes that are not saved. */
    async discard({ id, revision }: DraftRef): Promise<void> {
        try {
            for (const widget of this.showing(id)) {
                // Not without saving: that would take the file's changes back (1.74).
                await (SaveableWidget.is(widget) ? widget.closeWithSaving() : widget.close());
            }
            if (this.showing(id).length === 0) {
                await withTimeLimit(this.backend.discardDraft({ id, revision }), CALL_LIMIT, 'The backend does not answer.');
            }
        } catch (error) {
            this.fail(error);
        }
    }

    protected tellNew(): void {
        const edits = new Map(this.all.map(edit => [ReviewUris.edited(edit).toString(), edit]));
        for (const [version, message] of [...this.told].filter(([told]) => !edits.has(told))) {
            message.dispose();
            this.told.delete(version);
        }
        for (const [version, edit] of edits) {
            if (!this.told.has(version) && !edit.quiet) {
                this.told.set(version, this.tell(edit));
            }
        }
    }

    /** Closing the message decides nothing: the list of the status bar still has the edits. It goes with them. */
    protected tell(edit: KeptDraft): ClosableMessage {
        const show = nls.localize('theia/cli-companion/edits/show', 'Show My Edits');
        const discard = nls.localize('theia/cli-companion/edits/discard', 'Discard');
        const message = this.closable.show('warn', this.describe(edit), show, discard);
        void message.answer.then(answer => {
            if (answer === show) {
                void this.show(edit);
            } else if (answer === discard) {
                void this.discard(edit);
            }
        });
        return message;
    }

    protected describe(edit: KeptDraft): string {
        const { cliName, reason } = edit;
        const path = this.paths.display(edit.path);
        switch (reason) {
            case 'rejected':
                return nls.localize(
                    'theia/cli-companion/edits/rejected',
                    'The proposal for {0} was rejected. Your edits to it are kept.',
                    path
                );
            case 'terminal':
                return nls.localize(
                    'theia/cli-companion/edits/terminal',
                    '{0} was answered in its terminal and has not written your edits to {1}. They are kept here.',
                    cliName,
                    path
                );
            case 'ended':
                return nls.localize(
                    'theia/cli-companion/edits/ended',
                    '{0} ended before it took your edits to {1}. They are kept here.',
                    cliName,
                    path
                );
            case 'replaced':
                return nls.localize(
                    'theia/cli-companion/edits/replaced',
                    '{0} made a new proposal for {1}. Your edits to the previous one are kept here.',
                    cliName,
                    path
                );
            case 'notWritten':
                return nls.localize(
                    'theia/cli-companion/edits/notWritten',
                    '{0} has not written your edits to {1}. They are kept here.',
                    cliName,
                    path
                );
            case 'elsewhere':
                return nls.localize(
                    'theia/cli-companion/edits/elsewhere',
                    'What you typed into the proposal for {0} on another page was not accepted. It is kept here.',
                    path
                );
            case 'late':
                return nls.localize(
                    'theia/cli-companion/edits/late',
                    'Your last edits to {0} came after the proposal had ended. They are kept here.',
                    path
                );
        }
    }

    protected fail(error: unknown): void {
        this.messages.error(plainText(error instanceof Error ? error.message : String(error)));
    }

    protected async openAsNewFile(edit: KeptDraft, text: string): Promise<void> {
        const version = ReviewUris.edited(edit).toString();
        let uri = this.newFiles.get(version);
        if (!uri || !this.untitled.has(uri)) {
            const file = new URI(edit.uri);
            const sameName = file.withScheme(UNTITLED_SCHEME);
            uri = this.untitled.has(sameName) ? this.untitled.createUntitledURI(file.path.ext) : sameName;
            this.newFiles.set(version, uri);
            await this.untitled.createUntitledResource(text, undefined, uri);
        }
        await this.editors.open(uri, { mode: 'activate', preview: false });
    }

    /** Says over the diff what stands on which side, and offers the two ways out. */
    protected explain(widget: EditorWidget): void {
        const draft = this.draftIn(widget);
        const { editor } = widget;
        if (!draft || !(editor instanceof MonacoDiffEditor)) {
            return;
        }
        const overlay = new DiffOverlay(widget);
        widget.disposed.connect(() => overlay.dispose());
        overlay.set([
            {
                text: nls.localize(
                    'theia/cli-companion/edits/sides',
                    'Left: what you typed. Right: the file. An arrow ({0}) applies a single change.',
                    revertName()
                ),
                actions: [
                    { label: nls.localize('theia/cli-companion/edits/takeAll', 'Apply All'), run: () => void this.takeAll(editor) },
                    { label: nls.localize('theia/cli-companion/edits/discard', 'Discard'), run: () => void this.discard(draft) }
                ]
            }
        ]);
    }

    /** One step for undo. The edits are kept until the file has them: its editor may be closed without saving. */
    protected async takeAll({ originalModel, modifiedModel }: MonacoDiffEditor): Promise<void> {
        const text = textOf(originalModel);
        if (!(await this.mayReplace(modifiedModel, text))) {
            return;
        }
        const model = modifiedModel.textEditorModel;
        model.pushStackElement();
        model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null);
        model.pushStackElement();
        await this.editors.open(new URI(modifiedModel.uri), { mode: 'activate' });
    }

    /** Asks if lines of the file would go: the user may have written them since the proposal. */
    protected async mayReplace(modified: MonacoEditorModel, text: string): Promise<boolean> {
        const before = textOf(modified);
        const count = countChanges(before, text);
        if (count?.removed === 0) {
            return true;
        }
        const msg =
            count === undefined
                ? nls.localize('theia/cli-companion/edits/takesLines', 'Lines of the file as it is now would go. Undo brings them back.')
                : nls.localize(
                      'theia/cli-companion/edits/takesCount',
                      'Lines of the file as it is now that would go: {0}. Undo brings them back.',
                      count.removed
                  );
        const file = visibleText(new URI(modified.uri).path.base);
        const dialog = new ConfirmDialog({
            title: nls.localize('theia/cli-companion/edits/takesTitle', 'Apply all your edits to {0}?', file),
            msg,
            ok: nls.localize('theia/cli-companion/edits/takeAll', 'Apply All')
        });
        // What was typed while the dialog stood there was not counted.
        return (await dialog.open()) === true && (textOf(modified) === before || this.mayReplace(modified, text));
    }

    protected showing(id: string): EditorWidget[] {
        return this.editors.all.filter(widget => this.draftIn(widget)?.id === id);
    }

    protected draftIn({ editor }: EditorWidget): DraftRef | undefined {
        return editor instanceof MonacoDiffEditor ? ReviewUris.draftOf(new URI(editor.originalModel.uri)) : undefined;
    }
}

/** Text that comes into a model gets the line ends of the model, and loses a byte order mark. */
function textOf({ textEditorModel }: MonacoEditorModel): string {
    return textEditorModel.getValue(EndOfLinePreference.LF);
}
