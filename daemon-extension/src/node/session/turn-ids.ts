// SPDX-License-Identifier: Apache-2.0

const MAX_KNOWN = 1_000;

/**
 * Which turn a prompt of the daemon is. A turn that was asked in this IDE has the id of its request, which goes with the prompt and comes
 * back with it, also from the daemon's disk. Any other has the daemon's id.
 */
export class TurnIds {
    protected readonly turns = new Map<string, string>();

    add(promptId: string, turnId: string): void {
        this.turns.set(promptId, turnId);
        if (this.turns.size > MAX_KNOWN) {
            const [oldest] = this.turns.keys();
            this.turns.delete(oldest);
        }
    }

    turnOf(promptId: string): string {
        return this.turns.get(promptId) ?? promptId;
    }

    /** `undefined` if the daemon has named no prompt for it. */
    promptOf(turnId: string): string | undefined {
        return [...this.turns].find(([, known]) => known === turnId)?.[0];
    }
}
