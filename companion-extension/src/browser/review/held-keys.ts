// SPDX-License-Identifier: Apache-2.0

import { CommonCommands, FrontendApplicationContribution, KeybindingRegistry } from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { KeyCode } from '@theia/core/lib/browser/keyboard/keys';
import { SecondaryWindowHandler } from '@theia/core/lib/browser/secondary-window-handler';
import { CorePreferences } from '@theia/core/lib/common/core-preferences';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionCommands } from '../companion-commands';
import { AnswerGuard } from './answer-guard';
import { ALT_GRAPH_KEY, ReviewFocus } from './review-focus';
import { WaitingReviews } from './waiting-reviews';

const ANSWERS: readonly string[] = [
    CompanionCommands.ACCEPT_REVIEW.id,
    CompanionCommands.REJECT_REVIEW.id,
    CompanionCommands.NEXT_REVIEW.id
];

const MODIFIERS = /^(Control|Shift|Alt|Meta)/;

/**
 * Takes the repetitions of a key that is held down or pressed again. The first one answers a proposal, as a key binding or on a button; each of
 * the others would answer the next one, or go into the terminal or the editor that has the keyboard then. All other keys pass. Theia (1.74) runs
 * a command for every repetition.
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
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    protected readonly toDispose = new DisposableCollection();
    /** The key that was pressed last, as the keyboard names it, unless the mouse was used since. */
    protected pressed: string | undefined;
    /** The key that answered, until another one is pressed. */
    protected held: string | undefined;
    protected altGraph: ContextKey<boolean>;

    onStart(): void {
        this.altGraph = this.contextKeys.createKey(ALT_GRAPH_KEY, false);
        this.watch(window);
        this.toDispose.push(this.secondaryWindows.onDidAddWidget(([, secondary]) => this.watch(secondary)));
        this.toDispose.push(this.guard.onDidAnswer(() => (this.held = this.pressed)));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    /** At the window, because Theia's own listener is at the document. Adding a listener twice has no further effect. */
    protected watch(target: Window): void {
        target.addEventListener('keydown', this.keyDown, true);
        target.addEventListener('pointerdown', this.pointerDown, true);
        this.toDispose.push(
            Disposable.create(() => {
                target.removeEventListener('keydown', this.keyDown, true);
                target.removeEventListener('pointerdown', this.pointerDown, true);
            })
        );
    }

    protected readonly pointerDown = (): void => {
        this.pressed = undefined;
    };

    protected readonly keyDown = (event: KeyboardEvent): void => {
        // Before the key bindings are asked. Windows reports AltGr as Ctrl+Alt.
        this.altGraph.set(event.getModifierState('AltGraph'));
        const answers = this.answers(event);
        const isAgain = event.code === this.held && !answers && !this.guard.takesAnswer();
        if (isAgain || (event.repeat && (answers || event.code === this.held))) {
            event.preventDefault();
            event.stopPropagation();
        } else if (!event.repeat && !MODIFIERS.test(event.code)) {
            this.pressed = event.code;
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
