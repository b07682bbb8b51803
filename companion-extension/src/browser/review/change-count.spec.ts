// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { changedLines, countTaken } from './change-count';

describe('countTaken', () => {
    it('a line that is changed is not lost; a new file loses nothing, an emptied one everything', () => {
        expect(countTaken('one\ntwo\nthree\n', 'one\nTWO\nthree\nfour\n')).to.deep.equal({ changed: 1, lost: 0 });
        expect(countTaken('one\ntwo\nthree\nfour\n', 'ONE\nthree\n')).to.deep.equal({ changed: 1, lost: 2 });
        expect(countTaken('', 'one\ntwo\n')).to.deep.equal({ changed: 0, lost: 0 });
        expect(countTaken('one\ntwo\n', '')).to.deep.equal({ changed: 0, lost: 2 });
    });

    it('other line endings are not a change, indentation is', () => {
        expect(countTaken('one\r\ntwo\r\n', 'one\ntwo')).to.deep.equal({ changed: 0, lost: 0 });
        expect(countTaken('one\ntwo\n', 'one\n  two\n')).to.deep.equal({ changed: 1, lost: 0 });
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
