// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { countChanges } from './change-count';

describe('countChanges', () => {
    it('counts the lines of a new file', () => {
        expect(countChanges('', 'one\ntwo\n')).to.deep.equal({ added: 2, removed: 0 });
    });

    it('counts a changed line on both sides', () => {
        expect(countChanges('one\ntwo\nthree\n', 'one\nTWO\nthree\nfour\n')).to.deep.equal({ added: 2, removed: 1 });
    });

    it('other line ends are no change, indentation is one', () => {
        expect(countChanges('one\r\ntwo\r\n', 'one\ntwo')).to.deep.equal({ added: 0, removed: 0 });
        expect(countChanges('one\ntwo\n', 'one\n  two\n')).to.deep.equal({ added: 1, removed: 1 });
    });
});
