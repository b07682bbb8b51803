// SPDX-License-Identifier: Apache-2.0

import { QueueEvent } from '../../common/qwen-daemon-protocol';

const UNNAMED = 'unnamed-';

/**
 * - `waiting`: asked here, and not given to the daemon yet
 * - `sent`: given to the daemon, which has told nothing of it
 * - `running`: the daemon told something of it
 * - `over`
 */
type TurnState = 'waiting' | 'sent' | 'running' | 'over';

/** A turn that the daemon's agent worked on. */
export interface BegunTurn {
    turnId: string;
    /** By the daemon's clock, in milliseconds since the epoch; absent if it did not say. */
    at: number | undefined;
    /** Nobody asked for it, or it began with a slash: it may be none of the prompts that the daemon counts. */
    isCommand: boolean;
    /** Nobody asked for it. */
    isByItself?: boolean;
}

/** The turns of one life of a session. The daemon works on one at a time. */
export class TurnList {
    protected readonly states = new Map<string, TurnState>();
    /** Those that the agent worked on and that the session knows, in their order. */
    history: readonly BegunTurn[] = [];
    protected counter = 0;

    knows(turnId: string): boolean {
        return this.states.has(turnId);
    }

    is(state: TurnState, turnId: string): boolean {
        return this.states.get(turnId) === state;
    }

    isOpen(turnId: string): boolean {
        return this.knows(turnId) && !this.is('over', turnId);
    }

    /** What is asked here, and waits until nothing runs. */
    get waiting(): string[] {
        return this.among('waiting');
    }

    /** The one that the daemon works on. */
    get running(): string | undefined {
        return this.among('running').at(-1);
    }

    /** What the daemon has, as far as it is known. */
    get working(): string[] {
        return this.among('sent', 'running');
    }

    get open(): string[] {
        return this.among('waiting', 'sent', 'running');
    }

    /** @returns whether it is new */
    ask(turnId: string): boolean {
        return this.change(turnId, [undefined], 'waiting');
    }

    /** @returns whether it waited */
    send(turnId: string): boolean {
        return this.change(turnId, ['waiting'], 'sent');
    }

    /** @returns whether nothing of it was told before */
    begin(turnId: string): boolean {
        return this.change(turnId, [undefined, 'waiting', 'sent'], 'running');
    }

    /** @returns whether it was open */
    end(turnId: string): boolean {
        return this.change(turnId, ['waiting', 'sent', 'running'], 'over');
    }

    /**
     * Turns of an earlier life that this one has not named stay as they were.
     *
     * @returns their ids
     */
    adopt(before: TurnList): string[] {
        const unnamed = [...before.states].filter(([turnId, state]) => state !== 'over' && !this.knows(turnId));
        unnamed.forEach(([turnId, state]) => this.states.set(turnId, state));
        return unnamed.map(([turnId]) => turnId);
    }

    noteBegin(turn: BegunTurn): void {
        if (!this.history.some(({ turnId }) => turnId === turn.turnId)) {
            this.history = [...this.history, turn];
        }
    }

    /** This turn and those that came after it, in their order. One that never began may have been taken back; `undefined` if it is not known. */
    since(turnId: string): readonly BegunTurn[] | undefined {
        const index = this.history.findIndex(turn => turn.turnId === turnId);
        if (index >= 0) {
            return this.history.slice(index);
        }
        const asked = [...this.states.keys()];
        const later = asked.slice(asked.indexOf(turnId));
        return this.knows(turnId) ? this.history.filter(turn => later.includes(turn.turnId)) : undefined;
    }

    /** The session forgot it. */
    forget(turnId: string): void {
        this.history = this.history.filter(turn => turn.turnId !== turnId);
    }

    /** For a turn that the daemon gives no id. */
    newId(): string {
        return `${UNNAMED}${++this.counter}`;
    }

    isUnnamed(turnId: string): boolean {
        return turnId.startsWith(UNNAMED);
    }

    /** What to tell if the turns that wait behind another one have changed. */
    queue(): QueueEvent[] {
        const turnIds = this.working.length > 0 ? this.waiting : this.waiting.slice(1);
        return turnIds.length > 0 ? [{ kind: 'queue', turnIds }] : [];
    }

    protected among(...states: TurnState[]): string[] {
        return [...this.states].filter(([, state]) => states.includes(state)).map(([turnId]) => turnId);
    }

    protected change(turnId: string, from: (TurnState | undefined)[], to: TurnState): boolean {
        const changes = from.includes(this.states.get(turnId));
        if (changes) {
            this.states.set(turnId, to);
        }
        return changes;
    }
}
