// SPDX-License-Identifier: Apache-2.0

import type { DaemonRewindSnapshotInfo, DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { expect } from 'chai';
import { DaemonProblemError } from '../connection/daemon-problems';
import { rewindSession } from './session-rewind';
import { BegunTurn, TurnList } from './turn-list';

describe('Whether Qwen can forget a turn and what came after it', () => {
    const turn = (turnId: string, at: number | undefined, isCommand = false): BegunTurn => ({ turnId, at, isCommand });
    /** By their times. */
    const states = (...times: number[]): Partial<DaemonRewindSnapshotInfo>[] =>
        times.map((time, turnIndex) => ({ promptId: `s########${time}`, turnIndex, timestamp: new Date(time).toISOString() }));
    const target = async (history: BegunTurn[], snapshots: object[], turnId: string): Promise<string | undefined> => {
        const turns = new TurnList();
        history.forEach(one => turns.noteBegin(one));
        const rewound: string[] = [];
        const client = {
            getRewindSnapshots: async () => ({ snapshots }),
            rewind: async (promptId: string) => rewound.push(promptId)
        } as unknown as DaemonSessionClient;
        await rewindSession(client, turns, turnId).catch(error => expect(error).to.be.instanceOf(DaemonProblemError));
        expect(turns.since(turnId) === undefined).to.equal(rewound.length > 0);
        return rewound[0];
    };
    const history = [turn('a', 1_000), turn('b', 2_000), turn('c', 3_000)];

    it('is certain where it has the state before each of them, which is found by its time', async () => {
        expect(await target(history, states(1_010, 2_010, 3_010), 'b')).to.equal('s########2010');
        expect(await target(history, states(1_010, 2_010, 3_010), 'c')).to.equal('s########3010');
    });

    it('does not depend on commands that the daemon answered by itself', async () => {
        const withCommands = [turn('/help', 500, true), ...history, turn('/stats', 4_000, true)];
        expect(await target(withCommands, states(1_010, 2_010, 3_010), 'b')).to.equal('s########2010');
    });

    it('[F3] is not for what Qwen did by itself, and depends on none of it', async () => {
        const withGoal = [turn('a', 1_000), { ...turn('goal', 1_500, true), isByItself: true }, turn('b', 2_000)];
        expect(await target(withGoal, states(1_010, 1_510, 2_010), 'goal')).to.equal(undefined);
        expect(await target(withGoal, states(1_010, 1_510, 2_010), 'a')).to.equal('s########1010');
    });

    it('is not where the session was summarised since: the daemon would go back to another turn', async () => {
        expect(await target(history, states(1_010, 2_010), 'b')).to.equal(undefined);
        expect(await target(history, states(1_010), 'b')).to.equal(undefined);
    });

    it('is not where the daemon dropped its oldest states: it keeps 100', async () => {
        expect(await target(history, states(2_010, 3_010), 'b')).to.equal(undefined);
    });

    it('is certain of one that was taken back before it began, and of what came after it', async () => {
        const turns = new TurnList();
        const client = { getRewindSnapshots: async () => ({ snapshots: states(1_010) }), rewind: async () => undefined };
        const forget = (turnId: string): Promise<string[]> => rewindSession(client as unknown as DaemonSessionClient, turns, turnId);
        ['taken back', 'a'].forEach(turnId => turns.ask(turnId) && turns.end(turnId));
        expect(await forget('taken back')).to.deep.equal([]);
        turns.noteBegin(turn('a', 1_000));
        expect(await forget('taken back')).to.deep.equal(['a']);
    });

    it('is not where it is not known when a turn began', async () => {
        expect(await target([turn('a', 1_000), turn('b', undefined)], states(1_010, 2_010), 'b')).to.equal(undefined);
    });
});
