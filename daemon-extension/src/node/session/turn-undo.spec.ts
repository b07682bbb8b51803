// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { BegunTurn } from './turn-list';
import { TurnUndo } from './turn-undo';

describe('What is taken back to undo a turn', () => {
    const turn = (turnId: string, at: number | undefined, isCommand = false): BegunTurn => ({ turnId, at, isCommand });
    const snapshot = (promptId: string, at: number): { promptId: string; timestamp: string } => ({
        promptId,
        timestamp: new Date(at).toISOString()
    });
    const plan = (...args: Parameters<typeof TurnUndo.plan>): (string | undefined)[] | undefined =>
        TurnUndo.plan(...args)?.map(({ promptId }) => promptId);

    it('is each turn since, the newest first, found by its time', () => {
        const snapshots = [snapshot('s#1', 1_010), snapshot('s#2', 2_010), snapshot('s#3', 3_010)];
        expect(plan([turn('b', 2_000), turn('c', 3_000)], snapshots)).to.deep.equal(['s#3', 's#2']);
        expect(plan([turn('c', 3_000)], snapshots)).to.deep.equal(['s#3']);
    });

    it('is nothing where the daemon has no record of one of them, which it loses after an undo', () => {
        expect(plan([turn('b', 2_000), turn('c', 3_000)], [snapshot('s#2', 2_010)])).to.equal(undefined);
        expect(plan([turn('c', 3_000)], [snapshot('s#2', 2_010)])).to.equal(undefined);
        expect(plan([], [snapshot('s#2', 2_010)])).to.equal(undefined);
    });

    it('is nothing where two records have one id, or two are of one turn, or a time is not known', () => {
        expect(plan([turn('c', 3_000)], [snapshot('s#3', 2_010), snapshot('s#3', 3_010)])).to.equal(undefined);
        expect(plan([turn('c', 3_000)], [snapshot('s#3', 3_010), snapshot('s#4', 3_020)])).to.equal(undefined);
        expect(plan([turn('c', undefined)], [snapshot('s#3', 3_010)])).to.equal(undefined);
        expect(plan([turn('b', 2_000), turn('c', undefined)], [snapshot('s#2', 2_010), snapshot('s#3', 3_010)])).to.equal(undefined);
    });

    it('passes over commands that the daemon answered by itself', () => {
        expect(plan([turn('b', 2_000), turn('/stats', 3_000, true)], [snapshot('s#2', 2_010)])).to.deep.equal([undefined, 's#2']);
    });
});
