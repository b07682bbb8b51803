// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, FrontendApplicationContribution, KeybindingContribution, KeybindingRegistry } from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { CommandContribution, CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { DraftRef } from '../../common/companion-protocol';
import { CompanionCommands } from '../companion-commands';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { revertName } from './diff-overlay';
import { KeptDraftMessages } from './kept-draft-messages';
import { KeptDrafts } from './kept-drafts';
import { keptKey, ProposalTexts } from './proposal-texts';
import { ReviewEditor } from './review-editors';
import { ReviewUris } from './review-uris';

/** True while the diff of a kept draft has the keyboard. */
const KEPT_DRAFT_ACTIVE_KEY = 'companionKeptDraftActive';

/** Offers kept drafts, and gives their diffs what the diffs of reviews have: buttons, keys, and a text that follows what is typed. */
@injectable()
export class KeptDraftsContribution implements FrontendApplicationContribution, CommandContribution, KeybindingContribution {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;
    @inject(KeptDrafts)
    protected readonly drafts: KeptDrafts;
    @inject(KeptDraftMessages)
    protected readonly messages: KeptDraftMessages;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

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
                    this.messages.remember(this.texts.continued(draft).id);
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
            inDraft(widget => this.drafts.apply(widget))
        );
        commands.registerCommand(
            CompanionCommands.DISCARD_DRAFT,
            inDraft(widget => this.discard(widget))
        );
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        // The same keys as for a review.
        const draftFocused = `editorTextFocus && ${KEPT_DRAFT_ACTIVE_KEY}`;
        keybindings.registerKeybindings(
            { command: CompanionCommands.APPLY_DRAFT.id, keybinding: 'ctrlcmd+enter', when: draftFocused },
            { command: CompanionCommands.DISCARD_DRAFT.id, keybinding: 'ctrlcmd+alt+backspace', when: draftFocused }
        );
    }

    protected offer(): void {
        this.messages.update(this.drafts.all, (draft, answer) => void this.drafts[answer](draft));
    }

    /** The diff of a kept draft that has the keyboard. */
    protected get current(): EditorWidget | undefined {
        const { activeWidget } = this.shell;
        return activeWidget instanceof EditorWidget && this.drafts.draftIn(activeWidget) ? activeWidget : undefined;
    }

    protected async discard(widget: EditorWidget): Promise<void> {
        const draft = this.drafts.draftIn(widget);
        if (draft) {
            await this.drafts.discard(draft);
        }
    }

    protected track(widget: EditorWidget): void {
        const uri = widget.getResourceUri();
        const named = uri && ReviewUris.draftOf(uri);
        if (!named) {
            return;
        }
        const editor = new ReviewEditor(widget);
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
                        run: () => void this.drafts.apply(editor.widget)
                    },
                    {
                        label: nls.localize('theia/cli-companion/edits/discard', 'Discard'),
                        run: () => void this.discard(editor.widget)
                    }
                ]
            }
        ]);
    }
}
