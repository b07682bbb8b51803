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
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { TabBarToolbarContribution, TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { CommandContribution, CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EDITOR_CONTEXT_MENU } from '@theia/editor/lib/browser/editor-menu';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { noAnswerText } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionCommands } from '../companion-commands';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { AnswerGuard } from './answer-guard';
import { PageReviews } from './page-reviews';
import { ProposalTexts } from './proposal-texts';
import { ReviewEditor, ReviewEditors } from './review-editors';
import { ALT_GRAPH_KEY, REVIEW_ACTIVE_KEY, ReviewFocus, REVIEWS_LISTED_KEY } from './review-focus';
import { ReviewMessages } from './review-messages';
import { ReviewService } from './review-service';

const CONTEXT_MENU_GROUP = [...EDITOR_CONTEXT_MENU, '0_companion'];

const SHOW_LIMIT = 5_000;
const MESSAGE_TIME = 4_000;
/** In milliseconds: the person waits for what the key does. */
const TERMINAL_LIMIT = 1_000;

/** True while a review waits, here or in another window with the same roots. */
export const REVIEWS_WAITING_KEY = 'companionReviewsWaiting';

/** Every review that waits for the user: those that this window shows, and those that other windows with the same roots show. */
@injectable()
export class WaitingReviews {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ReviewService)
    protected readonly reviews: ReviewService;
    @inject(PageReviews)
    protected readonly page: PageReviews;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(CliTerminals)
    protected readonly terminals: CliTerminals;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;

    @postConstruct()
    protected init(): void {
        const waiting = this.contextKeys.createKey(REVIEWS_WAITING_KEY, this.any);
        this.connection.onDidChangeState(() => waiting.set(this.any));
        // The first states come before the layout, and so before the page takes them.
        void this.appState.reachedState('ready').then(() => waiting.set(this.any));
    }

    get any(): boolean {
        return this.here.length > 0 || this.elsewhere.length > 0;
    }

    /** The oldest first. */
    get here(): readonly ReviewInfo[] {
        return this.page.waiting;
    }

    get elsewhere(): readonly ReviewInfo[] {
        return [...(this.connection.state?.reviewsElsewhere ?? [])].sort((one, other) => one.openedAt - other.openedAt);
    }

    /** Gives the keyboard to the review after the one that has it. */
    async activateNext(): Promise<void> {
        const { here } = this;
        const current = here.findIndex(({ id }) => id === this.focus.active);
        const next = here[(current + 1) % here.length];
        if (next && next !== here[current]) {
            await this.reviews.activate(next);
        } else if (this.elsewhere.length > 0) {
            await this.showHere(this.elsewhere[0]);
        } else {
            this.messages.info(nls.localize('theia/cli-companion/review/noneWaiting', 'No other proposal is waiting.'), {
                timeout: MESSAGE_TIME
            });
        }
    }

    /**
     * The review that is meant by a key or a command that names none: the one that has the keyboard, else that of the CLI in the terminal
     * that has it, else any. It is `undefined` unless the person sees exactly one of these, and has had a moment to look at it. If the person
     * sees none of them, one comes to the front; if several, one gets the keyboard.
     */
    async meant(): Promise<ReviewInfo | undefined> {
        const pressed = performance.now();
        const candidates = await this.candidates();
        const visible = candidates.filter(id => this.editors.isOnScreen(id));
        if (visible.length === 1) {
            const [id] = visible;
            if (this.focus.takesKeys(id, pressed)) {
                return this.page.infoOf(id);
            }
            this.guard.restart();
            return undefined;
        }
        const hidden = this.here.find(({ id }) => id === candidates[0]);
        if (visible.length === 0 && hidden) {
            await this.reviews.reveal(hidden);
        } else {
            await this.activateNext();
        }
        this.guard.restart();
        return undefined;
    }

    async open(review: ReviewInfo): Promise<void> {
        return this.here.some(({ id }) => id === review.id) ? this.reviews.activate(review) : this.showHere(review);
    }

    /** Accepts a text that the person has seen in this window; otherwise shows it. */
    async accept(review: ReviewInfo): Promise<void> {
        if (this.focus.hasSeen(review)) {
            this.reviews.answer(review, 'accept');
        } else {
            await this.open(review);
        }
    }

    async reject(review: ReviewInfo): Promise<void> {
        this.reviews.answer(review, 'reject');
    }

    /** The ids of the reviews that may be meant, the oldest first. */
    protected async candidates(): Promise<string[]> {
        const { active } = this.focus;
        if (active !== undefined) {
            return [active];
        }
        const clis = new Set((await this.activeTerminal()).map(({ displayName }) => displayName));
        const ofTerminal = this.here.filter(({ cliName }) => clis.has(cliName));
        return (ofTerminal.length > 0 ? ofTerminal : this.here).map(({ id }) => id);
    }

    /** The CLI in the terminal that has the keyboard; none if it has not, or if that cannot be found out in time. */
    protected async activeTerminal(): Promise<OpenCliTerminal[]> {
        const { activeWidget } = this.shell;
        const find = activeWidget instanceof TerminalWidget ? this.terminals.find([activeWidget]) : Promise.resolve([]);
        return withTimeLimit(find, TERMINAL_LIMIT, '').catch(() => []);
    }

    /** Moves the review to this window. The other window closes it without an answer. */
    protected async showHere(review: ReviewInfo): Promise<void> {
        try {
            if (await withTimeLimit(this.backend.showReviewHere(review.id), SHOW_LIMIT, noAnswerText())) {
                await this.reviews.activate(review);
            } else {
                const path = this.paths.display(review.path);
                this.messages.info(
                    plainText(nls.localize('theia/cli-companion/review/over', 'The proposal for {0} was already answered.', path))
                );
            }
        } catch (error) {
            this.messages.warn(plainText(error instanceof Error ? error.message : String(error)));
        }
    }
}

