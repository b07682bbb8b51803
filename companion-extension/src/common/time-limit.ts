// SPDX-License-Identifier: Apache-2.0

import { Disposable, disposableTimeout } from '@theia/core/lib/common/disposable';

/** A process or page that stood still for long finds one slice over, not all: answers that came meanwhile are taken first. */
const SLICES = 4;

/** Calls once, `limit` milliseconds later. @returns ends the wait */
export function afterLimit(limit: number, expire: () => void): Disposable {
    let timer = Disposable.NULL;
    const wait = (slices: number): void => {
        timer = disposableTimeout(() => (slices > 1 ? wait(slices - 1) : expire()), limit / SLICES);
    };
    wait(SLICES);
    return Disposable.create(() => timer.dispose());
}

/**
 * Settles as the promise does, and rejects after `limit` milliseconds. Theia's RPC has no time limit, and a call made while the socket is
 * down may never settle.
 *
 * @param whatFailed for the user; left out where nobody reads it
 * @since 0.1
 */
export async function withTimeLimit<T>(promise: Promise<T>, limit: number, whatFailed = 'No answer in time'): Promise<T> {
    let waiting = Disposable.NULL;
    const expired = new Promise<never>((_, reject) => {
        waiting = afterLimit(limit, () => reject(new Error(whatFailed)));
    });
    try {
        return await Promise.race([promise, expired]);
    } finally {
        waiting.dispose();
    }
}
