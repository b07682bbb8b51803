// SPDX-License-Identifier: Apache-2.0

import type { DaemonPendingPromptSummary, DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { z } from 'zod/v4';
import { EndEvent, SessionEvent } from '../../common/qwen-daemon-protocol';
import { EventLog } from './event-log';
import { EventMapper } from './event-mapper';

/** How turns ended. The daemon keeps it even where the turn's end is not among the events; the client library's types do not know it. */
const withTerminals = z.object({
    promptTerminals: z.array(
        z.object({
            promptId: z.string(),
            terminal: z.string(),
            stopReason: z.string().optional()
        })
    )
});
type PromptTerminal = z.infer<typeof withTerminals>['promptTerminals'][number];

type PendingPrompt = Pick<DaemonPendingPromptSummary, 'promptId' | 'text' | 'state'>;

/** What runs and waits, as the daemon says, also the messages that the running turn has not taken yet. */
export async function pendingPrompts(client: DaemonSessionClient): Promise<PendingPrompt[]> {
    if (!client.hasActivePrompt) {
        return [];
    }
    // What cannot be asked for, the journal alone says.
    const [prompts, { messages }] = await Promise.all([
        client.getPendingPrompts().catch(() => ({ pendingPrompts: [] })),
        client.getMidTurnMessages().catch(() => ({ messages: [] }))
    ]);
    return [...prompts.pendingPrompts, ...messages.map(({ messageId, text }) => ({ promptId: messageId, text, state: 'queued' as const }))];
}

/**
 * Tells what a loaded session brings with it: its history, the running turn so far, and how its turns ended.
 *
 * @param unfinished turns that had no end when the session was lost
 */
export function tellReplay(
    client: DaemonSessionClient,
    mapper: EventMapper,
    log: EventLog,
    unfinished: string[],
    pending: PendingPrompt[]
): void {
    const { compactedReplay, liveJournal } = client.consumeReplaySnapshot();
    mapper.replaying = true;
    // In the order in which things began, which is not that of their ids.
    for (const event of [...compactedReplay, ...liveJournal]) {
        log.append(...mapper.map(event));
    }
    log.append(...settle(client, mapper, unfinished, pending));
    mapper.replaying = false;
    if (client.historyHasMore || client.replayPartial || client.replayDegraded) {
        log.append({ kind: 'notice', notice: { code: 'history-shortened' } });
    }
}

/** Gives every turn of a replay the end that it had: a replay from the daemon's disk holds no ends (Qwen Code 0.24). */
function settle(client: DaemonSessionClient, mapper: EventMapper, unfinished: string[], pending: PendingPrompt[]): SessionEvent[] {
    const { turns } = mapper;
    const terminals = withTerminals.safeParse(client.session).data?.promptTerminals ?? [];
    const endOf = (turnId: string): EndEvent | undefined => {
        const terminal = terminals.findLast(({ promptId }) => promptId === turnId);
        return terminal && asEnd(turnId, terminal);
    };
    const events: SessionEvent[] = [];
    for (const { promptId, text, state } of pending) {
        const queued = state === 'queued';
        const first = turns.begin(promptId, { prompt: mapper.prompt(text), ownClient: false, replaying: true, queued });
        events.push(...[first, queued ? turns.queue(promptId) : undefined].flatMap(event => event ?? []));
    }
    for (const turnId of unfinished) {
        // What the daemon never wrote down before it ended is not in the replay at all.
        const first = turns.begin(turnId, { prompt: '', ownClient: false, replaying: true, queued: true });
        events.push(...(first ? [first, ...mapper.end(endOf(turnId) ?? lost(turnId))] : []));
    }
    const open = turns.open();
    const alive = new Set(pending.map(({ promptId }) => promptId));
    const guess = open.some(turnId => alive.has(turnId)) ? undefined : open.at(-1);
    for (const turnId of open) {
        const known = endOf(turnId);
        const runs = client.hasActivePrompt && (alive.has(turnId) || turnId === guess);
        if (known || !runs) {
            const expected = unfinished.includes(turnId);
            events.push(...mapper.end(known ?? (expected ? lost(turnId) : { kind: 'end', turnId, outcome: 'completed' })));
        }
    }
    return events;
}

function asEnd(turnId: string, { terminal, stopReason }: PromptTerminal): EndEvent {
    switch (terminal) {
        case 'completed':
            return { kind: 'end', turnId, outcome: stopReason === 'cancelled' ? 'cancelled' : 'completed', stopReason };
        case 'error':
            return { kind: 'end', turnId, outcome: 'error', problem: { code: 'model-failed', cause: '' } };
        default:
            return lost(turnId);
    }
}

function lost(turnId: string): EndEvent {
    return { kind: 'end', turnId, outcome: 'lost', problem: { code: 'turn-lost' } };
}
