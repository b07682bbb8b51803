// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { ReviewUris } from './review-uris';

describe('ReviewUris', () => {
    const id = '0b0c8d0e-1111-4222-8333-444455556666';

    it('has the id as authority and the file as path', () => {
        const review = { id, uri: 'file:///ws/src/a.ts' };
        expect(ReviewUris.original(review).toString()).to.equal(`companion-original://${id}/ws/src/a.ts`);
        expect(ReviewUris.proposed(review).toString()).to.equal(`companion-proposed://${id}/ws/src/a.ts`);
    });

    for (const name of ['a b.ts', 'ä€😀.txt', '100%.md', 'a#b?c.md', "it's.txt", '[x](y).md', '<b>.html']) {
        it(`survives being written and read for ${name}`, () => {
            const uri = new URI('file:///ws').resolve(name);
            const read = new URI(ReviewUris.proposed({ id, uri: uri.toString() }).toString());
            expect(read.path.base).to.equal(name);
            expect(ReviewUris.reviewIdOf(read)).to.equal(id);
        });
    }

    it('gives each text of a draft its own URI, and reads the draft from it', () => {
        const edited = ReviewUris.edited({ id, uri: new URI('file:///ws').resolve('a b#c?.ts').toString(), revision: 12 });
        const read = new URI(edited.toString());
        expect(ReviewUris.draftOf(read)).to.deep.equal({ id, revision: 12 });
        expect(read.path.base).to.equal('a b#c?.ts');
        expect(ReviewUris.reviewIdOf(read), 'a draft is no review').to.equal(undefined);
        expect(ReviewUris.draftOf(ReviewUris.proposed({ id, uri: 'file:///ws/a' }))).to.equal(undefined);
    });

    it('recognizes only its own URIs', () => {
        expect(ReviewUris.reviewIdOf(new URI('file:///ws/a'))).to.equal(undefined);
        expect(ReviewUris.reviewIdOf(new URI('companion-proposed:/ws/a'))).to.equal(undefined);
        expect(ReviewUris.reviewIdOf(undefined)).to.equal(undefined);
    });
});
