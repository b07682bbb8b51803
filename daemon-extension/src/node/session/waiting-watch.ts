// SPDX-License-Identifier: Apache-2.0

import { WaitingEvent } from '../../common/session-events';
import { EventMapper } from './event-mapper';

/**
 * Tells when a running turn has been silent for a while: a model that is busy or unreachable is tried again by the daemon
 * without a word (Qwen Code 0.24). A tool that runs and a question to the user are no such silence. What Qwen does by itself may be over: the
 * daemon says no end of a schedule's turn.
 */
export class WaitingWatch {
    protected heard = Date.now();
    protected told: string | undefined;
    protected readonly timer: NodeJS.Timeout;

    /** @param after milliseconds */
    constructor(
        protected readonly after: number,
        protected readonly session: { readonly mapper: EventMapper; readonly state: string; endIfIdle(turnId: string): Promise<void> },
        protected readonly tell: (event: WaitingEvent) => void
    ) {
        this.timer = setInterval(() => this.look(), Math.max(10, after / 10));
        this.timer.unref();
    }

    touch(): void {
        this.heard = Date.now();
        this.told = undefined;
    }

    dispose(): void {
        clearInterval(this.timer);
    }

    protected look(): void {
        const { turns, permissions, tools } = this.session.mapper;
        const turnId = turns.running;
        const silent = this.session.state === 'live' && Date.now() - this.heard >= this.after;
        if (turnId && silent && turnId !== this.told && permissions.size === 0 && !tools.hasRunning(turnId)) {
            if (turns.isUnnamed(turnId)) {
                // And once more after another such silence.
                this.touch();
                void this.session.endIfIdle(turnId);
            } else {
                this.told = turnId;
                this.tell({ kind: 'waiting', turnId });
            }
        }
    }
}
