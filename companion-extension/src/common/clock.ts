// SPDX-License-Identifier: Apache-2.0

/** Time, as far as reviews need it. The fuzz puts a model in its place. @since 0.1 */
export interface Clock {
    /** In milliseconds, from any beginning. It never jumps: people and machines set the wall clock. */
    readonly now: number;
    /** In milliseconds since the epoch. People and machines set it; but it goes on while a device sleeps, and over a reload. */
    readonly wall: number;
    /**
     * Runs it once.
     *
     * @param ms in how many milliseconds
     * @returns takes it back
     */
    after(ms: number, run: () => void): () => void;
}

/** The time of this machine. @since 0.1 */
export class SystemClock implements Clock {
    get now(): number {
        return performance.now();
    }

    get wall(): number {
        return Date.now();
    }

    after(ms: number, run: () => void): () => void {
        const timer = setTimeout(run, ms);
        if (typeof timer === 'object') {
            // A backend may end meanwhile.
            timer.unref();
        }
        return () => clearTimeout(timer);
    }
}
