// SPDX-License-Identifier: Apache-2.0

import { Disposable, disposableTimeout } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { Deferred } from '@theia/core/lib/common/promise-util';

/**
 * Settles as the promise does, and rejects after `limit` milliseconds. Theia's RPC has no time limit, and a call made while the socket is
 * down may never settle.
 */
export async function withTimeLimit<T>(promise: Promise<T>, limit: number, whatFailed: string): Promise<T> {
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

/** The connection to the backend, as {@link askAgain} needs it. */
export interface Reconnecting {
    /** The connection is there now. */
    readonly connected: boolean;
    /** Fires when the connection was lost and is there again, and the backend knows this page. */
    readonly onDidRecover: Event<void>;
}

/**
 * Calls the backend, and calls it again each time the connection was lost meanwhile: the call or its answer may be lost. Only for calls
 * that may be made twice. Rejects after `limit` milliseconds.
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
