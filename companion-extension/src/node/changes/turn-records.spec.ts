// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Turn, TurnEdits, TurnRecords } from './turn-records';

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
});
