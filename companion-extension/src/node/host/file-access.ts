// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { afterLimit } from '../../common/time-limit';

/** A task did not end in time, or was not begun because earlier ones still have not ended. */
export class NoAnswer extends Error {
    constructor(readonly places: readonly string[]) {
        super(`The file system of ${places.join(', ')} does not answer.`);
    }
}

/** How many tasks run at a time. Each holds one thread at most, of the four that Node has: one is left to Theia, whatever hangs. */
export const MOST_THREADS = 3;

/**
 * Runs tasks that a file system may never answer: with a time limit, and one at a time for each place. Such a task cannot be ended and
 * keeps its thread, so nothing is begun behind it. Whoever gets no answer keeps what it knew, and asks again some other time.
 */
export class FileAccess {
    /** Tasks by their places. Each settles when the task has ended or is overdue, and never rejects. */
    protected readonly running = new Map<string, Promise<unknown>>();
    /** The places of {@link running} whose task is overdue. */
    protected readonly overdue = new Set<string>();

    constructor(protected readonly limitMs: number) {}

    /**
     * Rejects with {@link NoAnswer} if the task takes too long, and at once while an earlier one of its place, or {@link MOST_THREADS}
     * of others, are overdue; else as the task does. A task must not run another one: that one might wait for it.
     *
     * @param place the folder that the task looks at, or a name for several
     */
    async run<T>(place: string, task: () => Promise<T>, limitMs = this.limitMs): Promise<T> {
        while (this.running.has(place) || this.running.size >= MOST_THREADS) {
            const before = [...this.running].filter(([name]) => !this.running.has(place) || name === place);
            const answering = before.filter(([name]) => !this.overdue.has(name));
            if (answering.length === 0) {
                throw new NoAnswer(before.map(([name]) => name).sort());
            }
            await Promise.race(answering.map(([, settled]) => settled));
        }
        let waiting = Disposable.NULL;
        const expired = new Promise<never>((_, reject) => {
            waiting = afterLimit(limitMs, () => {
                this.overdue.add(place);
                reject(new NoAnswer([place]));
            });
        });
        const call = Promise.resolve()
            .then(task)
            .finally(() => {
                waiting.dispose();
                this.running.delete(place);
                this.overdue.delete(place);
            });
        const answer = Promise.race([call, expired]);
        this.running.set(
            place,
            answer.catch(() => undefined)
        );
        return answer;
    }

    /** Whether a task of this place has taken too long and still has not ended. */
    isOverdue(place: string): boolean {
        return this.overdue.has(place);
    }
}
