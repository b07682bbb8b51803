// SPDX-License-Identifier: Apache-2.0

import { Disposable, disposableTimeout } from '@theia/core/lib/common/disposable';

/**
 * Settles as the promise does, and rejects after `limit` milliseconds. Theia's RPC has no time limit, and a call made while the socket is
 * down may never settle.
 *
 * @param whatFailed for the user; left out where nobody reads it
 * @since 0.1
 */
export async function withTimeLimit<T>(promise: Promise<T>, limit: number, whatFailed = 'No answer in time'): Promise<T> {
    let timer: Disposable = Disposable.NULL;
    const expired = new Promise<never>((_, reject) => {
        timer = disposableTimeout(() => reject(new Error(whatFailed)), limit);
    });
    try {
        return await Promise.race([promise, expired]);
    } finally {
        timer.dispose();
    }
}
