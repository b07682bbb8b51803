// SPDX-License-Identifier: Apache-2.0

import { withTimeLimit } from '../window/backend-calls';

/** In milliseconds, for the hello and the text together. */
const LIMITS = {
    /** Theia shows no window before every tab is restored. A review whose tab is given up is opened as soon as the backend lists it. */
    restoring: 3_000,
    /** A page may wait 10 s for the lock of its window before it says hello, and the backend may take 10 s to answer. */
    otherwise: 20_000
} as const;

export interface ReviewReaderOptions {
    readonly connection: {
        /** Settles when the backend knows this window, which may be never. */
        readonly ready: Promise<void>;
        ask<T>(call: () => Promise<T>, limit: number, whatFailed: string): Promise<T>;
    };
    /** Whether Theia restores the layout now. */
    restoring(): boolean;
}

/** Reads from the backend what a diff shows. */
export class ReviewReader {
    /** Both sides are resolved at the same time; what they need crosses the wire once. */
    protected readonly reading = new Map<string, Promise<unknown>>();

    constructor(protected readonly options: ReviewReaderOptions) {}

    /**
     * Rejects where nothing comes in time.
     *
     * @param key what is read; one that is being read is not asked for again
     */
    read<T>(key: string, call: () => Promise<T>, whatFailed: string): Promise<T> {
        let content = this.reading.get(key) as Promise<T> | undefined;
        if (!content) {
            const { connection, restoring } = this.options;
            const limit = restoring() ? LIMITS.restoring : LIMITS.otherwise;
            const answer = connection.ready.then(() => connection.ask(call, limit, whatFailed));
            content = withTimeLimit(answer, limit, whatFailed).finally(() => this.reading.delete(key));
            this.reading.set(key, content);
        }
        return content;
    }
}
