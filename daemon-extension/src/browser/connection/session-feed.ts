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

/**
 * Brings a session's events into their order, each once. Theia drops messages that the backend sends while the socket is down, so gaps
 * are normal. The page then reads all again, condensed.
 */
export class SessionFeed {
    protected generation: string | undefined;
    protected seq = 0;
    protected reading = false;
    /** The last that came before the first answer, or while the page reads: the answer should hold it. */
    protected heard: SessionEvents | undefined;

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
        const { heard } = this;
        this.heard = undefined;
        if (heard && (heard.generation !== this.generation || heard.lastSeq > this.seq)) {
            void this.readAll();
        }
    }

    /** The events that the backend sent by itself. */
    push(events: SessionEvents): void {
        const isSame = events.generation === this.generation;
        if (this.reading || this.generation === undefined) {
            this.heard = events;
        } else if (isSame && events.events.find(event => event.seq > this.seq)?.seq === this.seq + 1) {
            this.take(events);
        } else if (!isSame || events.lastSeq > this.seq) {
            void this.readAll();
        }
    }

    protected take(events: SessionEvents): void {
        const fresh = events.fromStart ? events.events : events.events.filter(event => event.seq > this.seq);
        this.seq = events.lastSeq;
        this.generation = events.generation;
        if (fresh.length || events.fromStart) {
            this.sink.accept(fresh, events.fromStart);
        }
    }

    protected async readAll(): Promise<void> {
        this.reading = true;
        const answer = await this.read({ generation: this.generation ?? '', seq: this.seq }).catch((error): Answer<SessionEvents> => ({
            ok: false,
            problem: { code: 'failed', cause: error instanceof Error ? error.message : String(error) }
        }));
        this.reading = false;
        if (answer.ok) {
            this.start(answer.value);
        } else {
            // What came meanwhile would only show the same gap; the next event of the session tries again.
            this.heard = undefined;
            this.sink.missed(answer.problem);
        }
    }
}
