// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { injectable } from '@theia/core/shared/inversify';
import { isAimedAt } from '../../common/companion-limits';

/**
 * Keeps a gesture from answering what it was not meant for. After each answer, and after the keyboard or the layout moved, nothing answers any
 * review for a moment: the second half of a double click, or a key that is pressed twice, meets another review than the user saw. Whatever
 * answers a review asks here first.
 */
@injectable()
export class AnswerGuard {
    /** In the time of `performance.now()`. */
    protected movedAt = -Infinity;
    /** When the user's key began to repeat: repetitions are aimed at nothing. In the time of `performance.now()`. */
    heldSince = Infinity;
    protected readonly onDidAnswerEmitter = new Emitter<void>();
    /** Fires when the user has answered a review in this page, before anything moves. */
    readonly onDidAnswer = this.onDidAnswerEmitter.event;

    recordAnswer(): void {
        this.restart();
        this.onDidAnswerEmitter.fire();
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
}
