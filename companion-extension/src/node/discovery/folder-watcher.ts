// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';

/** In milliseconds. */
export interface WatchTimings {
    /** Between a change and the report of it; what happens in between is reported with it. */
    readonly debounce: number;
    /** Between two reports that come without a change, for what the system's watcher misses. */
    readonly poll: number;
}

export const DEFAULT_WATCH_TIMINGS: WatchTimings = { debounce: 200, poll: 30_000 };

/** Says that something may have changed in some folders. Keeps no process alive. */
export class FolderWatcher {
    protected readonly watchers = new Map<string, fs.FSWatcher>();
    protected poll: NodeJS.Timeout | undefined;
    protected debounce: NodeJS.Timeout | undefined;
    protected disposed = false;

    constructor(
        protected readonly onChange: () => void,
        protected readonly timings: WatchTimings
    ) {}

    /**
     * Watches these folders and no others, until {@link dispose}; again from the start, since a folder may have been replaced by another of
     * its name.
     *
     * @param files only changes of these paths and of the folders themselves count. Otherwise each of n servers would check again after every
     *   change of the others, since all have their files in the same folders: O(n²)
     */
    watch(folders: Iterable<string>, files?: ReadonlySet<string>): void {
        this.unwatch();
        if (this.disposed) {
            return;
        }
        this.poll ??= setInterval(() => this.onChange(), this.timings.poll).unref();
        for (const folder of new Set(folders)) {
            try {
                const isMeant = (name: string | null): boolean =>
                    !files || name === null || name === path.basename(folder) || files.has(path.join(folder, name));
                const watcher = fs.watch(folder, { persistent: false }, (_, name) => isMeant(name) && this.schedule());
                // Without the watcher there still is the poll.
                watcher.on('error', () => watcher.close());
                this.watchers.set(folder, watcher);
            } catch {
                // A system without watches left, or a folder that could not be made: the poll has to do.
            }
        }
    }

    dispose(): void {
        this.disposed = true;
        clearInterval(this.poll);
        clearTimeout(this.debounce);
        this.unwatch();
    }

    protected unwatch(): void {
        this.watchers.forEach(watcher => watcher.close());
        this.watchers.clear();
    }

    protected schedule(): void {
        if (!this.disposed) {
            this.debounce ??= setTimeout(() => {
                this.debounce = undefined;
                this.onChange();
            }, this.timings.debounce).unref();
        }
    }
}
