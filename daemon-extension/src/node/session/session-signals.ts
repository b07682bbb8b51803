// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem } from '../../common/daemon-problem';
import { DaemonEnvelope, payloads } from './event-payloads';

export interface SignalledSession {
    readonly sessionId: string;
    /** The agent process ended, or the whole daemon. */
    died(problem: DaemonProblem, daemonEnds: boolean): void;
    closed(problem: DaemonProblem): void;
    /** The stream has a gap. */
    outOfStep(): void;
    redactError(text: string, limit: number): string;
    debug(message: string): void;
}

/** Handles the daemon's events about the session and its stream, as opposed to a turn. */
export class SessionSignals {
    constructor(protected readonly session: SignalledSession) {}

    /** @returns whether it was one */
    take(event: DaemonEnvelope): boolean {
        switch (event.type) {
            case 'session_died':
                this.died(event);
                return true;
            case 'session_closed':
                if (this.concernsThis(event)) {
                    this.session.closed({ code: 'session-closed' });
                }
                return true;
            case 'state_resync_required':
                this.session.outOfStep();
                return true;
            case 'client_evicted':
            case 'stream_error':
            case 'slow_client_warning':
            case 'replay_complete':
                // If the stream ends, SessionStream opens it again.
                this.session.debug(`Stream: ${event.type}`);
                return true;
            default:
                return false;
        }
    }

    protected died(event: DaemonEnvelope): void {
        if (this.concernsThis(event)) {
            const reason = payloads.sessionEnd.safeParse(event.data).data?.reason;
            const shown = reason && this.session.redactError(reason, 200);
            this.session.died({ code: 'session-died', reason: shown }, reason === 'daemon_shutdown');
        }
    }

    protected concernsThis(event: DaemonEnvelope): boolean {
        return payloads.sessionEnd.safeParse(event.data).data?.sessionId === this.session.sessionId;
    }
}
