// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';

/** Counts who uses each of some things. Says when one had no user for a while and can be released. */
export class Users {
    protected readonly counts = new Map<string, number>();
    protected readonly timers = new Map<string, NodeJS.Timeout>();

    /**
     * @param grace milliseconds; a page that reloads is back much sooner
     * @param release returns whether it was released; if not, for example because a turn still runs, it is asked again
     */
    constructor(
        protected readonly grace: () => number,
        protected readonly release: (id: string) => boolean
    ) {}

    /** Used until the result is disposed. */
    enter(id: string): Disposable {
        clearTimeout(this.timers.get(id));
        this.timers.delete(id);
        this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
        return Disposable.create(() => this.leave(id));
    }

    has(id: string): boolean {
        return (this.counts.get(id) ?? 0) > 0;
    }

    dispose(): void {
        this.timers.forEach(timer => clearTimeout(timer));
        this.timers.clear();
        this.counts.clear();
    }

    protected leave(id: string): void {
        const rest = (this.counts.get(id) ?? 0) - 1;
        if (rest > 0) {
            this.counts.set(id, rest);
        } else if (this.counts.delete(id)) {
            this.wait(id);
        }
    }

    protected wait(id: string): void {
        const timer = setTimeout(() => {
            this.timers.delete(id);
            if (!this.has(id) && !this.release(id)) {
                this.wait(id);
            }
        }, this.grace());
        timer.unref();
        this.timers.set(id, timer);
    }
}
