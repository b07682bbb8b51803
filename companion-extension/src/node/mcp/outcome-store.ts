// SPDX-License-Identifier: Apache-2.0

import { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { CompanionNotification, isOutcomeOf } from './outbound-queue';

/** As the SDK names the stream of a GET (1.32.2). */
const STANDALONE_STREAM = '_GET_stream';

/** A CLI shows one diff at a time: what it has not got are one outcome or two. */
const MAX_OUTCOMES = 4;

interface SentOutcome {
    readonly number: number;
    readonly message: JSONRPCMessage & CompanionNotification;
}

/**
 * Numbers what is sent on a session's stream, and keeps the last outcomes until they are known to have arrived: what is written to a stream that is dead already, and
 * whose end is not known yet, is lost without an error. A CLI that opens its stream again says the last number that it got
 * (Gemini CLI 0.61, Qwen Code 0.24), and gets the outcomes behind it. Of the context every stream gets the newest one anyway.
 * It says none where nothing at all arrived on the stream that it lost, whatever came on those before.
 */
export class OutcomeStore implements EventStore {
    private count = 0;
    private outcomes: readonly SentOutcome[] = [];

    async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
        if (streamId !== STANDALONE_STREAM) {
            // The answer to a POST has no number: nothing of it is sent again.
            return '';
        }
        const number = ++this.count;
        if (isOutcome(message)) {
            this.outcomes = [...this.outcomes, { number, message }].slice(-MAX_OUTCOMES);
        }
        return String(number);
    }

    /** The number of the last outcome that is not known to have arrived. */
    get newestOutcome(): number | undefined {
        return this.outcomes.at(-1)?.number;
    }

    /** What was sent up to this number has arrived. */
    confirm(number: number): void {
        this.outcomes = this.outcomes.filter(outcome => outcome.number > number);
    }

    /** The outcomes that are not known to have arrived, in their order, taken out: they are to be sent with new numbers. */
    takeUnconfirmed(): CompanionNotification[] {
        const unconfirmed = this.outcomes.map(({ message }) => message);
        this.outcomes = [];
        return unconfirmed;
    }

    /** Leaves out the outcomes of one file. */
    forget(filePath: string): void {
        this.outcomes = this.outcomes.filter(({ message }) => !('params' in message && isOutcomeOf(filePath, message.params)));
    }

    async replayEventsAfter(
        lastEventId: string,
        { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> }
    ): Promise<string> {
        this.confirm(/^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : this.count);
        for (const { number, message } of this.outcomes) {
            await send(String(number), message);
        }
        return STANDALONE_STREAM;
    }
}

function isOutcome(message: JSONRPCMessage): message is JSONRPCMessage & CompanionNotification {
    return 'method' in message && ['ide/diffAccepted', 'ide/diffRejected'].includes(message.method);
}
