// SPDX-License-Identifier: Apache-2.0

import type { DaemonRewindSnapshotInfo, DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { Redactor } from '../config/redactor';
import { KeptEdits } from './tool-calls';
import { BegunTurn, OwnPrompts, TurnList } from './turn-list';
import { TurnUndo, UndoCopy } from './turn-undo';

describe('Whether Qwen can forget the turns that are undone', () => {
    const turn = (turnId: string, at: number | undefined, isCommand = false): BegunTurn => ({ turnId, at, isCommand });
    /** By their times. */
    const states = (...times: number[]): Partial<DaemonRewindSnapshotInfo>[] =>
        times.map((time, turnIndex) => ({ promptId: `s########${time}`, turnIndex, timestamp: new Date(time).toISOString() }));
    const target = async (history: BegunTurn[], snapshots: object[], turnId: string): Promise<string | undefined> => {
        const turns = new TurnList(new OwnPrompts());
        history.forEach(one => turns.noteBegin(one));
        const rewound: string[] = [];
        const client = {
            getRewindSnapshots: async () => ({ snapshots }),
            rewind: async (promptId: string) => rewound.push(promptId)
        } as unknown as DaemonSessionClient;
        const subject = { turns, edits: new KeptEdits(new Redactor()), newCopy: () => new UndoCopy(async () => '/none'), folder: '/' };
        const undo = await TurnUndo.of(client, subject, turnId);
        await undo.undo([], ({ forgotten }) => expect(forgotten).to.equal(rewound.length > 0));
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

    it('[F3] is not for what Qwen did by itself, whose files are undone nevertheless, and depends on none of it', async () => {
        const withGoal = [turn('a', 1_000), { ...turn('goal', 1_500, true), isByItself: true }, turn('b', 2_000)];
        expect(await target(withGoal, states(1_010, 1_510, 2_010), 'goal')).to.equal(undefined);
        expect(await target(withGoal, states(1_010, 1_510, 2_010), 'a')).to.equal('s########1010');
    });

    it('is not asked where one file is taken back, which leaves the others and the turn', async () => {
        const folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'turn-undo-')));
        const [one, two] = ['one.txt', 'two.txt'].map(name => path.join(folder, name));
        const edits = new KeptEdits(new Redactor());
        const turns = new TurnList(new OwnPrompts());
        turns.noteBegin(turn('a', 1_000));
        for (const [toolId, file] of Object.entries({ one, two })) {
            await fs.writeFile(file, 'after');
            edits.keep({ turnId: 'a', toolId }, { path: file, oldText: 'before', newText: 'after' });
            edits.complete({ turnId: 'a', toolId }, file);
        }
        const client = {
            getRewindSnapshots: async () => ({ snapshots: states(1_010) }),
            rewind: async () => expect.fail('The turn is to stay')
        } as unknown as DaemonSessionClient;
        const subject = { turns, edits, newCopy: () => new UndoCopy(async () => path.join(folder, 'copies')), folder };
        const undo = await TurnUndo.of(client, subject, 'a');
        const { files } = await undo.takeBack([{ path: one, state: 'as-written' }]);
        expect(files).to.deep.include({ path: one, result: 'restored' });
        expect(await Promise.all([one, two].map(file => fs.readFile(file, 'utf8')))).to.deep.equal(['before', 'after']);
        const { files: left } = await (await TurnUndo.of(client, subject, 'a')).plan();
        expect(left.map(({ state }) => state)).to.deep.equal(['as-before', 'as-written']);
        await fs.rm(folder, { recursive: true });
    });

    it('is not where the session was summarised since: the daemon would go back to another turn', async () => {
        expect(await target(history, states(1_010, 2_010), 'b')).to.equal(undefined);
        expect(await target(history, states(1_010), 'b')).to.equal(undefined);
    });

    it('is not where the daemon dropped its oldest states: it keeps 100', async () => {
        expect(await target(history, states(2_010, 3_010), 'b')).to.equal(undefined);
    });

    it('is not where it is not known when a turn began', async () => {
        expect(await target([turn('a', 1_000), turn('b', undefined)], states(1_010, 2_010), 'b')).to.equal(undefined);
    });
});
