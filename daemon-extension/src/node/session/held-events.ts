// SPDX-License-Identifier: Apache-2.0

import { DaemonEnvelope } from './event-payloads';

/** More than that is not held back. */
const MAX_HELD = 1_000;

/**
 * Holds events of turns back that nobody knows yet while a prompt is being handed over: a whole turn may be over before the
 * daemon's answer to the prompt says that it is ours. What is held keeps its order.
 */
export class HeldEvents {
    protected held: DaemonEnvelope[] = [];

    constructor(protected readonly tell: (event: DaemonEnvelope) => void) {}

    /** @param hold whether it may be of the prompt that is on its way */
    take(event: DaemonEnvelope, hold: boolean): void {
        if (hold && this.held.length < MAX_HELD) {
            this.held.push(event);
            return;
        }
        if (hold) {
            this.release();
        }
        this.tell(event);
    }

    release(): void {
        const held = this.held;
        this.held = [];
        held.forEach(event => this.tell(event));
    }

    forget(): void {
        this.held = [];
    }
}
