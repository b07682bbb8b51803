// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { isAimedAt } from '../../common/companion-limits';

const MODIFIERS = /^(Control|Shift|Alt|Meta)/;

/**
 * Keeps a gesture from answering what it was not meant for. After each answer, and after the keyboard or the layout moved, nothing answers any
 * review for a moment: the second half of a double click, or a key that is pressed twice, meets another review than the user saw. A key that is
 * held down answers once. Whatever answers a review asks here first.
 * Promised: `takesAnswer` and `restart`.
 *
 * @since 0.1
 */
@injectable()
export class AnswerGuard {
    /** In the time of `performance.now()`. */
    protected movedAt = -Infinity;
    /** When the user's key began to repeat: repetitions are aimed at nothing. In the time of `performance.now()`. */
    protected heldSince = Infinity;
    /** The key that was pressed last, as the keyboard names it, unless the mouse was used since. */
    protected pressed: string | undefined;
    /** The key that answered, until another one is pressed. */
    protected held: string | undefined;

    /** The user has answered a review in this page, before anything moves. */
    recordAnswer(): void {
        this.restart();
        this.held = this.pressed;
    }

    /** Something moved, or a gesture came too soon: whoever goes on pressing has not looked. */
    restart(): void {
        this.movedAt = performance.now();
    }

    /**
     * Whether a gesture may answer.
     * @param pressed when that was, as `performance.now()` counts
     * @param since when what it would answer came onto the screen
     */
    takesAnswer(pressed = performance.now(), since = -Infinity): boolean {
        return pressed < this.heldSince && isAimedAt(Math.max(this.movedAt, since), pressed);
    }

    /**
     * The user presses a key, or holds it.
     *
     * @param code as the keyboard names it
     * @returns false for one that has answered, until it is released, and for a moment after it: it would go into the terminal or the editor
     *     that has the keyboard then
     */
    pressKey(code: string, isRepeated: boolean): boolean {
        const isAgain = code === this.held && (isRepeated || !this.takesAnswer());
        this.heldSince = isRepeated ? Math.min(this.heldSince, performance.now()) : Infinity;
        if (!isAgain && !isRepeated && !MODIFIERS.test(code)) {
            this.pressed = code;
            this.held = undefined;
        }
        return !isAgain;
    }

    releaseKey(): void {
        this.heldSince = Infinity;
    }

    /** The user goes on with the mouse. */
    pressMouse(): void {
        this.pressed = undefined;
        this.heldSince = Infinity;
    }
}
