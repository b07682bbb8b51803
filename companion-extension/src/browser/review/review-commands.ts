// SPDX-License-Identifier: Apache-2.0

import {
    ApplicationShell,
    CommonCommands,
    KeybindingContribution,
    KeybindingRegistry,
    Saveable,
    TabBar,
    Widget
} from '@theia/core/lib/browser';
import { TabBarToolbarContribution, TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution, CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EDITOR_CONTEXT_MENU } from '@theia/editor/lib/browser/editor-menu';
import { ReviewInfo } from '../../common/companion-protocol';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { REVIEW_COMMANDS } from './review-command-ids';
import { AnswerGuard } from '../window/answer-guard';
import { STATUS_LISTED_KEY, StatusList } from '../window/status-list';
import { DiffEditor } from '../diff/diff-editor';
import { ALT_GRAPH_KEY } from '../window/held-keys';
import { ReviewEditors } from './review-editors';
import { REVIEW_ACTIVE_KEY, ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { ReviewUris } from './review-uris';
import { REVIEWS_WAITING_KEY, WaitingReviews } from './waiting-reviews';

const CONTEXT_MENU_GROUP = [...EDITOR_CONTEXT_MENU, '0_companion'];

/** Commands, keys, menu and toolbar of the reviews. */
@injectable()
export class ReviewCommands implements CommandContribution, KeybindingContribution, MenuContribution, TabBarToolbarContribution {
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(StatusList)
    protected readonly list: StatusList;
    @inject(ReviewMessages)
    protected readonly messages: ReviewMessages;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;

    registerCommands(commands: CommandRegistry): void {
        const isEnabled = (widget?: unknown): boolean => ReviewUris.shownIn(widget) !== undefined || this.waiting.any;
        const answer = (decision: 'accept' | 'reject'): CommandHandler => ({
            isEnabled,
            isVisible: isEnabled,
            execute: (widget?: unknown) => this.answer(decision, widget)
        });
        commands.registerCommand(SHARED_COMMANDS.ACCEPT_REVIEW, answer('accept'));
        commands.registerCommand(SHARED_COMMANDS.REJECT_REVIEW, answer('reject'));
        commands.registerCommand(REVIEW_COMMANDS.NEXT_REVIEW, { execute: () => this.waiting.activateNext() });
        commands.registerCommand(REVIEW_COMMANDS.OPEN_REVIEW, { execute: (review: ReviewInfo) => this.waiting.open(review) });
        commands.registerCommand(REVIEW_COMMANDS.ANSWER_REVIEW, {
            execute: (review: ReviewInfo, decision: 'accept' | 'reject') => this.answerListed(review, decision)
        });
        const inEditor = (act: (editor: DiffEditor) => void): CommandHandler => ({
            isEnabled: (widget?: unknown) => this.editorFor(widget) !== undefined,
            execute: (widget?: unknown) => {
                const editor = this.editorFor(widget);
                if (editor) {
                    act(editor);
                }
            }
        });
        commands.registerCommand(
            REVIEW_COMMANDS.NEXT_CHANGE,
            inEditor(editor => editor.goToChange('next'))
        );
        commands.registerCommand(
            REVIEW_COMMANDS.PREVIOUS_CHANGE,
            inEditor(editor => editor.goToChange('previous'))
        );
        commands.registerCommand(
            REVIEW_COMMANDS.OPEN_ACCESSIBLE_VIEWER,
            inEditor(editor => editor.openAccessibleViewer())
        );
        commands.registerCommand(
            REVIEW_COMMANDS.REVERT_CHANGE,
            inEditor(editor => editor.revertChange())
        );
        commands.registerCommand(
            REVIEW_COMMANDS.TOGGLE_LAYOUT,
            inEditor(editor => this.editors.toggleSideBySide(editor))
        );
        commands.registerCommand(
            SHARED_COMMANDS.TOGGLE_WRAP,
            inEditor(editor => editor.toggleWrap())
        );
        // Saving a proposal means accepting it. Only the user's own command does so, in the review that has the keyboard: auto-save and
        // Save All go other ways. Who types a comment saves that, which needs no key.
        commands.registerHandler(CommonCommands.SAVE.id, {
            isEnabled: () => this.focus.active !== undefined && !this.focus.isInField,
            execute: () => this.answer('accept')
        });
        // Theia (1.74) would open the copy in place of the diff, and thereby reject the proposal.
        commands.registerHandler(CommonCommands.SAVE_AS.id, {
            isEnabled: () => this.focus.active !== undefined,
            execute: () => this.messages.noCopy()
        });
        // A proposal is never dirty, so it looks saved.
        commands.registerHandler(CommonCommands.CLOSE_SAVED_TABS.id, {
            isEnabled: (event?: Event) => this.reviewTabBar(event) !== undefined,
            execute: (event?: Event) => this.closeSaved(this.reviewTabBar(event))
        });
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        // The second part is the accessible viewer: Monaco never sets `accessibleDiffViewerVisible`. The search in a text has `editorFocus`.
        // Monaco's own binding of the same keys wins unless the condition names a key that is defined at the focused element.
        const focused = `(editorTextFocus || (isInDiffEditor && !editorFocus)) && ${REVIEW_ACTIVE_KEY}`;
        keybindings.registerKeybindings(
            { command: SHARED_COMMANDS.ACCEPT_REVIEW.id, keybinding: 'ctrlcmd+enter', when: focused },
            { command: SHARED_COMMANDS.REJECT_REVIEW.id, keybinding: 'ctrlcmd+alt+backspace', when: `${focused} && !${ALT_GRAPH_KEY}` },
            { command: REVIEW_COMMANDS.NEXT_CHANGE.id, keybinding: 'alt+f5', when: focused },
            { command: REVIEW_COMMANDS.PREVIOUS_CHANGE.id, keybinding: 'shift+alt+f5', when: focused },
            // Monaco's own key. Theia (1.74) does not register its command.
            { command: REVIEW_COMMANDS.OPEN_ACCESSIBLE_VIEWER.id, keybinding: 'f7', when: focused },
            { command: SHARED_COMMANDS.ACCEPT_REVIEW.id, keybinding: 'ctrlcmd+enter', when: STATUS_LISTED_KEY },
            {
                command: SHARED_COMMANDS.REJECT_REVIEW.id,
                keybinding: 'ctrlcmd+alt+backspace',
                when: `${STATUS_LISTED_KEY} && !${ALT_GRAPH_KEY}`
            },
            // These work from the terminal, too. docs/architecture.md says why.
            { command: SHARED_COMMANDS.REJECT_REVIEW.id, keybinding: 'ctrl+shift+f7', when: REVIEWS_WAITING_KEY },
            { command: SHARED_COMMANDS.REJECT_WITH_REASON.id, keybinding: 'ctrl+shift+f4', when: REVIEWS_WAITING_KEY },
            { command: REVIEW_COMMANDS.NEXT_REVIEW.id, keybinding: 'ctrl+shift+f8', when: REVIEWS_WAITING_KEY },
            { command: SHARED_COMMANDS.ACCEPT_REVIEW.id, keybinding: 'ctrl+shift+f9', when: REVIEWS_WAITING_KEY },
            { command: REVIEW_COMMANDS.NEXT_CHANGE.id, keybinding: 'ctrl+shift+f6', when: REVIEWS_WAITING_KEY },
            { command: REVIEW_COMMANDS.PREVIOUS_CHANGE.id, keybinding: 'ctrl+shift+f5', when: `${REVIEWS_WAITING_KEY} && !inDebugMode` },
            // Escape in a terminal is the CLI's "no". Theia (1.74) closes a message in the corner with it, wherever the keyboard is.
            {
                command: KeybindingRegistry.PASSTHROUGH_PSEUDO_COMMAND,
                keybinding: 'esc',
                when: 'terminalFocus && notificationsVisible && !terminalHideSearch && !inQuickOpen'
            }
        );
    }

    registerMenus(menus: MenuModelRegistry): void {
        [
            SHARED_COMMANDS.ACCEPT_REVIEW,
            SHARED_COMMANDS.REJECT_REVIEW,
            REVIEW_COMMANDS.REVERT_CHANGE,
            REVIEW_COMMANDS.NEXT_CHANGE,
            REVIEW_COMMANDS.PREVIOUS_CHANGE,
            REVIEW_COMMANDS.TOGGLE_LAYOUT,
            SHARED_COMMANDS.TOGGLE_WRAP
        ].forEach(({ id }, index) =>
            menus.registerMenuAction(CONTEXT_MENU_GROUP, { commandId: id, order: String(index), when: REVIEW_ACTIVE_KEY })
        );
    }

    registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
        // `isVisible` and not `when`: a condition is evaluated for the page and fails as soon as the terminal has the keyboard.
        const isVisible = (widget?: unknown): boolean => ReviewUris.shownIn(widget) !== undefined;
        [REVIEW_COMMANDS.PREVIOUS_CHANGE, REVIEW_COMMANDS.NEXT_CHANGE, REVIEW_COMMANDS.TOGGLE_LAYOUT].forEach(({ id }, index) =>
            toolbar.registerItem({ id, command: id, priority: index - 20, isVisible })
        );
    }

    /** The editor that a toolbar names; else that of the review that has the keyboard, or is the only visible one. */
    protected editorFor(widget: unknown): DiffEditor | undefined {
        const named = widget instanceof Widget && ReviewUris.shownIn(widget) !== undefined ? widget : undefined;
        return this.editors.editorOf(named ?? this.waiting.widgetInFront);
    }

    /** Buttons name the widget that they belong to. Keys mean the review that is highlighted in the list while that is open. */
    protected async answer(decision: 'accept' | 'reject', widget?: unknown): Promise<void> {
        if (this.list.isOpen && ReviewUris.shownIn(widget) === undefined) {
            const { activeReview } = this.list;
            if (activeReview && this.guard.takesAnswer()) {
                this.list.hide();
                await this.answerListed(activeReview, decision);
            }
        } else {
            const review = await this.waiting.meant(widget);
            if (review) {
                this.waiting.answer(review, decision);
            }
        }
    }

    protected async answerListed(review: ReviewInfo, decision: 'accept' | 'reject'): Promise<void> {
        if (decision === 'accept') {
            await this.waiting.accept(review);
        } else {
            this.waiting.answer(review, 'reject');
        }
    }

    /** The tabs that "Close Saved" is about, if a review is among them. */
    protected reviewTabBar(event: Event | undefined): TabBar<Widget> | undefined {
        const bar = this.shell.findTabBar(event);
        return bar?.titles.some(({ owner }) => ReviewUris.shownIn(owner) !== undefined) ? bar : undefined;
    }

    protected async closeSaved(bar: TabBar<Widget> | undefined): Promise<void> {
        if (bar) {
            const isSaved = (owner: Widget): boolean => !Saveable.isDirty(owner) && ReviewUris.shownIn(owner) === undefined;
            await this.shell.closeTabs(bar, ({ closable, owner }) => closable && isSaved(owner));
        }
    }
}
