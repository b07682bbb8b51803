// SPDX-License-Identifier: Apache-2.0

import { ClientMessage } from './soak-messages';

/** A diff must have its outcome after so many milliseconds: the client closes it after 5 s. */
const PATIENCE = 15_000;

/** Records how each diff ended. */
export class SoakAccount {
    readonly counts = { opened: 0, accepted: 0, rejected: 0, closed: 0, abandoned: 0, contexts: 0 };
    readonly faults: string[] = [];
    private readonly open = new Map<string, { client: number; since: number }>();
    private readonly settled = new Set<string>();

    take(client: number, message: ClientMessage): void {
        switch (message.kind) {
            case 'opened':
                this.counts.opened++;
                this.open.set(message.file, { client, since: Date.now() });
                break;
            case 'outcome':
                this.settle(client, message);
                break;
            case 'context':
                this.counts.contexts += message.updates;
                if (Date.now() - message.newest > 5_000) {
                    this.fault(`context of ${Date.now() - message.newest} ms ago`);
                }
                break;
            case 'error':
                this.fault(`client ${client}: ${message.message}`);
                break;
        }
    }

    /** A client was killed: its outcomes are no longer expected. */
    abandon(client: number): void {
        for (const [file, diff] of this.open) {
            if (diff.client === client) {
                this.open.delete(file);
                this.counts.abandoned++;
            }
        }
    }

    /** Diffs whose outcome should have come. */
    checkLost(): void {
        for (const [file, { since }] of this.open) {
            if (Date.now() - since > PATIENCE) {
                this.open.delete(file);
                this.fault('a diff without an outcome');
            }
        }
    }

    get waiting(): number {
        return this.open.size;
    }

    private settle(client: number, { file, how, wrong }: ClientMessage & { kind: 'outcome' }): void {
        const diff = this.open.get(file);
        if (this.settled.has(file)) {
            this.fault(`a second outcome: ${how}`);
        } else if (diff?.client !== client) {
            this.fault(`an outcome for a diff that this client did not open: ${how}`);
        } else if (wrong) {
            this.fault(`wrong content: ${how}`);
        }
        this.open.delete(file);
        this.settled.add(file);
        this.counts[how]++;
    }

    private fault(text: string): void {
        this.faults.push(`${new Date().toISOString()} ${text}`);
    }
}
