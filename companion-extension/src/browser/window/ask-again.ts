// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { withTimeLimit } from '../clock';

/** What is needed to know of the connection to the backend. */
export interface Reconnecting {
    /** Whether it is there now. */
    readonly connected: boolean;
    /** It was lost and is there again, and the backend knows this page. */
    readonly onDidRecover: Event<void>;
}

/**
 * Calls the backend, and once more each time when the connection was lost meanwhile: the first call may have got lost, or its answer.
 * For calls that may be made twice. Rejects after `limit` milliseconds.
 */
export async function askAgain<T>(connection: Reconnecting, call: () => Promise<T>, limit: number, whatFailed: string): Promise<T> {
    const answer = new Deferred<T>();
    let newest: symbol;
    const attempt = (): void => {
        const current = (newest = Symbol('attempt'));
        call().then(answer.resolve, error => {
            if (current === newest && connection.connected) {
                answer.reject(error);
            }
        });
    };
    const listening = connection.onDidRecover(attempt);
    try {
        attempt();
        return await withTimeLimit(answer.promise, limit, whatFailed);
    } finally {
        listening.dispose();
    }
}
