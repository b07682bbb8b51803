// SPDX-License-Identifier: Apache-2.0

/** A task did not end in time, or was not begun because earlier ones still have not ended. */
export class NoAnswer extends Error {
    /** @param ended settles, and never rejects, when it is worth another try, which may be never */
    constructor(
        queues: readonly string[],
        readonly ended: Promise<unknown>
    ) {
        super(`The file system of ${queues.join(', ')} does not answer.`);
    }
}

/**
 * How many tasks of all queues run at a time. A task waits for one thing at a time and so holds one thread at most, of the four that Node
 * has for files, names and keys: whatever does not answer, one thread is left to Theia.
 */
export const MOST_THREADS = 3;

interface Running {
    readonly queue: string;
    overdue: boolean;
    /** Settles when the task has ended or is overdue. Never rejects. */
    readonly settled: Promise<unknown>;
    /** Settles when the task has ended. Never rejects. */
    readonly ended: Promise<unknown>;
}

/**
 * Runs tasks that a file system may never answer, one at a time in each queue. Such a task cannot be ended and keeps its thread, so nothing
 * is begun behind it. There is one queue for each folder or mount (see `queueOf`), so that a silent one holds up only what is in it.
 */
export class OneAtATime {
    private readonly running = new Map<string, Running>();

    /** @param limit milliseconds that a task may take */
    constructor(private readonly limit: number) {}

    /**
     * Rejects with {@link NoAnswer} where the task takes too long, and at once while an earlier one of its queue, or {@link MOST_THREADS}
     * of others, are overdue; else as the task does. A task must not run another one: that one might wait for it.
     */
    async run<T>(queue: string, task: () => Promise<T>, limit = this.limit): Promise<T> {
        for (let obstacle = this.obstacle(queue); obstacle; obstacle = this.obstacle(queue)) {
            await obstacle;
        }
        let timer: NodeJS.Timeout | undefined;
        const expired = new Promise<never>((_, reject) => {
            timer = setTimeout(() => {
                running.overdue = true;
                reject(new NoAnswer([queue], running.ended));
            }, limit).unref();
        });
        const call = Promise.resolve()
            .then(task)
            .finally(() => {
                clearTimeout(timer);
                this.running.delete(queue);
            });
        const answer = Promise.race([call, expired]);
        const running: Running = { queue, overdue: false, settled: quietly(answer), ended: quietly(call) };
        this.running.set(queue, running);
        return answer;
    }

    /** Whether a task of this queue has taken too long and still has not ended. */
    isOverdue(queue: string): boolean {
        return this.running.get(queue)?.overdue ?? false;
    }

    /** @returns what to wait for before a task of this queue may begin; `undefined` where it may now. Throws {@link NoAnswer}. */
    private obstacle(queue: string): Promise<unknown> | undefined {
        const earlier = this.running.get(queue);
        if (!earlier && this.running.size < MOST_THREADS) {
            return undefined;
        }
        const others = earlier ? [earlier] : [...this.running.values()];
        const waiting = others.filter(({ overdue }) => !overdue);
        if (waiting.length === 0) {
            throw new NoAnswer(
                others.map(other => other.queue),
                Promise.race(others.map(({ ended }) => ended))
            );
        }
        return Promise.race(waiting.map(({ settled }) => settled));
    }
}

function quietly(promise: Promise<unknown>): Promise<unknown> {
    return promise.catch(() => undefined);
}
