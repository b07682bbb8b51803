// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';

/** Time, so that tests need not wait for it. */
export interface Clock {
    /** Milliseconds since the epoch. */
    now(): number;
    /** Runs `run` once after `delay` milliseconds unless it is disposed before. */
    after(delay: number, run: () => void): Disposable;
}

export const systemClock: Clock = {
    now: () => Date.now(),
    after: (delay, run) => {
        const timer = setTimeout(run, delay);
        return Disposable.create(() => clearTimeout(timer));
    }
};

/**
 * Settles as the promise does, and rejects after `limit` milliseconds: Theia's RPC has no time limit of its own, and a call made
 * while the socket is down may never settle.
 */
export async function withTimeLimit<T>(promise: Promise<T>, limit: number, whatFailed: string, clock: Clock = systemClock): Promise<T> {
    let timer: Disposable = Disposable.NULL;
    const expired = new Promise<never>((_, reject) => {
        timer = clock.after(limit, () => reject(new Error(whatFailed)));
    });
    try {
        return await Promise.race([promise, expired]);
    } finally {
        timer.dispose();
    }
}

let lastNumber = 0;
/**
 * A number greater than every one given before, also by an earlier load of this page: snapshots stay in order over a reload,
 * because counting starts at the time.
 */
export function nextSequenceNumber(clock: Clock = systemClock): number {
    lastNumber = Math.max(clock.now(), lastNumber + 1);
    return lastNumber;
}
