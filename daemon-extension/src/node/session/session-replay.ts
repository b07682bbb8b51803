// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { EventLog } from './event-log';
import { EventMapper } from './event-mapper';
import { PendingPrompt, ReplaySettlement } from './replay-settlement';

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
            terminals: ReplaySettlement.terminalsOf(client.session),
            live: new Set(liveJournal.flatMap(({ promptId }) => promptId ?? [])),
            hasActivePrompt: client.hasActivePrompt,
            ...before
        };
        log.append(...ReplaySettlement.settle(mapper, outcome));
        mapper.replaying = false;
        if (client.historyHasMore || client.replayPartial || client.replayDegraded) {
            log.append({ kind: 'notice', message: "Parts of this session's history could not be read and are not shown." });
        }
    }

    export async function pendingPrompts(client: DaemonSessionClient): Promise<PendingPrompt[]> {
        try {
            return client.hasActivePrompt ? (await client.getPendingPrompts()).pendingPrompts : [];
        } catch {
            // Then the journal alone says what runs.
            return [];
        }
    }
}
