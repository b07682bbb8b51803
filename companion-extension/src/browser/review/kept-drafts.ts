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
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { UNTITLED_SCHEME, UntitledResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { generateUuid } from '@theia/core/lib/common/uuid';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import { CompanionBackend, Draft, DraftRef, KeptDraft } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { noAnswerText } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { visibleText } from '../../common/visible-text';
import { CompanionCommands } from '../companion-commands';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { countRemoved } from './change-count';
import { revertName } from './diff-overlay';
import { FileEditors, textOf } from './file-editors';
import { KeptDraftMessages } from './kept-draft-messages';
import { ReviewUris } from './page-reviews';
import { keptKey, ProposalTexts } from './proposal-texts';
import { ReviewEditor } from './review-editors';
import { ALT_GRAPH_KEY } from './review-focus';
import { OriginalContents, ProposalModel } from './review-resource-resolver';

const CALL_LIMIT = 20_000;
/** How long a draft can be brought back after it was discarded, in milliseconds. */
const UNDO_TIME = 15_000;

/** True while the diff of a kept draft has the keyboard. */
const KEPT_DRAFT_ACTIVE_KEY = 'companionKeptDraftActive';

/**
 * What users typed into proposals that ended without it. It is offered, and opens as a diff, as a review does: left the file, right the draft.
 * Applying it makes the file's own editor dirty; the user saves it, or Theia's auto-save does. A draft stays until the file has it.
 */
@injectable()
export class KeptDrafts implements FrontendApplicationContribution, CommandContribution, KeybindingContribution {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(FileEditors)
    protected readonly fileEditors: FileEditors;
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
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    /** The new files that drafts were opened as, by the drafts' URIs. */
    protected readonly newFiles = new Map<string, URI>();

    protected active: ContextKey<boolean>;
    /** Texts that follow what is typed, by their keys. */
    protected readonly followed = new Map<string, { draft: DraftRef; widgets: Set<EditorWidget>; text: Disposable }>();
    protected readonly toDispose = new DisposableCollection();

    @postConstruct()
    protected init(): void {
        this.active = this.contextKeys.createKey(KEPT_DRAFT_ACTIVE_KEY, false);
    }

    onStart(): void {
        this.toDispose.pushAll([
            this.connection.onDidChangeState(() => this.offer()),
            this.editors.onCreated(widget => this.track(widget)),
            // The user typed into it, so needs no message.
            this.texts.onDidChangeText(key => {
                const draft = this.followed.get(key)?.draft;
                if (draft) {
                    this.offers.remember(this.texts.continued(draft).id);
                }
            }),
            this.shell.onDidChangeActiveWidget(() => this.active.set(this.current !== undefined))
        ]);
        this.editors.all.forEach(widget => this.track(widget));
        this.offer();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    registerCommands(commands: CommandRegistry): void {
        const inDraft = (act: (widget: EditorWidget) => unknown): CommandHandler => ({
            isEnabled: () => this.current !== undefined,
            isVisible: () => this.current !== undefined,
            execute: () => this.current && act(this.current)
        });
        commands.registerCommand(
            CompanionCommands.APPLY_DRAFT,
            inDraft(widget => this.apply(widget))
        );
        commands.registerCommand(
            CompanionCommands.DISCARD_DRAFT,
            inDraft(widget => this.discardIn(widget))
        );
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        // The same keys as for a review.
        const draftFocused = `editorTextFocus && ${KEPT_DRAFT_ACTIVE_KEY} && !${ALT_GRAPH_KEY}`;
        keybindings.registerKeybindings(
            { command: CompanionCommands.APPLY_DRAFT.id, keybinding: 'ctrlcmd+enter', when: draftFocused },
            { command: CompanionCommands.DISCARD_DRAFT.id, keybinding: 'ctrlcmd+alt+backspace', when: draftFocused }
        );
    }

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
                const diff = DiffUris.encode(ReviewUris.original(draft), ReviewUris.edited(draft), label);
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

    protected offer(): void {
        this.offers.update(this.all, (draft, answer) => void this[answer](draft));
    }

    /** The diff of a kept draft that has the keyboard. */
    protected get current(): EditorWidget | undefined {
        const { activeWidget } = this.shell;
        return activeWidget instanceof EditorWidget && this.draftIn(activeWidget) ? activeWidget : undefined;
    }

    protected async discardIn(widget: EditorWidget): Promise<void> {
        const draft = this.draftIn(widget);
        if (draft) {
            await this.discard(draft);
        }
    }

    protected track(widget: EditorWidget): void {
        const uri = widget.getResourceUri();
        const named = uri && ReviewUris.draftOf(uri);
        if (!named) {
            return;
        }
        const editor = new ReviewEditor(widget);
        const setRevertible = (): void => editor.setRevertible(this.originals.isExact(named.id));
        const following = this.originals.onDidChangeShown(setRevertible);
        setRevertible();
        this.describe(editor, uri);
        const { model } = editor;
        const draft = model?.draft ?? named;
        const key = keptKey(draft);
        const followed = this.followed.get(key) ?? {
            draft,
            widgets: new Set(),
            text: model ? this.texts.follow(key, model) : Disposable.NULL
        };
        followed.widgets.add(widget);
        this.followed.set(key, followed);
        widget.disposed.connect(() => {
            editor.dispose();
            following.dispose();
            followed.widgets.delete(widget);
            if (followed.widgets.size === 0) {
                followed.text.dispose();
                this.followed.delete(key);
            }
        });
    }

    /** Says over the diff what is on which side, and offers the two ways out. */
    protected describe(editor: ReviewEditor, uri: URI): void {
        const path = this.paths.display(uri.path.fsPath());
        editor.describe(path, nls.localize('theia/cli-companion/edits/rightLabel', 'Your edits: {0}', path), [
            {
                text: nls.localize(
                    'theia/cli-companion/edits/sides',
                    'Left: the file. Right: your edits. An arrow ({0}) takes back a single change.',
                    revertName()
                ),
                actions: [
                    {
                        label: nls.localize('theia/cli-companion/edits/apply', 'Apply'),
                        isMain: true,
                        run: () => void this.apply(editor.widget)
                    },
                    {
                        label: nls.localize('theia/cli-companion/edits/discard', 'Discard'),
                        run: () => void this.discardIn(editor.widget)
                    }
                ]
            }
        ]);
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
        const { exists, fault } = await this.originals.read(new URI(draft.uri));
        return exists && !fault;
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
        const count = countRemoved(before, text);
        if (count === 0) {
            return true;
        }
        const msg =
            count === undefined
                ? nls.localize('theia/cli-companion/edits/takesLines', 'This removes lines from the file as it is now. Undo restores them.')
                : nls.localize(
                      'theia/cli-companion/edits/takesCount',
                      'This removes lines from the file as it is now: {0}. Undo restores them.',
                      count
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
