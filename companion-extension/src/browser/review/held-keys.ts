// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, CommonCommands, FrontendApplicationContribution, KeybindingRegistry } from '@theia/core/lib/browser';
import { KeyCode } from '@theia/core/lib/browser/keyboard/keys';
import { SecondaryWindowHandler } from '@theia/core/lib/browser/secondary-window-handler';
import { CorePreferences } from '@theia/core/lib/common/core-preferences';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionCommands } from '../companion-commands';
import { ReviewFocus } from './review-focus';
import { WaitingReviews } from './review-contribution';

const ANSWERS: readonly string[] = [
    CompanionCommands.ACCEPT_REVIEW.id,
    CompanionCommands.REJECT_REVIEW.id,
    CompanionCommands.NEXT_REVIEW.id
];

/** How long a key is not taken by what the keyboard has just gone to, in milliseconds: it was meant for the proposal. */
const MOVE_TIME = 500;

const MODIFIERS = /^(Control|Shift|Alt|Meta)/;

/**
 * Takes the repetitions of a key that is held down or pressed again. The first one answers a proposal; each of the others would answer the
 * next one, or go into the terminal or the editor that has the keyboard then. Theia (1.74) runs a command for every repetition.
 */
@injectable()
export class HeldKeys implements FrontendApplicationContribution {
    @inject(KeybindingRegistry)
    protected readonly keybindings: KeybindingRegistry;
    @inject(CorePreferences)
    protected readonly preferences: CorePreferences;
    @inject(SecondaryWindowHandler)
    protected readonly secondaryWindows: SecondaryWindowHandler;
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;

    protected readonly toDispose = new DisposableCollection();
    /** The key that answered, as the keyboard names it, until another one is pressed. */
    protected held: string | undefined;
    /** When the keyboard has moved last, as `performance.now()` counts. */
    protected movedAt = -Infinity;

    onStart(): void {
        this.watch(window);
        this.toDispose.push(this.secondaryWindows.onDidAddWidget(([, secondary]) => this.watch(secondary)));
        this.toDispose.push(this.shell.onDidChangeActiveWidget(() => (this.movedAt = performance.now())));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** At the window, because Theia's own listener is at the document. Adding a listener twice has no further effect. */
    protected watch(target: Window): void {
        target.addEventListener('keydown', this.keyDown, true);
        this.toDispose.push(Disposable.create(() => target.removeEventListener('keydown', this.keyDown, true)));
    }

    protected readonly keyDown = (event: KeyboardEvent): void => {
        const answers = this.answers(event);
        const isAgain = event.code === this.held && !answers && performance.now() - this.movedAt < MOVE_TIME;
        if (isAgain || (event.repeat && (answers || event.code === this.held))) {
            event.preventDefault();
            event.stopPropagation();
        } else if (!event.repeat && !MODIFIERS.test(event.code)) {
            this.held = answers ? event.code : undefined;
        }
    };

    protected answers(event: KeyboardEvent): boolean {
        if (!this.waiting.any) {
            return false;
        }
        const key = KeyCode.createKeyCode(event, this.preferences['keyboard.dispatch']);
        const match = this.keybindings.matchKeybinding([key], event);
        const command = match?.kind === 'full' ? match.binding.command : '';
        return ANSWERS.includes(command) || (command === CommonCommands.SAVE.id && this.focus.active !== undefined);
    }
}
