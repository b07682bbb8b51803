// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { changedLines, countChanges } from './change-count';

describe('countChanges', () => {
    it('counts the lines of a new file', () => {
        expect(countChanges('', 'one\ntwo\n')).to.deep.equal({ added: 2, removed: 0 });
    });

    it('counts a changed line on both sides', () => {
        expect(countChanges('one\ntwo\nthree\n', 'one\nTWO\nthree\nfour\n')).to.deep.equal({ added: 2, removed: 1 });
    });

    it('other line endings are not a change, indentation is', () => {
        expect(countChanges('one\r\ntwo\r\n', 'one\ntwo')).to.deep.equal({ added: 0, removed: 0 });
        expect(countChanges('one\ntwo\n', 'one\n  two\n')).to.deep.equal({ added: 1, removed: 1 });
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
