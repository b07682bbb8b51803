// SPDX-License-Identifier: Apache-2.0

import { ServerResponse } from 'http';
import { CompanionNotification, OutboundQueue } from './outbound-queue';

/** How long a client has to take the end of its stream, in milliseconds. */
const END_GRACE = 1_000;

/** What {@link OutboundStream} needs to know of a response. */
export type StreamResponse = Pick<ServerResponse, 'writeHead' | 'statusCode' | 'closed' | 'writableNeedDrain' | 'on' | 'once' | 'destroy'>;

export interface OutboundStreamListener {
    opened(): void;
    /** The client has stopped to read. */
    stalled(): void;
    /** It reads again. */
    drained(): void;
    lost(): void;
}

/** The event stream of one session, and what waits for it: there is one at a time, and it comes and goes. */
export class OutboundStream {
    private readonly queue = new OutboundQueue();
    /** The newest one asked for; only that one counts. */
    private requested: StreamResponse | undefined;
    private response: StreamResponse | undefined;
    private sending = false;
    private stalled = false;
    private lastContext: CompanionNotification | undefined;

    /** @param send writes to the stream that is open; the SDK drops what is sent while none is, without an error (1.32.2) */
    constructor(
        private readonly send: (notification: CompanionNotification) => Promise<void>,
        private readonly listener: OutboundStreamListener
    ) {}

    get isOpen(): boolean {
        return this.response !== undefined;
    }

    /** As far as is known: what is sent may still be on its way. */
    get isReading(): boolean {
        return this.isOpen && !this.stalled;
    }

    /**
     * `handleRequest` of a GET settles when the stream ends, and the SDK drops what is sent before it has opened
     * (measured with 1.32.2). The moment between is when the response's head is written.
     */
    expect(response: StreamResponse): void {
        this.requested = response;
        const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
        response.writeHead = (...args: unknown[]): ServerResponse => {
            const result = writeHead(...args);
            if (response.statusCode === 200) {
                setImmediate(() => this.open(response));
            }
            return result;
        };
    }

    /** Nothing is written to the present stream any more: what comes now waits for the next one. */
    detach(): void {
        this.requested = undefined;
        if (this.response) {
            this.response = undefined;
            this.listener.lost();
        }
    }

    /** @returns false where no more can wait */
    push(notification: CompanionNotification): boolean {
        if (notification.method === 'ide/contextUpdate') {
            this.lastContext = notification;
        }
        const taken = this.queue.push(notification);
        void this.flush();
        return taken;
    }

    /** Outcomes that were sent before all that waits, and did not arrive, go first on the next stream. */
    sendAgain(outcomes: readonly CompanionNotification[]): void {
        [...outcomes].reverse().forEach(outcome => this.queue.putBack(outcome));
    }

    /** The outcomes that were not sent yet, taken out. */
    takeOutcomes(): CompanionNotification[] {
        return this.queue.takeOutcomes();
    }

    /** Leaves out the outcomes of one file. */
    forget(filePath: string): void {
        this.queue.forget(filePath);
    }

    /** Forgets what waits. */
    end(): void {
        this.queue.clear();
        const { response } = this;
        this.requested = undefined;
        this.response = undefined;
        if (response) {
            // A client that does not read would never see the end, and keep the connection.
            setTimeout(() => response.destroy(), END_GRACE).unref();
        }
    }

    private open(response: StreamResponse): void {
        if (this.requested !== response || response.closed) {
            return;
        }
        this.response = response;
        this.stalled = false;
        response.on('drain', () => this.drained(response));
        response.once('close', () => this.response === response && this.detach());
        if (this.lastContext) {
            // A CLI whose stream was cut has forgotten the context. It is also the first number that the client gets on this stream.
            this.queue.push(this.lastContext);
        }
        this.listener.opened();
        void this.flush();
    }

    private drained(response: StreamResponse): void {
        if (this.response === response) {
            if (this.stalled) {
                this.stalled = false;
                this.listener.drained();
            }
            void this.flush();
        }
    }

    /** Stops where the client does not read: what is not taken yet stays in our queue, which has a bound, unlike the SDK's. */
    private async flush(): Promise<void> {
        if (this.sending) {
            return;
        }
        this.sending = true;
        try {
            while (this.response && !this.response.writableNeedDrain) {
                const next = this.queue.shift();
                if (!next) {
                    break;
                }
                await this.send(next).catch((error: unknown) => {
                    this.queue.putBack(next);
                    throw error;
                });
            }
        } catch {
            // The session is being closed: the SDK has no other reason to refuse.
        } finally {
            // At once, not in a reaction to this promise: what is added before that would wait for the next one to be added.
            this.sending = false;
        }
        // The SDK hands on what it got in a later microtask.
        setImmediate(() => this.lookWhetherItReads());
    }

    private lookWhetherItReads(): void {
        if (this.response?.writableNeedDrain && !this.stalled) {
            this.stalled = true;
            this.listener.stalled();
        }
    }
}
