// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { withTimeLimit } from '../../common/time-limit';

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

/** In milliseconds, for the hello and the text together. */
const READ_LIMITS = {
    /** Theia shows no window before every tab is restored. If a tab is given up, its review opens as soon as the backend lists it. */
    restoring: 3_000,
    /** The backend may take 10 s to answer the hello. */
    otherwise: 20_000
} as const;

export interface BackendReaderOptions {
    readonly connection: {
        /** Resolves when the backend knows this window. It may never settle. */
        readonly ready: Promise<void>;
        ask<T>(call: () => Promise<T>, limit: number, whatFailed: string): Promise<T>;
    };
    /** Theia restores the layout now. */
    restoring(): boolean;
}

/** Reads from the backend what a diff shows, also before the first hello. */
export class BackendReader {
    /** Both sides of a diff are resolved at the same time. What they need crosses the wire once. */
    protected readonly reading = new Map<string, Promise<unknown>>();

    constructor(protected readonly options: BackendReaderOptions) {}

    /**
     * Rejects if nothing comes in time.
     *
     * @param key what is read; while it is being read, others with the same key get the same answer
     */
    read<T>(key: string, call: () => Promise<T>, whatFailed: string): Promise<T> {
        let content = this.reading.get(key) as Promise<T> | undefined;
        if (!content) {
            const { connection, restoring } = this.options;
            const limit = restoring() ? READ_LIMITS.restoring : READ_LIMITS.otherwise;
            const answer = connection.ready.then(() => connection.ask(call, limit, whatFailed));
            content = withTimeLimit(answer, limit, whatFailed).finally(() => this.reading.delete(key));
            this.reading.set(key, content);
        }
        return content;
    }
}

export function noAnswerText(): string {
    return nls.localize('theia/cli-companion/review/noAnswer', 'The backend does not answer.');
}
