// SPDX-License-Identifier: Apache-2.0

import { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { ServerResponse } from 'http';
import { ReviewOutcome } from '../review/review';
import { CompanionNotification } from './cli-session';

/** As the SDK names the stream of a GET (1.32.2). */
const STANDALONE_STREAM = '_GET_stream';

interface SentOutcome {
    readonly number: number;
    readonly message: JSONRPCMessage;
    readonly outcome: ReviewOutcome;
}

/**
 * What a session still owes its CLI: notifications that wait for the stream, and outcomes that were sent and are not known to have
 * arrived. Only the newest context counts. Outcomes keep their order, because a CLI waits for each without a limit.
 *
 * The SDK silently drops a notification while no stream is open, and what is written to a dead stream is lost without an error. So
 * notifications are numbered as they are sent. A CLI that opens its stream again says the last number that it got
 * (Gemini CLI 0.61, Qwen Code 0.24) and gets the outcomes behind it. It says none if it received nothing before the stream broke.
 * Every stream gets the newest context anyway.
 */
export class Outbox implements EventStore {
    /** The newest. */
    protected context: CompanionNotification | undefined;
    /** {@link context} waits. */
    protected contextWaits = false;
    protected readonly waiting: ReviewOutcome[] = [];
    protected sent: readonly SentOutcome[] = [];
    /** What {@link shift} gave last: the stream sends one after the other. */
    protected sending: ReviewOutcome | undefined;
    protected count = 0;

    /**
     * @param maxOutcomes that have not arrived. A CLI shows one diff at a time: more than a few mean that it has stopped listening
     * @param maxCharacters of their contents; a single one of any size is taken
     */
    constructor(
        protected readonly maxOutcomes = 256,
        protected readonly maxCharacters = 64 * 1024 * 1024
    ) {}

    /** @returns false if the bound is reached: the notification is not taken */
    push(notification: CompanionNotification): boolean {
        if (notification.method === 'ide/contextUpdate') {
            this.context = notification;
            this.contextWaits = true;
            return true;
        }
        const owed = [...this.waiting, ...this.sent.map(({ outcome }) => outcome)];
        const size = owed.reduce((sum, outcome) => sum + sizeOf(outcome), sizeOf(notification));
        if (owed.length > 0 && (owed.length >= this.maxOutcomes || size > this.maxCharacters)) {
            return false;
        }
        this.waiting.push(notification);
        return true;
    }

    /** The next one to send, context first, taken out. */
    shift(): CompanionNotification | undefined {
        if (this.contextWaits) {
            this.contextWaits = false;
            return this.context;
        }
        this.sending = this.waiting.shift();
        return this.sending;
    }

    /** What {@link shift} returned but could not be sent is the next one again, unless it is a context and there is a newer one. */
    putBack(notification: CompanionNotification): void {
        if (notification.method === 'ide/contextUpdate') {
            this.contextWaits = true;
        } else {
            this.waiting.unshift(notification);
        }
    }

    /** The newest context waits again, if there is one. */
    sendContextAgain(): void {
        this.contextWaits = this.context !== undefined;
    }

    /** The outcomes that are not known to have arrived wait again, before all others. They get new numbers. */
    sendAgain(): void {
        [...this.takeSent()].reverse().forEach(outcome => this.putBack(outcome));
    }

    /** The outcomes that are not known to have arrived, sent or not, taken out. */
    takeUndelivered(): ReviewOutcome[] {
        return [...this.takeSent(), ...this.takeWaiting()];
    }

    /** Leaves out the outcomes of one file. */
    forget(filePath: string): void {
        this.takeWaiting()
            .filter(({ params }) => params.filePath !== filePath)
            .forEach(outcome => this.push(outcome));
        this.sent = this.sent.filter(({ outcome }) => outcome.params.filePath !== filePath);
    }

    /** Forgets what waits. */
    clear(): void {
        this.contextWaits = false;
        this.takeWaiting();
    }

    /** The number of the last outcome that was sent and is not known to have arrived. */
    get newestSent(): number | undefined {
        return this.sent.at(-1)?.number;
    }

    /** What was sent up to this number has arrived. */
    confirm(number: number): void {
        this.sent = this.sent.filter(outcome => outcome.number > number);
    }

    /** For the SDK: numbers what it sends. */
    async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
        if (streamId !== STANDALONE_STREAM) {
            // The answer to a POST has no number: nothing of it is sent again.
            return '';
        }
        const number = ++this.count;
        const outcome = this.sending;
        if (outcome && 'method' in message && message.method === outcome.method) {
            this.sending = undefined;
            this.sent = [...this.sent, { number, message, outcome }];
        }
        return String(number);
    }

    /** For the SDK: sends again what a client has not got. */
    async replayEventsAfter(
        lastEventId: string,
        { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> }
    ): Promise<string> {
        const last = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
        // A number that was never given says nothing of what has arrived. A second outcome is harmless: the CLI finds it by its path.
        this.confirm(last <= this.count ? last : 0);
        for (const { number, message } of this.sent) {
            await send(String(number), message);
        }
        return STANDALONE_STREAM;
    }

    protected takeSent(): ReviewOutcome[] {
        const sent = this.sent.map(({ outcome }) => outcome);
        this.sent = [];
        return sent;
    }

    protected takeWaiting(): ReviewOutcome[] {
        return this.waiting.splice(0);
    }
}

function sizeOf(outcome: ReviewOutcome): number {
    return outcome.method === 'ide/diffAccepted' ? outcome.params.content.length : 0;
}

/** How long a client has to take the end of its stream, in milliseconds. */
const END_GRACE = 1_000;

/** What {@link OutboundStream} needs to know of a response. */
export type StreamResponse = Pick<ServerResponse, 'closed' | 'writableNeedDrain' | 'on' | 'once' | 'destroy'>;

export interface OutboundStreamListener {
    opened(): void;
    /** The client has stopped to read. */
    stalled(): void;
    /** It reads again. */
    drained(): void;
    lost(): void;
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

    /** As far as is known: what is sent may still be on its way. */
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
        response.on('drain', () => this.drained(response));
        response.once('close', () => this.response === response && this.detach());
        // A CLI whose stream was cut has forgotten the context. It is also the first number that the client gets on this stream.
        this.outbox.sendContextAgain();
        this.listener.opened();
        void this.flush();
    }

    /** Nothing more is written to the current stream: what comes now waits for the next one. */
    detach(): void {
        this.requested = undefined;
        if (this.response) {
            this.response = undefined;
            this.listener.lost();
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
            setTimeout(() => response.destroy(), END_GRACE).unref();
        }
    }

    protected drained(response: StreamResponse): void {
        if (this.response === response) {
            if (this.stalled) {
                this.stalled = false;
                this.listener.drained();
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
            // At once, not in a reaction to this promise: what is added before that would wait for the next one to be added.
            this.sending = false;
        }
        // The SDK hands on what it got in a later microtask.
        setImmediate(() => this.lookWhetherItReads());
    }

    protected lookWhetherItReads(): void {
        if (this.response?.writableNeedDrain && !this.stalled) {
            this.stalled = true;
            this.listener.stalled();
        }
    }
}
