// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { isInside } from './workspace-roots';

/** A task did not end in time, or was not begun because earlier ones still have not ended. */
export class NoAnswer extends Error {
    constructor(readonly places: readonly string[]) {
        super(`The file system of ${places.join(', ')} does not answer.`);
    }
}

/**
 * How many tasks of all queues run at a time. A task waits for one thing at a time and so holds one thread at most, of the four that Node
 * has for files, names and keys: whatever does not answer, one thread is left to Theia.
 */
export const MOST_THREADS = 3;

/**
 * Runs tasks that a file system may never answer, one at a time in each queue. Such a task cannot be ended and keeps its thread, so nothing
 * is begun behind it. There is one queue for each folder or mount (see {@link queueOf}), so that a silent one holds up only what is in it.
 * Whoever gets no answer keeps what it knew, and asks again some other time.
 */
export class FileAccessQueues {
    /** By their queues. Each settles when the task has ended or is overdue, and never rejects. */
    protected readonly running = new Map<string, Promise<unknown>>();
    /** The queues of {@link running} whose task is overdue. */
    protected readonly silent = new Set<string>();

    /** @param limit milliseconds that a task may take */
    constructor(protected readonly limit: number) {}

    /**
     * Rejects with {@link NoAnswer} if the task takes too long, and at once while an earlier one of its queue, or {@link MOST_THREADS}
     * of others, are overdue; else as the task does. A task must not run another one: that one might wait for it.
     */
    async run<T>(queue: string, task: () => Promise<T>, limit = this.limit): Promise<T> {
        while (this.running.has(queue) || this.running.size >= MOST_THREADS) {
            const before = [...this.running].filter(([other]) => !this.running.has(queue) || other === queue);
            const answering = before.filter(([other]) => !this.silent.has(other));
            if (answering.length === 0) {
                throw new NoAnswer(before.map(([other]) => other).sort());
            }
            await Promise.race(answering.map(([, settled]) => settled));
        }
        let timer: NodeJS.Timeout | undefined;
        const expired = new Promise<never>((_, reject) => {
            timer = setTimeout(() => {
                this.silent.add(queue);
                reject(new NoAnswer([queue]));
            }, limit).unref();
        });
        const call = Promise.resolve()
            .then(task)
            .finally(() => {
                clearTimeout(timer);
                this.running.delete(queue);
                this.silent.delete(queue);
            });
        const answer = Promise.race([call, expired]);
        this.running.set(
            queue,
            answer.catch(() => undefined)
        );
        return answer;
    }

    /**
     * The queue for whatever looks at a path: the remote mount that it lies in, since all of that goes silent together, or else a folder that
     * the caller names. Reads the mounts each time: the kernel tells them by itself, without a file system.
     *
     * @param path absolute
     * @param folder that counts if the path lies in no remote mount, or if the system does not tell
     */
    queueOf(path: string, folder = path): string {
        const mounts = this.mountInfo()
            .split('\n')
            .flatMap(line => mountIn(line) ?? []);
        // If two mounts have one place, the later one counts.
        const mount = mounts
            .filter(({ point }) => isInside(point, path))
            .reduce<Mount | undefined>((best, next) => (best && best.point.length > next.point.length ? best : next), undefined);
        return mount && REMOTE.test(mount.type) ? mount.point : folder;
    }

    /** Whether a task of this queue has taken too long and still has not ended. */
    isOverdue(queue: string): boolean {
        return this.silent.has(queue);
    }

    protected mountInfo(): string {
        try {
            return fs.readFileSync('/proc/self/mountinfo', 'utf8');
        } catch {
            return '';
        }
    }
}

/** Types of file systems that another machine or program answers for, and so may stop to. */
const REMOTE = /^(nfs|cifs|smb|9p|ceph|fuse|afs|lustre|gluster|gpfs|beegfs|orangefs|autofs|virtiofs|vboxsf|vmhgfs|prl_fs|drvfs)/;

interface Mount {
    readonly point: string;
    readonly type: string;
}

/** As in proc(5): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`. */
function mountIn(line: string): Mount | undefined {
    const [place, source] = line.split(' - ');
    const point = place.split(' ')[4]?.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
    return point && source ? { point, type: source.split(' ')[0] } : undefined;
}
