// SPDX-License-Identifier: Apache-2.0

import { ServerResponse } from 'http';
import { CompanionNotification } from '../server/cli-session';
import { Outbox } from './outbox';

/** How long a client has to take the end of its stream. */
const END_GRACE_MS = 1_000;

/** A response, as far as {@link OutboundStream} needs it. */
export type StreamResponse = Pick<ServerResponse, 'closed' | 'writableNeedDrain' | 'on' | 'once' | 'destroy'>;

interface OutboundStreamListener {
    handleOpened(): void;
    /** The client has stopped to read. */
    handleStalled(): void;
    /** It reads again. */
    handleDrained(): void;
    handleLost(): void;
}

/** The event stream of one session: empties the outbox as fast as the client reads. There is at most one at a time. */
export class OutboundStream {
    /** The newest one asked for; only that one counts. */
    protected requested: StreamResponse | undefined;
    protected response: StreamResponse | undefined;
    protected sending = false;
    protected stalled = false;

    /** @param send writes to the stream that is open; the SDK drops what is sent while none is, without an error (1.32.2) */
    constructor(
        protected readonly outbox: Outbox,
        protected readonly send: (notification: CompanionNotification) => Promise<void>,
        protected readonly listener: OutboundStreamListener
    ) {}

    get isOpen(): boolean {
        return this.response !== undefined;
    }

    /** Whether the client reads, as far as is known: what is sent may still be on its way. */
    get isReading(): boolean {
        return this.isOpen && !this.stalled;
    }

    /** This response becomes the stream once {@link open} says so, unless another one is asked for before. */
    expect(response: StreamResponse): void {
        this.requested = response;
    }

    /** The SDK writes to this response from now on; before, it dropped what was sent. */
    open(response: StreamResponse): void {
        if (this.requested !== response || response.closed) {
            return;
        }
        this.response = response;
        this.stalled = false;
        response.on('drain', () => this.handleDrain(response));
        response.once('close', () => this.response === response && this.detach());
        // A CLI whose stream was cut has forgotten the context. It is also the first number that the client gets on this stream.
        this.outbox.sendContextAgain();
        this.listener.handleOpened();
        void this.flush();
    }

    /** Nothing more is written to the current stream: what comes now waits for the next one. */
    detach(): void {
        this.requested = undefined;
        if (this.response) {
            this.response = undefined;
            this.listener.handleLost();
        }
    }

    /** @returns false if no more can wait */
    push(notification: CompanionNotification): boolean {
        const taken = this.outbox.push(notification);
        void this.flush();
        return taken;
    }

    /** Forgets what waits. */
    end(): void {
        this.outbox.clear();
        const { response } = this;
        this.requested = undefined;
        this.response = undefined;
        if (response) {
            // A client that does not read would never see the end, and keep the connection.
            setTimeout(() => response.destroy(), END_GRACE_MS).unref();
        }
    }

    protected handleDrain(response: StreamResponse): void {
        if (this.response === response) {
            if (this.stalled) {
                this.stalled = false;
                this.listener.handleDrained();
            }
            void this.flush();
        }
    }

    /** Stops if the client does not read: what is not taken yet stays in the outbox, which has a bound, unlike the SDK's queue. */
    protected async flush(): Promise<void> {
        if (this.sending) {
            return;
        }
        this.sending = true;
        try {
            while (this.response && !this.response.writableNeedDrain) {
                const next = this.outbox.shift();
                if (!next) {
                    break;
                }
                await this.send(next).catch((error: unknown) => {
                    this.outbox.putBack(next);
                    throw error;
                });
            }
        } catch {
            // The session is being closed: the SDK has no other reason to refuse.
        } finally {
            // Reset synchronously; otherwise an item pushed before the next microtask would not be flushed.
            this.sending = false;
        }
        // The SDK hands on what it got in a later microtask.
        setImmediate(() => this.lookWhetherItReads());
    }

    protected lookWhetherItReads(): void {
        if (this.response?.writableNeedDrain && !this.stalled) {
            this.stalled = true;
            this.listener.handleStalled();
        }
    }
}
