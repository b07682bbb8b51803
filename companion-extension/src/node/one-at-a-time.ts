// SPDX-License-Identifier: Apache-2.0

/** A task did not end in time, or was not begun because an earlier one of its key still has not ended. */
export class NoAnswer extends Error {
    constructor() {
        super('The file system does not answer.');
    }
}

/** The key of what is done in the user's folders besides publishing, so that all of it together holds one thread at most. */
export const USER_FOLDERS = 'user-folders';

interface Running {
    overdue: boolean;
    /** Settles when the task has ended or is overdue. Never rejects. */
    readonly settled: Promise<unknown>;
    /** Settles when the task has ended. Never rejects. */
    readonly ended: Promise<unknown>;
}

/**
 * Runs tasks that a file system may never answer, one at a time for each key. Such a task cannot be ended and holds one of the four
 * threads that Node has for files, names and keys, so nothing is begun beside it.
 */
export class OneAtATime {
    private readonly running = new Map<string, Running>();

    /** @param limit milliseconds that a task may take */
    constructor(private readonly limit: number) {}

    /** Rejects with {@link NoAnswer} where the task takes too long, and at once while an earlier one is overdue; else as the task does. */
    async run<T>(key: string, task: () => Promise<T>): Promise<T> {
        for (let earlier = this.running.get(key); earlier; earlier = this.running.get(key)) {
            if (earlier.overdue) {
                throw new NoAnswer();
            }
            await earlier.settled;
        }
        let timer: NodeJS.Timeout | undefined;
        const expired = new Promise<never>((_, reject) => {
            timer = setTimeout(() => {
                running.overdue = true;
                reject(new NoAnswer());
            }, this.limit).unref();
        });
        const call = Promise.resolve()
            .then(task)
            .finally(() => {
                clearTimeout(timer);
                this.running.delete(key);
            });
        const answer = Promise.race([call, expired]);
        const running: Running = { overdue: false, settled: quietly(answer), ended: quietly(call) };
        this.running.set(key, running);
        return answer;
    }

    /** Whether a task of this key has taken too long and still has not ended. */
    isOverdue(key: string): boolean {
        return this.running.get(key)?.overdue ?? false;
    }

    /** Settles when no task of this key runs any more, which may be never. Never rejects. */
    async idle(key: string): Promise<void> {
        await this.running.get(key)?.ended;
    }
}

function quietly(promise: Promise<unknown>): Promise<unknown> {
    return promise.catch(() => undefined);
}
