// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection, disposableTimeout } from '@theia/core/lib/common/disposable';

export interface SnapshotDebouncerOptions<T> {
    /** Quiet time in milliseconds before a snapshot is sent; the specification recommends 50. */
    delay: number;
    /** Longest time in milliseconds from a change to its snapshot. Without it a held cursor key would delay the snapshot for ever. */
    longestWait: number;
    take(): T;
    send(snapshot: T): void;
}

/** Turns bursts of changes into few snapshots, and drops a snapshot that equals the one sent last. */
export class SnapshotDebouncer<T> implements Disposable {
    protected readonly pending = new DisposableCollection();
    protected firstChange: number | undefined;
    protected lastSent: string | undefined;

    constructor(protected readonly options: SnapshotDebouncerOptions<T>) {}

    changed(): void {
        const { delay, longestWait } = this.options;
        const now = Date.now();
        this.firstChange ??= now;
        this.pending.dispose();
        const remaining = Math.max(0, this.firstChange + longestWait - now);
        this.pending.push(disposableTimeout(() => this.send(), Math.min(delay, remaining)));
    }

    /** Sends soon even if nothing changed: the last snapshot may not have arrived. */
    sendAgain(): void {
        this.lost();
        this.changed();
    }

    /** The last snapshot did not arrive: it is not dropped as a repetition. */
    lost(): void {
        this.lastSent = undefined;
    }

    dispose(): void {
        this.pending.dispose();
    }

    protected send(): void {
        this.firstChange = undefined;
        const snapshot = this.options.take();
        const text = JSON.stringify(snapshot);
        if (text !== this.lastSent) {
            this.lastSent = text;
            this.options.send(snapshot);
        }
    }
}
