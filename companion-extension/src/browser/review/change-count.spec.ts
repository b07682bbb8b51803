// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { changedLines, countRemoved } from './change-count';

describe('countRemoved', () => {
    it('counts what is changed or gone; a new file loses nothing, an emptied one everything', () => {
        expect(countRemoved('one\ntwo\nthree\n', 'one\nTWO\nthree\nfour\n')).to.equal(1);
        expect(countRemoved('', 'one\ntwo\n')).to.equal(0);
        expect(countRemoved('one\ntwo\n', '')).to.equal(2);
    });

    it('other line endings are not a change, indentation is', () => {
        expect(countRemoved('one\r\ntwo\r\n', 'one\ntwo')).to.equal(0);
        expect(countRemoved('one\ntwo\n', 'one\n  two\n')).to.equal(1);
    });
});

describe('changedLines', () => {
    const lines = (before: string, text: string): string[] => changedLines(before, text).map(range => range.toString());

    it('are the new and changed ones, in order; for removed lines, the range is empty', () => {
        expect(lines('one\ntwo\nthree\n', 'one\nTWO\nthree\nfour\n')).to.deep.equal(['[2,3)', '[4,5)']);
        expect(lines('one\ntwo\nthree\n', 'one\nthree\n')).to.deep.equal(['[2,2)']);
    });

    it('are all lines of a new file, and none if only line endings differ', () => {
        expect(lines('', 'one\ntwo\n')).to.deep.equal(['[1,3)']);
        expect(lines('one\r\ntwo', 'one\ntwo\n')).to.deep.equal([]);
    });
});
