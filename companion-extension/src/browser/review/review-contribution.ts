// SPDX-License-Identifier: Apache-2.0

import { CommonCommands, KeybindingContribution, KeybindingRegistry } from '@theia/core/lib/browser';
import { TabBarToolbarContribution, TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { Command, CommandContribution, CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionCommands } from '../companion-commands';
import { REVIEW_ACTIVE_KEY, ReviewFocus } from './review-focus';
import { ReviewService } from './review-service';
import { REVIEWS_LISTED_KEY, StatusPick } from '../status/status-pick';
import { ReviewView } from './review-view';
import { ReviewViews } from './review-views';
import { WaitingReviews } from './waiting-reviews';

/** Commands, keys and toolbar of the reviews. */
@injectable()
export class ReviewContribution implements CommandContribution, KeybindingContribution, TabBarToolbarContribution {
    @inject(ReviewService)
    protected readonly reviews: ReviewService;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ReviewViews)
    protected readonly views: ReviewViews;
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(StatusPick)
    protected readonly pick: StatusPick;

    registerCommands(commands: CommandRegistry): void {
        const accept = {
            isEnabled: (widget?: unknown) => this.reviewOf(widget) !== undefined,
            isVisible: (widget?: unknown) => this.reviewOf(widget) !== undefined,
            execute: (widget?: unknown) => this.decide(widget, id => this.reviews.accept(id))
        };
        commands.registerCommand(CompanionCommands.ACCEPT_REVIEW, accept);
        commands.registerCommand(CompanionCommands.REJECT_REVIEW, {
            ...accept,
            execute: widget => this.decide(widget, id => this.reviews.reject(id))
        });
        commands.registerCommand(CompanionCommands.NEXT_REVIEW, { execute: () => this.waiting.activateNext() });
        const goTo = (target: 'next' | 'previous'): CommandHandler => ({
            isEnabled: () => this.focus.currentWidget !== undefined,
            execute: () => this.views.viewOf(this.focus.currentWidget)?.goToChange(target)
        });
        commands.registerCommand(CompanionCommands.NEXT_CHANGE, goTo('next'));
        commands.registerCommand(CompanionCommands.PREVIOUS_CHANGE, goTo('previous'));
        // Saving a proposal means accepting it. Only by the user's own command: auto-save and Save All go other ways.
        commands.registerHandler(CommonCommands.SAVE.id, {
            isEnabled: () => this.focus.current !== undefined,
            execute: () => this.decide(undefined, id => this.reviews.accept(id))
        });
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        // Monaco's own binding of the same keys wins unless the condition names a key that is defined at the focused element.
        const when = `editorTextFocus && ${REVIEW_ACTIVE_KEY}`;
        keybindings.registerKeybindings(
            { command: CompanionCommands.ACCEPT_REVIEW.id, keybinding: 'ctrlcmd+enter', when },
            { command: CompanionCommands.REJECT_REVIEW.id, keybinding: 'ctrlcmd+alt+backspace', when },
            { command: CompanionCommands.NEXT_REVIEW.id, keybinding: 'ctrlcmd+alt+enter', when },
            { command: CompanionCommands.NEXT_CHANGE.id, keybinding: 'alt+f5', when },
            { command: CompanionCommands.PREVIOUS_CHANGE.id, keybinding: 'shift+alt+f5', when },
            { command: CompanionCommands.ACCEPT_REVIEW.id, keybinding: 'ctrlcmd+enter', when: REVIEWS_LISTED_KEY },
            { command: CompanionCommands.REJECT_REVIEW.id, keybinding: 'ctrlcmd+alt+backspace', when: REVIEWS_LISTED_KEY }
        );
    }

    registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
        // `isVisible` and not `when`: a condition is evaluated for the page and fails as soon as the terminal has the keyboard.
        const isVisible = (widget?: unknown): boolean => ReviewView.reviewIdOf(widget) !== undefined;
        const register = ({ id }: Command, tooltip: string, priority: number): void => {
            toolbar.registerItem({ id, command: id, tooltip, priority, isVisible });
        };
        register(
            CompanionCommands.ACCEPT_REVIEW,
            nls.localize(
                'companion/review/acceptTip',
                'Accept what is on the right. Edit it first if you like; an arrow between the sides takes a single change back.'
            ),
            -10
        );
        register(CompanionCommands.REJECT_REVIEW, nls.localize('companion/review/rejectTip', 'Reject: the file stays as it is.'), -9);
    }

    /** Toolbars say which widget they belong to; keys, menus and the palette mean the one with the keyboard. */
    protected reviewOf(widget: unknown): string | undefined {
        return ReviewView.reviewIdOf(widget) ?? this.pick.activeReview ?? this.focus.current;
    }

    protected async decide(widget: unknown, decision: (reviewId: string) => Promise<void>): Promise<void> {
        const reviewId = this.reviewOf(widget);
        if (reviewId !== undefined) {
            this.pick.hide();
            await decision(reviewId);
        }
    }
}
