// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { DaemonProblem } from '../../common/daemon-problem';
import type { ConnectedDaemon, DaemonConnection } from '../connection/daemon-connection';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';
import { DaemonEnvelope, envelope } from './event-payloads';

/** In milliseconds. */
export const defaultStreamTimings = {
    /** Waits before the stream is opened again; the last one repeats. */
    backoff: [50, 200, 500, 1_000, 2_000, 5_000],
    /** After such a silence the daemon is asked what it does: a half-open connection says nothing. */
    silence: 10_000
};
export type StreamTimings = typeof defaultStreamTimings;

/** More than the default, which a burst overruns even if the reader is fast (Qwen Code 0.24). */
const MAX_QUEUED = 2_048;

/** How often in a row a daemon may refuse the stream while it answers other requests. */
const MAX_REFUSALS = 10;

/** In milliseconds. A connection that lasted longer did not fail. */
const GOOD_LIFE_MS = 10_000;

/** What becomes of a stream. Nothing here waits for a person. */
export interface StreamListener {
    receive(event: DaemonEnvelope): void;
    /** The stream cannot continue: the session must be loaded again. */
    outOfStep(): void;
    lose(problem: DaemonProblem): void;
    /** Whether the daemon is thought to work in the session. While it is not, it is asked nothing. */
    readonly isWorking: boolean;
    /** The daemon has said nothing for a while, and says when asked whether anything runs in the session. */
    silent(works: boolean): void;
    handleMalformed(): void;
}

/** Reads the events of one `DaemonSessionClient` as one stream, without gaps and doubles, over any number of connections. */
export class SessionStream {
    protected readonly abort = new AbortController();
    protected lastId: number;
    protected heard = performance.now();
    protected attempt: AbortController | undefined;
    protected readonly watch: NodeJS.Timeout;

    constructor(
        protected readonly client: DaemonSessionClient,
        protected readonly daemon: ConnectedDaemon,
        protected readonly connection: DaemonConnection,
        protected readonly listener: StreamListener,
        protected readonly timings: StreamTimings
    ) {
        this.lastId = client.lastEventId ?? 0;
        this.watch = setInterval(() => void this.checkSilence(), timings.silence);
        this.watch.unref();
    }

    /** Ends when the stream was stopped, or has told its listener why it ends. */
    async run(): Promise<void> {
        try {
            for (let failures = 0; !this.stopped;) {
                const [lastId, opened] = [this.lastId, performance.now()];
                const refusal = await this.readOnce();
                // A daemon that says hello and nothing else must not be asked twenty times a second.
                failures = this.lastId > lastId || performance.now() - opened > GOOD_LIFE_MS ? 0 : failures + 1;
                if (this.stopped || !(await this.regain(failures, refusal))) {
                    return;
                }
            }
        } finally {
            this.stop();
        }
    }

    stop(): void {
        clearInterval(this.watch);
        this.abort.abort();
    }

    protected get stopped(): boolean {
        return this.abort.signal.aborted;
    }

    /** @returns the error with which the daemon refused it; `undefined` if it did not */
    protected async readOnce(): Promise<unknown> {
        this.attempt = new AbortController();
        try {
            const signal = AbortSignal.any([this.abort.signal, this.attempt.signal]);
            for await (const event of this.client.events({ maxQueued: MAX_QUEUED, signal })) {
                if (this.stopped) {
                    break;
                }
                this.take(event);
            }
        } catch (error) {
            return DaemonError.status(error) === undefined ? undefined : error;
        }
        return undefined;
    }

    protected take(raw: unknown): void {
        this.heard = performance.now();
        const parsed = envelope.safeParse(raw);
        if (!parsed.success) {
            this.listener.handleMalformed();
        } else if (parsed.data.id === undefined || parsed.data.id > this.lastId) {
            // The client library asks again for an event that no other event followed.
            this.lastId = parsed.data.id ?? this.lastId;
            this.listener.receive(parsed.data);
        }
    }

    /** @returns whether the same client can be used again */
    protected async regain(failures: number, refusal: unknown): Promise<boolean> {
        if (DaemonError.isSessionGone(refusal)) {
            this.listener.outOfStep();
            return false;
        }
        await new Promise(resolve => setTimeout(resolve, this.timings.backoff[Math.min(failures, this.timings.backoff.length - 1)]));
        if (this.stopped) {
            return false;
        }
        try {
            this.connection.reportFailure(this.daemon);
            const daemon = await this.connection.connect();
            if (this.stopped) {
                return false;
            }
            if (daemon !== this.daemon) {
                this.listener.outOfStep();
            } else if (this.isFinal(refusal, failures)) {
                this.listener.lose(problemOf(refusal));
            } else {
                return true;
            }
        } catch (error) {
            if (!this.stopped) {
                this.listener.lose(error instanceof DaemonProblemError ? error.problem : { code: 'daemon-lost' });
            }
        }
        return false;
    }

    /** The daemon is there and refuses. An answer that asks for patience gets some, but not for ever. */
    protected isFinal(refusal: unknown, failures: number): boolean {
        const status = DaemonError.status(refusal);
        return status !== undefined && ((status < 500 && status !== 429) || failures >= MAX_REFUSALS);
    }

    protected async checkSilence(): Promise<void> {
        const { heard } = this;
        if (!this.listener.isWorking || performance.now() - heard < this.timings.silence) {
            return;
        }
        try {
            const { hasActivePrompt, activeWorkState } = await this.client.status();
            if (heard === this.heard && !this.stopped) {
                // An agent that is busy, or was suspended with the machine, says "unknown".
                this.listener.silent(hasActivePrompt !== false || (activeWorkState ?? 'idle') !== 'idle');
            }
        } catch (error) {
            // Behind a stream that nobody closed there may be another daemon by now.
            if (DaemonError.isOfConnection(error) || DaemonError.isSessionGone(error)) {
                this.attempt?.abort();
            }
        }
    }
}
