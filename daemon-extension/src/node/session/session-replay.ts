// SPDX-License-Identifier: Apache-2.0

import type { DaemonPendingPromptSummary, DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { z } from 'zod/v4';
import { EndEvent, SessionEvent } from '../../common/session-events';
import { EventLog } from './event-log';
import { EventMapper } from './event-mapper';

const terminals = z.array(
    z.object({
        promptId: z.string(),
        terminal: z.string(),
        stopReason: z.string().optional(),
        code: z.string().optional()
    })
);
type PromptTerminal = z.infer<typeof terminals>[number];

type PendingPrompt = Pick<DaemonPendingPromptSummary, 'promptId' | 'text' | 'state'>;

/** What a loaded session says about its turns, in addition to its events. */
interface ReplayOutcome {
    /** How turns ended; the daemon keeps it even where the turn's end is not among the events. */
    terminals: PromptTerminal[];
    hasActivePrompt: boolean;
    /** What runs and waits, as the daemon says; empty where nothing runs or it could not be asked. */
    pending: readonly PendingPrompt[];
    /** Turns of the time before that had no end when the session was lost. */
    unfinished: readonly string[];
}

/** What a loaded session brings with it: its history, the running turn so far, and how its turns ended. */
export namespace SessionReplay {
    /**
     * @param before.unfinished turns that had no end when the session was lost
     * @param before.pending what runs and waits, see {@link pendingPrompts}
     */
    export function tell(
        client: DaemonSessionClient,
        mapper: EventMapper,
        log: EventLog,
        before: { unfinished: string[]; pending: PendingPrompt[] }
    ): void {
        const { compactedReplay, liveJournal } = client.consumeReplaySnapshot();
        mapper.replaying = true;
        // In the order in which things began, which is not that of their ids.
        for (const event of [...compactedReplay, ...liveJournal]) {
            log.append(...mapper.map(event));
        }
        const outcome = {
            terminals: terminalsOf(client.session),
            hasActivePrompt: client.hasActivePrompt,
            ...before
        };
        log.append(...settle(mapper, outcome));
        mapper.replaying = false;
        if (client.historyHasMore || client.replayPartial || client.replayDegraded) {
            log.append({ kind: 'notice', notice: { code: 'history-shortened' } });
        }
    }

    /** Also the messages that the running turn has not taken yet. What cannot be asked for, the journal alone says. */
    export async function pendingPrompts(client: DaemonSessionClient): Promise<PendingPrompt[]> {
        if (!client.hasActivePrompt) {
            return [];
        }
        const [prompts, messages] = await Promise.all([
            client.getPendingPrompts().then(
                ({ pendingPrompts: all }) => all,
                () => []
            ),
            client.getMidTurnMessages().then(
                ({ messages: all }) => all,
                () => []
            )
        ]);
        return [...prompts, ...messages.map(({ messageId, text }) => ({ promptId: messageId, text, state: 'queued' as const }))];
    }

    /** @param session the body of the daemon's answer, whose terminals its types do not know */
    function terminalsOf(session: unknown): PromptTerminal[] {
        const parsed = terminals.safeParse((session as { promptTerminals?: unknown } | undefined)?.promptTerminals);
        return parsed.data ?? [];
    }

    /** Gives every turn of a replay the end that it had: a replay from the daemon's disk holds no ends (Qwen Code 0.24). */
    function settle(mapper: EventMapper, outcome: ReplayOutcome): SessionEvent[] {
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
        const alive = new Set(outcome.pending.map(({ promptId }) => promptId));
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
        const terminal = outcome.terminals.findLast(({ promptId }) => promptId === turnId);
        if (!terminal) {
            return undefined;
        }
        switch (terminal.terminal) {
            case 'completed':
                return {
                    kind: 'end',
                    turnId,
                    outcome: terminal.stopReason === 'cancelled' ? 'cancelled' : 'completed',
                    stopReason: terminal.stopReason
                };
            case 'error':
                return { kind: 'end', turnId, outcome: 'error', problem: { code: 'model-failed', cause: '' } };
            default:
                return lost(turnId);
        }
    }

    function lost(turnId: string): EndEvent {
        return { kind: 'end', turnId, outcome: 'lost', problem: { code: 'turn-lost' } };
    }
}
