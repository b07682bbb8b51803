// SPDX-License-Identifier: Apache-2.0

import { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { DaemonError, DaemonProblemError } from '../connection/daemon-problems';
import { BegunTurn, TurnList } from './turn-list';

/**
 * Lets a session forget a turn and all that came after it. Files stay as they are: the daemon (Qwen Code 0.24) would take every file back that
 * a tool edited in the whole session, and delete those that were not there then, also where they are the user's own by now.
 *
 * @returns what it forgot
 */
export async function rewindSession(client: DaemonSessionClient, turns: TurnList, turnId: string): Promise<string[]> {
    const forgotten = turns.since(turnId);
    if (forgotten?.length === 0 && !turns.isOpen(turnId)) {
        return [];
    }
    const target = forgotten && turns.open.length === 0 ? await targetOf(client, turns, forgotten) : undefined;
    if (!forgotten || target === undefined) {
        throw new DaemonProblemError({ code: 'invalid' });
    }
    try {
        await client.rewind(target, { rewindFiles: false });
    } catch (error) {
        const isRefused = ['invalid_rewind_target', 'session_busy'].includes(DaemonError.code(error) ?? '');
        throw isRefused ? new DaemonProblemError({ code: 'invalid' }) : error;
    }
    const turnIds = forgotten.map(turn => turn.turnId);
    turnIds.forEach(forgot => turns.forget(forgot));
    return turnIds;
}

/**
 * The daemon names the states of a session by ids of its own; so that of a turn is found by its time. The daemon takes it for the beginning of
 * as many prompts as there are states before it, which is wrong when it has summarised the session, or dropped the oldest of 100 states: then
 * it does not list the newest turn's state, or lists too few states before this one.
 *
 * @returns `undefined` if it is not certain
 */
async function targetOf(client: DaemonSessionClient, list: TurnList, forgotten: readonly BegunTurn[]): Promise<string | undefined> {
    const [first] = forgotten;
    // The daemon knows no state before a step of its own.
    if (first.isByItself) {
        return undefined;
    }
    const { snapshots } = await client.getRewindSnapshots();
    const stateOf = ({ at }: BegunTurn): (typeof snapshots)[number] | undefined =>
        snapshots.find(({ timestamp }) => at !== undefined && Date.parse(timestamp) >= at);
    // The daemon may have answered a command without its model.
    const newest = forgotten.findLast(({ isCommand }) => !isCommand) ?? first;
    const before = list.history.slice(0, list.history.indexOf(first)).filter(({ isCommand }) => !isCommand).length;
    const state = stateOf(first);
    return state && stateOf(newest) && state.turnIndex >= before ? state.promptId : undefined;
}
