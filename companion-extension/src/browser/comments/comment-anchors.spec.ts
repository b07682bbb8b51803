// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CommentLimits } from '../../common/comments-protocol';
import { CommentAnchors } from './comment-anchors';

const LINES = ['one', 'two', 'three', 'two', 'three'];

describe('The lines of a comment', () => {
    it('are found where they were', () => {
        const anchor = CommentAnchors.of(LINES, 4, 5);
        expect(anchor).to.deep.equal({ first: 4, last: 5, quote: 'two\nthree' });
        expect(CommentAnchors.find(LINES, anchor)).to.deep.equal(anchor);
    });

    it('are found where they moved to, the nearest if there are several', () => {
        const anchor = CommentAnchors.of(LINES, 2, 3);
        expect(CommentAnchors.find(['new', 'new', ...LINES], anchor)).to.include({ first: 4, last: 5 });
        expect(CommentAnchors.find(LINES.slice(2), anchor)).to.include({ first: 2, last: 3 });
    });

    it('are not found if they are gone, or changed', () => {
        expect(CommentAnchors.find(['one', 'two', 'other'], CommentAnchors.of(LINES, 2, 3))).to.equal(undefined);
        expect(CommentAnchors.find([], CommentAnchors.of(LINES, 1, 1))).to.equal(undefined);
    });

    it('are found by their beginning if they are long', () => {
        const long = 'x'.repeat(2 * CommentLimits.quote);
        const anchor = CommentAnchors.of([long], 1, 1);
        expect(anchor.quote).to.have.length(CommentLimits.quote);
        expect(CommentAnchors.find(['', long], anchor)).to.include({ first: 2, last: 2 });
    });

    it('are found by what comes back from the backend, which knows no half of a character', () => {
        const long = `${'x'.repeat(CommentLimits.quote - 1)}😀`;
        const anchor = CommentAnchors.of([long], 1, 1);
        expect(CommentAnchors.find([long], { ...anchor, quote: Buffer.from(anchor.quote).toString() })).to.deep.equal(anchor);
    });

    it('are looked for at few lines, also if they are all of a long file that has many empty ones', () => {
        const lines = Array.from({ length: 2_000 }, (_, index) => (index % 2 === 0 ? '' : `line ${index}`));
        let reads = 0;
        const counted = new Proxy(lines, {
            get(target, key) {
                reads++;
                return Reflect.get(target, key) as unknown;
            }
        });
        const anchor = CommentAnchors.of(lines, 1, lines.length);
        expect(CommentAnchors.find(counted, anchor)).to.deep.equal(anchor);
        expect(reads).to.be.lessThan(10 * lines.length);
    });
});