/** Commands, keys, menu and toolbar of the reviews. */
@injectable()
export class ReviewContribution implements CommandContribution, KeybindingContribution, MenuContribution, TabBarToolbarContribution {
    @inject(ReviewService)
    protected readonly reviews: ReviewService;
    @inject(PageReviews)
    protected readonly page: PageReviews;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;
    @inject(ReviewMessages)
    protected readonly messages: ReviewMessages;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;

    registerCommands(commands: CommandRegistry): void {
        const isEnabled = (widget?: unknown): boolean => ReviewEditor.reviewIdOf(widget) !== undefined || this.waiting.any;
        const answer = (decision: 'accept' | 'reject'): CommandHandler => ({
            isEnabled,
            isVisible: isEnabled,
            execute: (widget?: unknown) => this.answer(decision, widget)
        });
        commands.registerCommand(CompanionCommands.ACCEPT_REVIEW, answer('accept'));
        commands.registerCommand(CompanionCommands.REJECT_REVIEW, answer('reject'));
        commands.registerCommand(CompanionCommands.NEXT_REVIEW, { execute: () => this.waiting.activateNext() });
        const inEditor = (act: (editor: ReviewEditor) => void): CommandHandler => ({
            isEnabled: (widget?: unknown) => this.editorFor(widget) !== undefined,
            execute: (widget?: unknown) => {
                const editor = this.editorFor(widget);
                if (editor) {
                    act(editor);
                }
            }
        });
        commands.registerCommand(
            CompanionCommands.NEXT_CHANGE,
            inEditor(editor => editor.goToChange('next'))
        );
        commands.registerCommand(
            CompanionCommands.PREVIOUS_CHANGE,
            inEditor(editor => editor.goToChange('previous'))
        );
        commands.registerCommand(
            CompanionCommands.REVERT_CHANGE,
            inEditor(editor => editor.revertChange())
        );
        commands.registerCommand(
            CompanionCommands.TOGGLE_LAYOUT,
            inEditor(editor => this.editors.toggleSideBySide(editor))
        );
        const withOtherVersion = (widget?: unknown): string | undefined => {
            const id = ReviewEditor.reviewIdOf(this.editorFor(widget)?.widget) ?? '';
            return this.texts.hasOther(id) ? id : undefined;
        };
        commands.registerCommand(CompanionCommands.SHOW_OTHER, {
            isEnabled: (widget?: unknown) => withOtherVersion(widget) !== undefined,
            isVisible: (widget?: unknown) => withOtherVersion(widget) !== undefined,
            execute: async (widget?: unknown) => {
                await this.texts.showOther(withOtherVersion(widget) ?? '');
            }
        });
        // Saving a proposal means accepting it. Only the user's own command does so, in the review that has the keyboard: auto-save and
        // Save All go other ways.
        commands.registerHandler(CommonCommands.SAVE.id, {
            isEnabled: () => this.focus.active !== undefined,
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
        // Monaco's own binding of the same keys wins unless the condition names a key that is defined at the focused element.
        const focused = `editorTextFocus && ${REVIEW_ACTIVE_KEY} && !${ALT_GRAPH_KEY}`;
        const listed = `${REVIEWS_LISTED_KEY} && !${ALT_GRAPH_KEY}`;
        keybindings.registerKeybindings(
            { command: CompanionCommands.ACCEPT_REVIEW.id, keybinding: 'ctrlcmd+enter', when: focused },
            { command: CompanionCommands.REJECT_REVIEW.id, keybinding: 'ctrlcmd+alt+backspace', when: focused },
            { command: CompanionCommands.NEXT_CHANGE.id, keybinding: 'alt+f5', when: focused },
            { command: CompanionCommands.PREVIOUS_CHANGE.id, keybinding: 'shift+alt+f5', when: focused },
            { command: CompanionCommands.ACCEPT_REVIEW.id, keybinding: 'ctrlcmd+enter', when: listed },
            { command: CompanionCommands.REJECT_REVIEW.id, keybinding: 'ctrlcmd+alt+backspace', when: listed },
            // These work from the terminal, too. docs/architecture.md says why.
            { command: CompanionCommands.REJECT_REVIEW.id, keybinding: 'ctrl+shift+f7', when: REVIEWS_WAITING_KEY },
            { command: CompanionCommands.NEXT_REVIEW.id, keybinding: 'ctrl+shift+f8', when: REVIEWS_WAITING_KEY },
            { command: CompanionCommands.ACCEPT_REVIEW.id, keybinding: 'ctrl+shift+f9', when: REVIEWS_WAITING_KEY },
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
            CompanionCommands.ACCEPT_REVIEW,
            CompanionCommands.REJECT_REVIEW,
            CompanionCommands.SHOW_OTHER,
            CompanionCommands.REVERT_CHANGE,
            CompanionCommands.NEXT_CHANGE,
            CompanionCommands.PREVIOUS_CHANGE,
            CompanionCommands.TOGGLE_LAYOUT
        ].forEach(({ id }, index) =>
            menus.registerMenuAction(CONTEXT_MENU_GROUP, { commandId: id, order: String(index), when: REVIEW_ACTIVE_KEY })
        );
    }

    registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
        // `isVisible` and not `when`: a condition is evaluated for the page and fails as soon as the terminal has the keyboard.
        const isVisible = (widget?: unknown): boolean => ReviewEditor.reviewIdOf(widget) !== undefined;
        [
            CompanionCommands.ACCEPT_REVIEW,
            CompanionCommands.REJECT_REVIEW,
            CompanionCommands.PREVIOUS_CHANGE,
            CompanionCommands.NEXT_CHANGE,
            CompanionCommands.TOGGLE_LAYOUT
        ].forEach(({ id }, index) => toolbar.registerItem({ id, command: id, priority: index - 20, isVisible }));
    }

    /** The editor that a toolbar names; else that of the review that has the keyboard, or is the only visible one. */
    protected editorFor(widget: unknown): ReviewEditor | undefined {
        const named = widget instanceof Widget && ReviewEditor.reviewIdOf(widget) !== undefined ? widget : undefined;
        return this.editors.editorOf(named ?? this.focus.widgetInFront);
    }

    /** Toolbars name the widget that they belong to. Keys mean the review that is highlighted in the list while that is open. */
    protected async answer(decision: 'accept' | 'reject', widget?: unknown): Promise<void> {
        const named = ReviewEditor.reviewIdOf(widget);
        const { openList } = this.focus;
        if (named !== undefined) {
            const review = this.page.infoOf(named);
            if (review && this.reviews.takesClick(review)) {
                this.reviews.answer(review, decision);
            }
        } else if (openList) {
            const { activeReview } = openList;
            if (activeReview && this.guard.takesAnswer()) {
                openList.hide();
                await this.waiting[decision](activeReview);
            }
        } else {
            const review = await this.waiting.meant();
            if (review) {
                this.reviews.answer(review, decision);
            }
        }
    }

    /** The tabs that "Close Saved" is about, if a review is among them. */
    protected reviewTabBar(event: Event | undefined): TabBar<Widget> | undefined {
        const bar = this.shell.findTabBar(event);
        return bar?.titles.some(({ owner }) => ReviewEditor.reviewIdOf(owner) !== undefined) ? bar : undefined;
    }

    protected async closeSaved(bar: TabBar<Widget> | undefined): Promise<void> {
        if (bar) {
            const isSaved = (owner: Widget): boolean => !Saveable.isDirty(owner) && ReviewEditor.reviewIdOf(owner) === undefined;
            await this.shell.closeTabs(bar, ({ closable, owner }) => closable && isSaved(owner));
        }
    }
}
