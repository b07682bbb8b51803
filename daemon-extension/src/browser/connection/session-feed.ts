// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem } from '../../common/daemon-problem';
import { Answer } from '../../common/daemon-status';
import { EventPosition, SessionEvents } from '../../common/qwen-daemon-protocol';
import { NumberedEvent } from '../../common/session-events';

export interface SessionFeedSink {
    /** @param fromStart the events are all that is known: what they name is to be built anew */
    accept(events: NumberedEvent[], fromStart: boolean): void;
    /** What was missed could not be read; it is tried again with the next event. */
    missed(problem: DaemonProblem): void;
}

/** How many events may wait while the page reads the missed ones. If more come, the page reads once more. */
const WAITING_LIMIT = 500;

/**
 * Brings a session's events into their order, each once. Theia drops messages that the backend sends while the socket is down, so gaps
 * are normal. The page then asks for the events that it missed.
 */
export class SessionFeed {
    protected generation: string | undefined;
    protected seq = 0;
    protected reading = false;
    /** Events that came before the first answer, or while the page reads missed ones. */
    protected waiting: SessionEvents[] = [];
    protected overflow = false;

    constructor(
        protected readonly sink: SessionFeedSink,
        protected readonly read: (position: EventPosition) => Promise<Answer<SessionEvents>>
    ) {}

    /** `undefined` while nothing was received. */
    get position(): EventPosition | undefined {
        return this.generation === undefined ? undefined : { generation: this.generation, seq: this.seq };
    }

    /** The events that came as the answer to a question of the page. */
    start(events: SessionEvents): void {
        this.take(events);
        this.takeWaiting();
    }

    /** The events that the backend sent by itself. */
    push(events: SessionEvents): void {
        if (this.reading || this.generation === undefined) {
            this.wait(events);
        } else {
            this.takeOrRead(events);
        }
    }

    protected wait(events: SessionEvents): void {
        if (this.waiting.length < WAITING_LIMIT) {
            this.waiting.push(events);
        } else {
            this.waiting = [];
            this.overflow = true;
        }
    }

    protected takeWaiting(): void {
        const waiting = this.waiting;
        this.waiting = [];
        if (this.overflow) {
            this.overflow = false;
            void this.readMissed();
            return;
        }
        for (const events of waiting) {
            this.push(events);
        }
    }

    protected takeOrRead(events: SessionEvents): void {
        const sameGeneration = events.generation === this.generation;
        if (sameGeneration && events.lastSeq <= this.seq) {
            return;
        }
        const next = events.events.find(event => event.seq > this.seq);
        if (events.fromStart || (sameGeneration && next?.seq === this.seq + 1)) {
            this.take(events);
        } else {
            void this.readMissed();
        }
    }

    protected take(events: SessionEvents): void {
        const anew = events.fromStart || events.generation !== this.generation;
        const fresh = anew ? events.events : events.events.filter(event => event.seq > this.seq);
        this.seq = anew ? events.lastSeq : Math.max(this.seq, events.lastSeq);
        this.generation = events.generation;
        if (fresh.length || events.fromStart) {
            this.sink.accept(fresh, events.fromStart);
        }
    }

    protected async readMissed(): Promise<void> {
        if (this.generation === undefined) {
            return;
        }
        this.reading = true;
        let problem: DaemonProblem | undefined;
        try {
            const answer = await this.read({ generation: this.generation, seq: this.seq });
            if (answer.ok) {
                this.take(answer.value);
            } else {
                problem = answer.problem;
            }
        } catch (error) {
            problem = { code: 'failed', cause: error instanceof Error ? error.message : String(error) };
        } finally {
            this.reading = false;
        }
        if (problem) {
            // What waits would only show the same gap; the next event of the session tries again.
            this.waiting = [];
            this.overflow = false;
            this.sink.missed(problem);
        } else {
            this.takeWaiting();
        }
    }
}
