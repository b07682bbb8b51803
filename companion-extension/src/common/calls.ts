// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Clock } from './clock';
import { withTimeLimit } from './time-limit';

/** A call without an answer is made again: too early, a text would be sent twice. */
const ANSWER_LIMIT_MS = 10_000;
/** Characters that a line of 1 Mbit/s carries in a millisecond, at three bytes each. A text adds that time. */
const CHARACTERS_PER_MS = 40;
/** A call that fails is made again after this time. It doubles with each failure. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 30_000;

export interface CallOptions<T> {
    make(): Promise<T>;
    /** The first answer. Whatever comes after it is a repetition. */
    reply(answer: T): void;
    /** It has not arrived, or its answer has not: it is made again. @param error none: no answer came in time */
    failed?(error?: Error): void;
    /** Characters that it carries. */
    readonly length?: number;
    /** It is made again only on a new connection. */
    readonly once?: true;
}

interface PendingCall extends CallOptions<unknown> {
    /** How often it was made. */
    attempts: number;
    failures: number;
    /** Cancels the next attempt. */
    cancel(): void;
}

/**
 * The only place that repeats calls to the backend: on each new connection, and until an answer comes. Theia's RPC has no time limit, and loses
 * what is under way when the socket closes. So a call may be made twice, and late.
 * Promised: `ask`, `recover` and `dispose`.
 *
 * @since 0.1
 */
export class Calls implements Disposable {
    protected readonly pending = new Map<string | symbol, PendingCall>();
    protected disposed = false;

    /** @param isConnected whether the socket is open: without it, calls wait for {@link recover} */
    constructor(
        protected readonly clock: Clock,
        protected readonly isConnected: () => boolean
    ) {}

    /** @param key of two calls with the same key, the later one counts */
    call<T>(key: string | symbol, options: CallOptions<T>): void {
        this.drop(key);
        if (!this.disposed) {
            const call: PendingCall = { ...(options as CallOptions<unknown>), attempts: 0, failures: 0, cancel: () => undefined };
            this.pending.set(key, call);
            this.attempt(key, call);
        }
    }

    /** The same for who waits for the answer. Rejects with the call's own error, or after `limitMs`. */
    async ask<T>(make: () => Promise<T>, limitMs: number, whatFailed?: string): Promise<T> {
        const key = Symbol('call');
        const answer = new Promise<T>((reply, reject) =>
            this.call(key, { make, reply, once: true, failed: error => error && this.isConnected() && reject(error) })
        );
        try {
            return await withTimeLimit(answer, limitMs, whatFailed);
        } finally {
            this.drop(key);
        }
    }

    /** True if it was made, so that it may have arrived, and its answer has not come. */
    hasLeft(key: string): boolean {
        return (this.pending.get(key)?.attempts ?? 0) > 0;
    }

    drop(key: string | symbol): void {
        this.pending.get(key)?.cancel();
        this.pending.delete(key);
    }

    /** The connection is a new one: what was under way may be lost. */
    recover(): void {
        [...this.pending].forEach(([key, call]) => this.attempt(key, call));
    }

    dispose(): void {
        this.disposed = true;
        [...this.pending.keys()].forEach(key => this.drop(key));
    }

    protected attempt(key: string | symbol, call: PendingCall): void {
        call.cancel();
        if (!this.isConnected()) {
            return;
        }
        if (!call.once) {
            const limit = ANSWER_LIMIT_MS + (call.length ?? 0) / CHARACTERS_PER_MS;
            call.cancel = this.clock.after(limit, () => {
                call.failed?.();
                this.attempt(key, call);
            });
        }
        const isPending = (): boolean => this.pending.get(key) === call;
        const attempt = ++call.attempts;
        call.make().then(
            answer => {
                if (isPending()) {
                    this.drop(key);
                    call.reply(answer);
                }
            },
            (error: unknown) => {
                // The connection of an earlier attempt may have been lost.
                if (isPending() && attempt === call.attempts) {
                    this.retry(key, call, error instanceof Error ? error : new Error(String(error)));
                }
            }
        );
    }

    protected retry(key: string | symbol, call: PendingCall, error: Error): void {
        call.cancel();
        if (!call.once) {
            const delay = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** call.failures++);
            call.cancel = this.clock.after(delay, () => this.attempt(key, call));
        }
        call.failed?.(error);
    }
}
