// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { ActiveAgent } from './active-agent-contribution';
import { Turn } from './turn-records';

/** An agent that does not say what it does rests when for so long neither its terminal nor a file was written. */
const REST_MS = 20_000;
const MAX_TOPIC_CHARACTERS = 120;

/** Times are as `performance.now` counts. */
interface ClockedTurn {
    readonly id: string;
    /** In milliseconds since the epoch. */
    readonly startedAt: number;
    readonly beganAt: number;
    readonly agents: Set<string>;
    topic: string | undefined;
    /** When its agents wrote last, in a terminal or a file. */
    activeAt: number;
    /** Absent while it lasts. */
    endedAt?: number;
}

/**
 * Tells turns of agents apart: one begins when an agent says that it works, or writes a file after a rest, and ends when all its agents wait,
 * are done, or rest. A question for a permission is in the middle of one. Agents that work at the same time share one.
 */
export class TurnClock {
    protected turn: ClockedTurn | undefined;

    constructor(
        protected readonly agents: () => readonly ActiveAgent[],
        protected readonly now: () => number = () => performance.now()
    ) {}

    /** Agents have come, gone, or said something; or time has passed. */
    note(): void {
        const [agents, now] = [this.agents(), this.now()];
        const working = agents.filter(({ isWorking }) => isWorking);
        const { turn: last } = this;
        if (last && last.endedAt === undefined && working.length === 0) {
            this.turn = this.afterWork(last, agents, now);
        }
        if (working.length > 0) {
            const turn = this.turn?.endedAt === undefined && this.turn ? this.turn : this.begin(now);
            this.join(turn, working);
            turn.activeAt = now;
        }
    }

    /**
     * The turn of what a look has found.
     *
     * @param worked the agents that may have written it
     * @param lookedAt when the look before began: what it saw belongs to no later turn
     */
    turnOf(worked: readonly string[], lookedAt: number): Turn | undefined {
        this.note();
        const now = this.now();
        if (this.turn?.endedAt !== undefined && this.turn.endedAt < lookedAt) {
            this.turn = undefined;
        }
        const agents = this.agents().filter(({ name }) => worked.includes(name));
        if (!this.turn && worked.length > 0) {
            const turn = this.begin(now);
            worked.forEach(name => turn.agents.add(name));
            this.join(turn, agents);
        }
        const { turn } = this;
        if (turn && turn.endedAt === undefined) {
            // One that does not say what it does works if its terminal says something.
            this.join(
                turn,
                agents.filter(({ isWorking, wroteAt = -Infinity }) => isWorking === undefined && wroteAt >= turn.beganAt)
            );
            turn.activeAt = now;
        }
        return (
            turn && {
                id: turn.id,
                startedAt: turn.startedAt,
                agents: [...turn.agents],
                ...(turn.topic !== undefined && { prompt: turn.topic })
            }
        );
    }

    /** Nobody says any more that it works. @returns `undefined` if there was a rest: what was written before it was seen */
    protected afterWork(turn: ClockedTurn, agents: readonly ActiveAgent[], now: number): ClockedTurn | undefined {
        const silent = agents.filter(({ name, isWorking }) => turn.agents.has(name) && isWorking === undefined);
        const activeAt = Math.max(turn.activeAt, ...silent.map(({ wroteAt = -Infinity }) => wroteAt));
        if (silent.length === 0) {
            return { ...turn, endedAt: now };
        }
        // Nobody may have asked for a while.
        const hasRested = activeAt - turn.activeAt >= REST_MS || now - activeAt >= REST_MS;
        return hasRested ? undefined : { ...turn, activeAt };
    }

    protected begin(now: number): ClockedTurn {
        return (this.turn = { id: randomUUID(), startedAt: Date.now(), beganAt: now, agents: new Set(), topic: undefined, activeAt: now });
    }

    protected join(turn: ClockedTurn, agents: readonly ActiveAgent[]): void {
        agents.forEach(({ name }) => turn.agents.add(name));
        turn.topic = agents.find(({ topic }) => topic)?.topic?.slice(0, MAX_TOPIC_CHARACTERS) ?? turn.topic;
    }
}
