// SPDX-License-Identifier: Apache-2.0

import { QueueEvent, TurnEvent } from '../../common/qwen-daemon-protocol';

const MAX_OWN = 1_000;

const UNNAMED = 'unnamed-';

/** The prompts that this backend sent to a session. They outlive a reload of the session. */
export class OwnPrompts {
    protected readonly requests = new Map<string, { requestId: string; steers: boolean }>();
    /** The request that is on its way: its whole turn may be over before the daemon's answer says which turn it is. */
    expected: string | undefined;

    /** @param steers it was sent to steer the turn that ran */
    add(turnId: string, requestId: string, steers = false): void {
        this.requests.set(turnId, { requestId, steers });
        if (this.requests.size > MAX_OWN) {
            const [oldest] = this.requests.keys();
            this.requests.delete(oldest);
        }
    }

    requestOf(turnId: string): string | undefined {
        return this.requests.get(turnId)?.requestId;
    }

    forget(turnId: string): void {
        this.requests.delete(turnId);
    }

    steers(turnId: string): boolean {
        return this.requests.get(turnId)?.steers === true;
    }

    turnOf(requestId: string): string | undefined {
        return [...this.requests].find(([, request]) => request.requestId === requestId)?.[0];
    }
}

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

/** The turns of one life of a session, and the order in which they wait. */
export class TurnList {
    /** All that were named, in that order: whether they are open. */
    protected readonly turns = new Map<string, boolean>();
    /** Those that the agent worked on and that the session knows, in their order. */
    history: readonly BegunTurn[] = [];
    protected waiting: string[] = [];
    protected counter = 0;
    /** The turn that an event named last. In a replay, text without a turn's id belongs to it. */
    current: string | undefined;

    constructor(protected readonly own: OwnPrompts) {}

    get running(): string | undefined {
        return this.open().find(turnId => !this.waiting.includes(turnId));
    }

    knows(turnId: string): boolean {
        return this.turns.has(turnId);
    }

    isOpen(turnId: string): boolean {
        return this.turns.get(turnId) === true;
    }

    isQueued(turnId: string): boolean {
        return this.waiting.includes(turnId);
    }

    noteBegin(turn: BegunTurn): void {
        if (!this.history.some(({ turnId }) => turnId === turn.turnId)) {
            this.history = [...this.history, turn];
        }
    }

    /** This turn and those that came after it, in their order; empty if it is not known. */
    since(turnId: string): readonly BegunTurn[] {
        const index = this.history.findIndex(turn => turn.turnId === turnId);
        return index < 0 ? [] : this.history.slice(index);
    }

    /** The session forgot it. */
    forget(turnId: string): void {
        this.history = this.history.filter(turn => turn.turnId !== turnId);
    }

    open(): string[] {
        return [...this.turns.keys()].filter(turnId => this.isOpen(turnId));
    }

    /** How many prompts would be before a new one. */
    get ahead(): number {
        return this.open().length;
    }

    newId(): string {
        return `${UNNAMED}${++this.counter}`;
    }

    /** What comes without a turn's id belongs to none of those before. */
    leave(): void {
        this.current = undefined;
    }

    isUnnamed(turnId: string): boolean {
        return turnId.startsWith(UNNAMED);
    }

    /** Turns that the daemon gave no id; the next turn ends them, if nothing else did. */
    openUnnamed(): string[] {
        return this.open().filter(turnId => this.isUnnamed(turnId));
    }

    /**
     * An event names this turn.
     *
     * @returns its first event, if the turn is new
     */
    begin(
        turnId: string,
        how: { prompt: string; ownClient: boolean; replaying: boolean; byItself?: boolean; queued?: boolean }
    ): TurnEvent | undefined {
        if (!how.queued && !this.waiting.includes(turnId)) {
            this.current = turnId;
        }
        if (this.turns.has(turnId)) {
            return undefined;
        }
        const { prompt, ownClient, replaying, byItself } = how;
        this.turns.set(turnId, true);
        if (ownClient && !byItself && this.own.expected !== undefined && this.own.requestOf(turnId) === undefined) {
            this.own.add(turnId, this.own.expected);
            this.own.expected = undefined;
        }
        const requestId = this.own.requestOf(turnId);
        const origin = requestId !== undefined || ownClient ? 'own' : byItself ? 'qwen' : replaying ? 'history' : 'other';
        return { kind: 'turn', turnId, origin, requestId, prompt };
    }

    /** @returns whether it was open */
    end(turnId: string): boolean {
        const wasOpen = this.isOpen(turnId);
        if (wasOpen) {
            this.turns.set(turnId, false);
        }
        return wasOpen;
    }

    queue(turnId: string): QueueEvent | undefined {
        if (this.waiting.includes(turnId) || !this.isOpen(turnId)) {
            return undefined;
        }
        this.waiting.push(turnId);
        return this.queueEvent();
    }

    unqueue(turnId: string): QueueEvent | undefined {
        if (!this.waiting.includes(turnId)) {
            return undefined;
        }
        this.waiting = this.waiting.filter(id => id !== turnId);
        return this.queueEvent();
    }

    /** Those that wait for the running turn to take them. */
    get steering(): string[] {
        return this.waiting.filter(id => this.own.steers(id));
    }

    protected queueEvent(): QueueEvent {
        return { kind: 'queue', turnIds: [...this.waiting], steering: this.steering };
    }
}
