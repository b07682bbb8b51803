// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { isTurnEdits, Turn, TurnEdit, TurnEdits, TurnRecords } from './turn-records';

describe('Records of turns', () => {
    const TURN: Turn = { id: 'a', startedAt: 1, agents: ['Claude Code'] };

    it('do not outgrow their file while an agent writes the same one all day; it has all of them', () => {
        const records = new TurnRecords();
        let file: readonly TurnEdits[] = [];
        for (let index = 0; index < 5_000; index++) {
            const [before, after] = [index, index + 1].map(id => ({ mode: '100644', oid: id.toString(16) }));
            records.record(TURN, [{ name: 'log.txt', before, after }]);
            const { records: added, whole } = records.takeUnstored();
            file = [...(whole ? [] : file), ...added];
        }
        expect(file.length).to.be.lessThan(1_100);
        const read = new TurnRecords();
        read.load(file);
        expect(read.editsOf('log.txt', new Set(['a']))).to.deep.equal(records.editsOf('log.txt', new Set(['a'])));
        expect(read.oids).to.deep.equal(['0', '1388']);
    });

    it('say that they do not have all edits of a turn, also when they are read again', () => {
        const after = { mode: '100644', oid: 'a' };
        const edits = (from: number, to: number): TurnEdit[] =>
            Array.from({ length: to - from }, (_, index) => ({ name: `${from + index}.txt`, before: null, after }));
        const [records, read] = [new TurnRecords(), new TurnRecords()];
        const listed = (of: TurnRecords): unknown[] => of.listed('').map(({ files, isCut }) => [files.length, isCut]);
        records.record(TURN, edits(0, 500));
        expect(listed(records)).to.deep.equal([[500, undefined]]);
        records.record(TURN, edits(400, 501));
        records.record({ ...TURN, id: 'b', startedAt: 2 }, edits(0, 1));
        expect(listed(records)).to.deep.equal([
            [500, true],
            [1, undefined]
        ]);
        const { records: stored } = records.takeUnstored();
        expect(stored.every(isTurnEdits)).to.equal(true);
        read.load(stored);
        expect(listed(read)).to.deep.equal(listed(records));
    });
});
