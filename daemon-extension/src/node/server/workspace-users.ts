// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';

/** Counts the pages that work in each workspace. Says when a workspace had no page for a while and needs its daemon no longer. */
export class WorkspaceUsers {
    protected readonly counts = new Map<string, number>();
    protected readonly timers = new Map<string, NodeJS.Timeout>();

    /**
     * @param grace milliseconds; a page that reloads is back much sooner
     * @param release returns whether it released the workspace; if not, for example because a turn still runs, it is asked again
     */
    constructor(
        protected readonly grace: () => number,
        protected readonly release: (root: string) => boolean
    ) {}

    /** A page works there until the result is disposed. */
    enter(root: string): Disposable {
        clearTimeout(this.timers.get(root));
        this.timers.delete(root);
        this.counts.set(root, (this.counts.get(root) ?? 0) + 1);
        return Disposable.create(() => this.leave(root));
    }

    has(root: string): boolean {
        return (this.counts.get(root) ?? 0) > 0;
    }

    dispose(): void {
        this.timers.forEach(timer => clearTimeout(timer));
        this.timers.clear();
        this.counts.clear();
    }

    protected leave(root: string): void {
        const rest = (this.counts.get(root) ?? 0) - 1;
        if (rest > 0) {
            this.counts.set(root, rest);
        } else if (this.counts.delete(root)) {
            this.wait(root);
        }
    }

    protected wait(root: string): void {
        const timer = setTimeout(() => {
            this.timers.delete(root);
            if (!this.has(root) && !this.release(root)) {
                this.wait(root);
            }
        }, this.grace());
        timer.unref();
        this.timers.set(root, timer);
    }
}
