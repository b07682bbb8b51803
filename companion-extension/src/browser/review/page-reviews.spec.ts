// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { ReviewInfo } from '../../common/companion-protocol';
import { PageReviews, ReviewUris } from './page-reviews';

describe('PageReviews', () => {
    let answered: Set<string>;
    let reviews: PageReviews;

    beforeEach(() => {
        answered = new Set();
        reviews = new PageReviews(id => answered.has(id));
    });

    function review(id: string, openedAt = 0): ReviewInfo {
        return {
            id,
            path: `/ws/${id}`,
            uri: `file:///ws/${id}`,
            cliName: 'Qwen Code',
            outsideWorkspace: false,
            cliGone: false,
            traits: {},
            openedAt,
            drafts: []
        };
    }

    function show(id: string): void {
        reviews.asked(review(id));
        reviews.opens(id);
        reviews.opened(id);
    }

    function fresh(): string[] {
        return reviews.fresh.map(({ id }) => id);
    }

    it('opens what waits and has no editor, once', () => {
        reviews.receive([review('a')]);
        expect(fresh()).to.deep.equal(['a']);
        expect(reviews.opens('a')).to.equal(true);
        expect(fresh(), 'it is being opened').to.deep.equal([]);
        reviews.opened('a');
        reviews.receive([review('a')]);
        expect(fresh()).to.deep.equal([]);
    });

    it('adopts an editor that the layout restored', () => {
        reviews.opened('a');
        expect(reviews.receive([review('a')])).to.deep.equal([]);
        expect(fresh()).to.deep.equal([]);
        expect(reviews.infoOf('a')?.path).to.equal('/ws/a');
    });

    it('closes the editors of reviews that no longer wait, without an answer', () => {
        show('a');
        expect(reviews.receive([])).to.deep.equal(['a']);
        expect(reviews.closed('a')).to.equal(false);
        expect(reviews.receive([])).to.deep.equal([]);
    });

    it('closes an editor that is still being opened', () => {
        reviews.asked(review('a'));
        reviews.opens('a');
        expect(reviews.receive([])).to.deep.equal(['a']);
        expect(reviews.isWaiting('a')).to.equal(false);
    });

    it('does not open what was decided while it waited for another one to open', () => {
        reviews.asked(review('a'));
        reviews.receive([]);
        expect(reviews.opens('a')).to.equal(false);
    });

    it('tries only once by itself to open what cannot be shown, unless the connection was lost', () => {
        reviews.receive([review('a')]);
        reviews.opens('a');
        reviews.opensAgain('a');
        expect(fresh()).to.deep.equal(['a']);
        reviews.opens('a');
        reviews.receive([review('a')]);
        expect(fresh()).to.deep.equal([]);
        expect(reviews.opens('a'), 'the user may open it').to.equal(true);
    });

    it('N5, N7: closing the last of several editors rejects, once', () => {
        show('a');
        expect(reviews.closed('a')).to.equal(true);
        answered.add('a');
        expect(reviews.closed('a')).to.equal(false);
    });

    it('N7: closing after an answer sends nothing', () => {
        show('a');
        answered.add('a');
        expect(reviews.isWaiting('a')).to.equal(false);
        expect(reviews.closed('a')).to.equal(false);
    });

    it('keeps the diff open until its answer has arrived', () => {
        show('a');
        answered.add('a');
        expect(reviews.receive([])).to.deep.equal([]);
        answered.delete('a');
        reviews.ended('a');
        expect(reviews.receive([])).to.deep.equal([]);
        expect(reviews.closed('a')).to.equal(false);
    });

    it('a review that another window showed meanwhile opens again', () => {
        show('a');
        expect(reviews.receive([])).to.deep.equal(['a']);
        reviews.receive([review('a')]);
        expect(fresh()).to.deep.equal(['a']);
    });

    it('reopens what the user closed, if the user asks for it, and the next closing counts', () => {
        show('a');
        expect(reviews.closed('a')).to.equal(true);
        reviews.receive([review('a')]);
        expect(fresh()).to.deep.equal([]);
        expect(reviews.opens('a')).to.equal(true);
        expect(reviews.closed('a'), 'it is still being opened').to.equal(false);
        reviews.opens('a');
        reviews.opened('a');
        expect(reviews.closedIds).to.deep.equal([]);
        expect(reviews.closed('a')).to.equal(true);
    });

    it('counts as closed by the user neither what could not be opened, nor what is still being opened, nor what was answered', () => {
        reviews.receive([review('failed'), review('opening')]);
        reviews.opens('failed');
        reviews.opens('opening');
        reviews.closed('opening');
        show('answered');
        reviews.closed('answered');
        answered.add('answered');
        expect(reviews.closedIds).to.deep.equal([]);
    });

    it('stays shown if it is opened again beside its editor: the next closing counts', () => {
        show('a');
        expect(reviews.opens('a')).to.equal(true);
        expect(reviews.closed('a')).to.equal(true);
    });

    it('after an answer that the backend did not accept, the user decides again, even if the tab was closed meanwhile', () => {
        show('a');
        answered.add('a');
        expect(reviews.opens('a')).to.equal(false);
        reviews.closed('a');
        answered.delete('a');
        expect(reviews.isWaiting('a')).to.equal(true);
        expect(reviews.closedIds).to.deep.equal(['a']);
        expect(reviews.opens('a')).to.equal(true);
    });

    it('opens a review that another window served when its diff was restored here, once it is this window’s', () => {
        // A new tab takes over the layout of the one that was closed, ten seconds before it takes over its reviews.
        reviews.opened('a');
        expect(reviews.receive([])).to.deep.equal(['a']);
        reviews.ended('a');
        expect(reviews.closed('a')).to.equal(false);
        reviews.receive([review('a')]);
        expect(fresh()).to.deep.equal(['a']);
    });

    it('lists what the backend asks for before its next state, and forgets it when that ends', () => {
        reviews.receive([]);
        reviews.asked(review('a'));
        expect(fresh()).to.deep.equal(['a']);
        reviews.ended('a');
        expect(reviews.infoOf('a')).to.equal(undefined);
        expect(reviews.opens('a')).to.equal(false);
        expect(reviews.closedIds).to.deep.equal([]);
    });

    it('keeps closed what the user closed, also over a reload, until it has ended', () => {
        show('a');
        reviews.closed('a');
        expect(reviews.closedIds).to.deep.equal(['a']);
        const reloaded = new PageReviews(() => false);
        reloaded.keepClosed(['a', 'over']);
        expect(reloaded.receive([review('a')])).to.deep.equal([]);
        expect(reloaded.fresh).to.deep.equal([]);
        expect(reloaded.closedIds).to.deep.equal(['a']);
        reloaded.receive([]);
        reloaded.receive([review('a')]);
        expect(reloaded.closedIds, 'it had ended').to.deep.equal([]);
    });

    it('lists those that wait, the oldest first, without those that were answered here', () => {
        reviews.receive([review('new', 2), review('old', 1), review('answered', 0)]);
        answered.add('answered');
        expect(reviews.waiting.map(({ id }) => id)).to.deep.equal(['old', 'new']);
        reviews.ended('old');
        expect(reviews.waiting.map(({ id }) => id)).to.deep.equal(['new']);
    });

    it('knows the drafts that the backend has confirmed before its next state', () => {
        const [mine, theirs] = ['mine', 'theirs'].map(id => ({ id, revision: 1 }));
        reviews.receive([review('a')]);
        reviews.drafted('a', [theirs, mine]);
        expect(reviews.infoOf('a')?.drafts).to.deep.equal([theirs, mine]);
        reviews.drafted('a', []);
        expect(reviews.infoOf('a')?.drafts).to.deep.equal([]);
        reviews.drafted('ended', [mine]);
        expect(reviews.infoOf('ended')).to.equal(undefined);
    });
});

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
