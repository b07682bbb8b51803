// SPDX-License-Identifier: Apache-2.0

import { ConfirmDialog, DiffUris } from '@theia/core/lib/browser';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { UNTITLED_SCHEME, UntitledResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { generateUuid } from '@theia/core/lib/common/uuid';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { CompanionBackend, Draft, DraftRef, KeptDraft } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { withTimeLimit } from '../../common/time-limit';
import { visibleText } from '../../common/visible-text';
import { noAnswerText } from '../window/backend-calls';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { countChanges } from './change-count';
import { FileEditors, textOf } from './file-editors';
import { KeptDraftMessages } from './kept-draft-messages';
import { ProposalModel } from './proposal-model';
import { ProposalTexts } from './proposal-texts';
import { NOT_SHOWN, OriginalContents } from './review-resource-resolver';
import { ReviewUris } from './review-uris';

const CALL_LIMIT = 20_000;
/** How long a draft can be brought back after it was discarded, in milliseconds. */
const UNDO_TIME = 15_000;

/**
 * What users typed into proposals that ended without it. It opens as a diff, as a review does: left the file, right the draft. Applying it
 * makes the file's own editor dirty; the user saves it, or Theia's auto-save does. A draft stays until the file has it.
 */
@injectable()
export class KeptDrafts {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(FileEditors)
    protected readonly fileEditors: FileEditors;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(UntitledResourceResolver)
    protected readonly untitled: UntitledResourceResolver;
    @inject(OriginalContents)
    protected readonly originals: OriginalContents;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(KeptDraftMessages)
    protected readonly offers: KeptDraftMessages;

    /** The new files that drafts were opened as, by the drafts' URIs. */
    protected readonly newFiles = new Map<string, URI>();

    get all(): readonly KeptDraft[] {
        return (this.connection.state?.keptDrafts ?? []).filter(draft => !this.texts.isDiscarded(draft));
    }

    /** Opens it beside the file; as a new file if there is no file, or none that can be shown. */
    async show(draft: KeptDraft): Promise<void> {
        try {
            const open = this.showing(draft)[0];
            if (open) {
                await this.editors.open(open.editor.uri, { mode: 'activate' });
                return;
            }
            const text = await this.read(draft);
            if (text === undefined) {
                const path = this.paths.display(draft.path);
                this.messages.info(
                    plainText(nls.localize('theia/cli-companion/edits/gone', 'Your edits to {0} are no longer kept.', path))
                );
            } else if (await this.canBeShown(draft)) {
                const label = nls.localize(
                    'theia/cli-companion/edits/title',
                    '{0} (your edits)',
                    visibleText(new URI(draft.uri).path.base)
                );
                const diff = DiffUris.encode(ReviewUris.besideEdited(draft), ReviewUris.edited(draft), label);
                await this.editors.open(diff, { mode: 'activate', preview: false });
            } else {
                await this.openAsNewFile(draft, text);
            }
        } catch (error) {
            this.fail(error);
        }
    }

    /** Puts the right side into the file's own editor, as one step for undo. Asks first if lines of the file would be lost. */
    async apply(widget: EditorWidget): Promise<void> {
        const model = modelIn(widget);
        if (!model) {
            return;
        }
        try {
            const text = textOf(model);
            if (await this.fileEditors.replace(new URI(model.review.uri), text, file => this.mayReplace(file, text))) {
                widget.close();
            }
        } catch (error) {
            this.fail(error);
        }
    }

    /** Closes what shows the draft, and forgets it. For a while it can be brought back. */
    async discard(shown: DraftRef): Promise<void> {
        try {
            const widgets = this.showing(shown);
            const model = widgets.map(modelIn).find(one => one !== undefined);
            if (model) {
                const { review, text } = model;
                const draft = this.texts.continued(model.draft);
                widgets.forEach(widget => widget.close());
                // What was typed here may never have arrived: then the kept one is not continued.
                [model.draft, draft].forEach(one => this.texts.discard(one));
                void this.offerUndo({ reviewId: review.id, uri: review.uri, cliName: review.cliName }, text);
                return;
            }
            const kept = this.all.find(({ id }) => id === shown.id);
            if (kept && kept.revision !== shown.revision) {
                // Somebody has typed on elsewhere since the message came: the user has to see that first.
                await this.show(kept);
                return;
            }
            const text = kept && (await this.read(kept));
            if (kept && text !== undefined) {
                this.texts.discard({ id: kept.id, revision: kept.revision });
                void this.offerUndo(kept, text);
            }
        } catch (error) {
            this.fail(error);
        }
    }

    /** The draft that a diff shows, as it is kept now. */
    draftIn(widget: EditorWidget): DraftRef | undefined {
        const model = modelIn(widget);
        return model && this.texts.continued(model.draft);
    }

    protected showing({ id, revision }: DraftRef): EditorWidget[] {
        return this.editors.all.filter(widget => {
            const shown = this.draftIn(widget);
            // What is typed there is newer than what the list says.
            return shown?.id === id && (shown.id !== modelIn(widget)?.draft.id || shown.revision === revision);
        });
    }

    protected async offerUndo({ reviewId, uri, cliName }: Pick<KeptDraft, 'reviewId' | 'uri' | 'cliName'>, text: string): Promise<void> {
        const undo = nls.localizeByDefault('Undo');
        const path = this.paths.display(new URI(uri).path.fsPath());
        const discarded = nls.localize('theia/cli-companion/edits/discarded', 'Your edits to {0} were discarded.', path);
        if ((await this.messages.info(plainText(discarded), { timeout: UNDO_TIME }, undo)) !== undo) {
            return;
        }
        const draft: Draft = { id: generateUuid(), revision: 1, text, about: { uri, cliName } };
        this.offers.remember(draft.id);
        this.texts.send({ reviewId, draft });
    }

    protected async read(draft: KeptDraft): Promise<string | undefined> {
        return (await withTimeLimit(this.backend.readDraft(draft.id), CALL_LIMIT, noAnswerText())) ?? undefined;
    }

    protected async canBeShown(draft: KeptDraft): Promise<boolean> {
        if (!(await this.files.exists(new URI(draft.uri)))) {
            return false;
        }
        const { differences } = await this.originals.read(draft);
        return !differences.some(({ kind }) => NOT_SHOWN.includes(kind));
    }

    protected async openAsNewFile(draft: KeptDraft, text: string): Promise<void> {
        const version = ReviewUris.edited(draft).toString();
        let uri = this.newFiles.get(version);
        if (!uri || !this.untitled.has(uri)) {
            const file = new URI(draft.uri);
            const sameName = file.withScheme(UNTITLED_SCHEME);
            uri = this.untitled.has(sameName) ? this.untitled.createUntitledURI(file.path.ext) : sameName;
            this.newFiles.set(version, uri);
            await this.untitled.createUntitledResource(text, undefined, uri);
        }
        await this.editors.open(uri, { mode: 'activate', preview: false });
    }

    /** Asks if lines of the file would be lost: the user may have written them since the proposal. */
    protected async mayReplace(file: MonacoEditorModel, text: string): Promise<boolean> {
        const before = textOf(file);
        const count = countChanges(before, text);
        if (count?.removed === 0) {
            return true;
        }
        const msg =
            count === undefined
                ? nls.localize('theia/cli-companion/edits/takesLines', 'This removes lines from the file as it is now. Undo restores them.')
                : nls.localize(
                      'theia/cli-companion/edits/takesCount',
                      'This removes lines from the file as it is now: {0}. Undo restores them.',
                      count.removed
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

/** The right side of the diff of a kept draft. */
function modelIn({ editor }: EditorWidget): ProposalModel | undefined {
    const model = editor instanceof MonacoDiffEditor ? editor.modifiedModel : undefined;
    return model instanceof ProposalModel && ReviewUris.draftOf(new URI(model.uri)) ? model : undefined;
}
