// SPDX-License-Identifier: Apache-2.0

import { Clock } from '../../common/clock';

/** A spinner draws several hundred in a second; a clock on the screen of a CLI that asks some twenty (Copilot CLI 1.0.102: 700 and 18). */
const BUSY_CHARACTERS = 100;
const SECOND_MS = 1_000;
/** Fewer of them are the start of a program, a resize, or what a reload prints once more. */
const WORKING_SECONDS = 3;
/** What a program writes so soon after a key is its echo. */
const ECHO_MS = 500;
const QUIET_MS = 20_000;

/** Tells from the output of one terminal that its program has worked and writes no more: it may ask something, or be done. */
export class TerminalActivity {
    /** In milliseconds since the epoch: since when it has been quiet after work; `undefined` if it is not. */
    quietSince: number | undefined;
    protected keyAt = -Infinity;
    /** The second that is counted. */
    protected second = { since: -Infinity, characters: 0 };
    /** Of the work that goes on. */
    protected busySeconds = 0;
    protected stopWaiting = (): void => undefined;

    constructor(
        protected readonly clock: Clock,
        protected readonly changed: () => void
    ) {}

    takeOutput(text: string): void {
        const { now } = this.clock;
        if (now - this.keyAt < ECHO_MS) {
            return;
        }
        if (now - this.second.since >= SECOND_MS) {
            this.second = { since: now, characters: 0 };
        }
        const before = this.second.characters;
        this.second.characters += text.length;
        if (before < BUSY_CHARACTERS && this.second.characters >= BUSY_CHARACTERS) {
            this.takeBusySecond();
        }
    }

    /** The user is there, and knows. */
    takeKey(): void {
        this.keyAt = this.clock.now;
        this.end();
    }

    /** It waits for nothing any more, and starts anew. */
    end(): void {
        this.stopWaiting();
        this.busySeconds = 0;
        this.setQuiet(undefined);
    }

    protected takeBusySecond(): void {
        this.stopWaiting();
        this.setQuiet(undefined);
        this.busySeconds++;
        this.stopWaiting = this.clock.after(QUIET_MS, () => {
            const hasWorked = this.busySeconds >= WORKING_SECONDS;
            this.busySeconds = 0;
            this.setQuiet(hasWorked ? Date.now() - QUIET_MS : undefined);
        });
    }

    protected setQuiet(since: number | undefined): void {
        const isNew = since !== this.quietSince;
        this.quietSince = since;
        if (isNew) {
            this.changed();
        }
    }
}
