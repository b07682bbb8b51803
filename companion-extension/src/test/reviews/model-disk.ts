// SPDX-License-Identifier: Apache-2.0

import { Clock } from '../../common/clock';
import { EditStore, StoredEdit } from '../../node/review/kept-edits';

const QUICK_MS = 20;
const SLOW_MS = 4_000;

/** One folder of the user; each text is written whole or not at all. */
export class ModelDisk {
    readonly edits = new Map<string, StoredEdit>();
    fails = false;
    slow = false;

    constructor(protected readonly clock: Clock) {}

    /** @param isAlive whether the backend that writes is not killed yet */
    storeOf(isAlive: () => boolean): EditStore {
        /** What this backend knows to be on disk. */
        const stored = new Map<string, string>();
        const versionOf = ({ waits, days }: StoredEdit): string => (waits ? 'waits' : String(days));
        let wanted: readonly StoredEdit[] = [];
        let last: Promise<unknown> = Promise.resolve();
        let next: Promise<void> | undefined;
        const write = (change: () => void): Promise<void> =>
            new Promise((resolve, reject) => {
                const { fails } = this;
                const time = this.slow ? SLOW_MS : QUICK_MS;
                this.clock.after(time / 2, () => isAlive() && !fails && change());
                this.clock.after(time, () => isAlive() && (fails ? reject(new Error('The disk is full')) : resolve()));
            });
        const save = async (): Promise<void> => {
            for (const edit of wanted.filter(one => stored.get(one.id) !== versionOf(one))) {
                await write(() => this.edits.set(edit.id, { ...edit }));
                stored.set(edit.id, versionOf(edit));
            }
            const ids = new Set(wanted.map(({ id }) => id));
            for (const id of [...stored.keys()].filter(one => !ids.has(one))) {
                await write(() => this.edits.delete(id));
                stored.delete(id);
            }
        };
        /** One task after the other, as in the product. */
        const after = <T>(task: () => Promise<T>): Promise<T> => {
            const result = last.then(task);
            last = result.catch(() => undefined);
            return result;
        };
        const saveNext = (): Promise<void> =>
            after(() => {
                next = undefined;
                return save();
            });
        return {
            keep: edits => {
                wanted = edits;
                next ??= saveNext();
                return next;
            },
            read: () =>
                after(async () => {
                    const found = [...this.edits.values()].filter(({ id }) => !stored.has(id)).map(({ waits: _, ...edit }) => edit);
                    found.forEach(edit => stored.set(edit.id, versionOf(edit)));
                    return { found, gone: [...stored.keys()].filter(id => !this.edits.has(id)) };
                })
        };
    }
}
