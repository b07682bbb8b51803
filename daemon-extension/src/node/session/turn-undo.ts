// SPDX-License-Identifier: Apache-2.0

import type { DaemonRewindResult, DaemonRewindSnapshotInfo, DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { UndoneEvent } from '../../common/session-events';
import { DaemonError, DaemonProblemError } from '../connection/daemon-problems';
import { BegunTurn, TurnList } from './turn-list';

type RewoundFiles = Pick<DaemonRewindResult, 'filesChanged' | 'filesFailed'>;

/**
 * Takes turns back, the newest first. The daemon (Qwen Code 0.24) could go back over several at once, but would then leave the files as
 * they are that a later turn was the first to edit.
 */
export namespace TurnUndo {
    /** @param tell called for each turn that is undone */
    export async function undo(
        client: DaemonSessionClient,
        turns: TurnList,
        turnId: string,
        tell: (event: UndoneEvent) => void
    ): Promise<void> {
        if (turns.ahead > 0) {
            throw new DaemonProblemError({ code: 'turn-runs' });
        }
        const steps = plan(turns.since(turnId), (await client.getRewindSnapshots()).snapshots);
        if (!steps) {
            throw new DaemonProblemError({ code: 'no-undo' });
        }
        for (const [index, { turn, promptId }] of steps.entries()) {
            const rewinding: Promise<RewoundFiles> = promptId
                ? client.rewind(promptId, { rewindFiles: true })
                : Promise.resolve({ filesChanged: [], filesFailed: [] });
            const { filesChanged, filesFailed } = await (index === 0 ? untouched(rewinding) : rewinding);
            turns.undo(turn.turnId);
            tell({ kind: 'undone', turnId: turn.turnId, restored: filesChanged, failed: filesFailed });
        }
    }

    /**
     * The daemon names its records of the files by ids of its own, so the turns find them by their times. After an undo it pairs the next
     * turns with the wrong ones, and lists fewer of them than there are turns, or the same id twice. So every turn must have exactly one.
     *
     * @returns what to take back, the newest first; `undefined` if that is not certain
     */
    export function plan(
        undone: readonly BegunTurn[],
        snapshots: readonly Pick<DaemonRewindSnapshotInfo, 'promptId' | 'timestamp'>[]
    ): { turn: BegunTurn; promptId: string | undefined }[] | undefined {
        const steps = undone.map((turn, index) => {
            const next = undone[index + 1];
            const { at } = turn;
            const own =
                at === undefined || (next && next.at === undefined)
                    ? []
                    : snapshots.filter(({ timestamp }) => Date.parse(timestamp) >= at && Date.parse(timestamp) < (next?.at ?? Infinity));
            const isUnique = own.length === 1 && snapshots.filter(({ promptId }) => promptId === own[0].promptId).length === 1;
            return { turn, promptId: isUnique ? own[0].promptId : undefined, isCertain: isUnique || (own.length === 0 && turn.isCommand) };
        });
        return steps.length > 0 && steps[0].promptId && steps.every(({ isCertain }) => isCertain) ? steps.reverse() : undefined;
    }

    /** If this fails, nothing at all was undone. */
    async function untouched<T>(rewinding: Promise<T>): Promise<T> {
        try {
            return await rewinding;
        } catch (error) {
            switch (DaemonError.code(error)) {
                case 'invalid_rewind_target':
                    throw new DaemonProblemError({ code: 'no-undo' });
                case 'session_busy':
                    throw new DaemonProblemError({ code: 'turn-runs' });
                default:
                    throw error;
            }
        }
    }
}
