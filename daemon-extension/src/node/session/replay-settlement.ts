// SPDX-License-Identifier: Apache-2.0

import { z } from 'zod/v4';
import { EndEvent, SessionEvent } from '../../common/session-events';
import { DaemonProblems } from '../connection/daemon-problems';
import { EventMapper } from './event-mapper';

const terminals = z.array(
    z.object({
        promptId: z.string(),
        terminal: z.string(),
        stopReason: z.string().optional(),
        code: z.string().optional()
    })
);
export type PromptTerminal = z.infer<typeof terminals>[number];

export interface PendingPrompt {
    promptId: string;
    text: string;
    state: string;
}

/** What a loaded session says of its turns, besides its events. */
export interface ReplayOutcome {
    /** How turns ended; the daemon keeps it even where the turn's end is not among the events. */
    terminals: Map<string, PromptTerminal>;
    /** Turns that the journal of the running turn names. */
    live: ReadonlySet<string>;
    hasActivePrompt: boolean;
    /** What runs and waits, as the daemon says; empty where nothing runs or it could not be asked. */
    pending: readonly PendingPrompt[];
    /** Turns of the time before that had no end when the session was lost. */
    unfinished: readonly string[];
}

/** Gives every turn of a replay the end that it had: a replay from the daemon's disk holds none (Qwen Code 0.24). */
export namespace ReplaySettlement {
    /** @param session the body of the daemon's answer, whose terminals its types do not know */
    export function terminalsOf(session: unknown): Map<string, PromptTerminal> {
        const parsed = terminals.safeParse((session as { promptTerminals?: unknown } | undefined)?.promptTerminals);
        return new Map((parsed.data ?? []).map(terminal => [terminal.promptId, terminal]));
    }

    export function settle(mapper: EventMapper, outcome: ReplayOutcome): SessionEvent[] {
        const { turns } = mapper;
        const events: SessionEvent[] = [];
        for (const { promptId, text, state } of outcome.pending) {
            const queued = state === 'queued';
            const first = turns.begin(promptId, {
                prompt: mapper.prompt(text),
                ownClient: false,
                replaying: true,
                queued
            });
            events.push(...[first, queued ? turns.queue(promptId) : undefined].flatMap(event => event ?? []));
        }
        for (const turnId of outcome.unfinished) {
            // What the daemon never wrote down before it ended is not in the replay at all.
            const first = turns.begin(turnId, { prompt: '', ownClient: false, replaying: true, queued: true });
            events.push(...(first ? [first, ...mapper.end(endOf(turnId, outcome) ?? lost(turnId))] : []));
        }
        const open = turns.open();
        const alive = new Set([...outcome.live, ...outcome.pending.map(({ promptId }) => promptId)]);
        const guess = open.some(turnId => alive.has(turnId)) ? undefined : open.at(-1);
        for (const turnId of open) {
            const known = endOf(turnId, outcome);
            const runs = outcome.hasActivePrompt && (alive.has(turnId) || turnId === guess);
            if (known || !runs) {
                const expected = outcome.unfinished.includes(turnId);
                events.push(...mapper.end(known ?? (expected ? lost(turnId) : { kind: 'end', turnId, outcome: 'completed' })));
            }
        }
        return events;
    }

    function endOf(turnId: string, outcome: ReplayOutcome): EndEvent | undefined {
        const terminal = outcome.terminals.get(turnId);
        if (!terminal) {
            return undefined;
        }
        const { stopReason } = terminal;
        switch (terminal.terminal) {
            case 'completed':
                return { kind: 'end', turnId, outcome: stopReason === 'cancelled' ? 'cancelled' : 'completed', stopReason };
            case 'error':
                return {
                    kind: 'end',
                    turnId,
                    outcome: 'error',
                    problem: { code: 'model-failed', message: 'The turn ended with an error.' }
                };
            default:
                return lost(turnId);
        }
    }

    function lost(turnId: string): EndEvent {
        return { kind: 'end', turnId, outcome: 'lost', problem: DaemonProblems.turnLost() };
    }
}
