// SPDX-License-Identifier: Apache-2.0

import { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { CompanionNotification, ReviewOutcome } from '../server/cli-session';

/** The SDK's name for the stream of a GET (1.32.2). */
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
    /** The notification that {@link shift} gave last: the stream sends one after the other. */
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

    /** Makes a notification that could not be sent the next one again, unless it is a context and there is a newer one. */
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

    /** Notes that everything up to this number has arrived. */
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
