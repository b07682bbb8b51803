// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { WildcardSequence } from './wildcard-sequence';

describe('WildcardSequence', () => {
    let tests: number;

    /** A star is any number of characters, a question mark is one. */
    function sequence(pattern: string): WildcardSequence<string> {
        const blocks = pattern.split('*').map(block => ({
            length: block.length,
            fitsAt: (text: string, start: number) =>
                block.split('').every((each, index) => ++tests > 0 && (each === '?' || each === text[start + index]))
        }));
        return new WildcardSequence(blocks);
    }

    beforeEach(() => (tests = 0));

    for (const [pattern, matching, others] of [
        ['', [''], ['a']],
        ['a', ['a'], ['', 'b', 'aa']],
        ['*', ['', 'a', 'ab'], []],
        ['a*', ['a', 'ab'], ['', 'ba']],
        ['*a', ['a', 'ba', 'aa'], ['', 'ab']],
        ['a*a', ['aa', 'aba'], ['a', 'ab']],
        ['*a*b*', ['ab', 'xaxbx'], ['ba', 'a', 'b']],
        ['a*?b', ['axb', 'abb'], ['ab']],
        ['**', ['', 'a'], []]
    ] as const) {
        it(`"${pattern}" matches ${JSON.stringify(matching)} and not ${JSON.stringify(others)}`, () => {
            expect([...matching, ...others].filter(text => sequence(pattern).matches(text))).to.deep.equal(matching);
        });
    }

    for (const [pattern, text, lengths] of [
        ['ab', 'abc', [2]],
        ['b', 'abc', []],
        ['*b', 'abcb', [2, 4]],
        ['a*', 'abc', [1, 2, 3]],
        ['a*b*c', 'abcbc', [3, 5]],
        ['*', 'ab', [0, 1, 2]]
    ] as const) {
        it(`"${pattern}" matches the beginnings of "${text}" with the lengths ${JSON.stringify(lengths)}`, () => {
            expect(sequence(pattern).matchedLengths(text)).to.deep.equal(lengths);
        });
    }

    it('tests no item more often than the pattern is long', () => {
        const pattern = `${'*a'.repeat(50)}*b`;
        const text = 'a'.repeat(255);
        expect(sequence(pattern).matches(text)).to.equal(false);
        expect(tests).to.be.at.most(pattern.length * text.length);
    });
});
