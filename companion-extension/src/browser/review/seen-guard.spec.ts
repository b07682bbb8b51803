// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { MIN_VISIBLE_MS } from '../../common/companion-limits';
import { PROPOSAL } from '../../common/revision';
import { ModelClock } from '../../test/reviews/model-clock';
import { reviewInfo } from '../test/review-info';
import { AnswerGuard } from '../window/answer-guard';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { SeenGuard } from './seen-guard';

const PAGE = 'this-page';

describe('What a user has before the eyes', () => {
    let clock: ModelClock;
    let onScreen: boolean;
    let movedAt: number;
    let reviews: PageReviews;
    let guard: SeenGuard;
    let review: PageReview;

    beforeEach(() => {
        clock = new ModelClock();
        clock.now = 10_000;
        [onScreen, movedAt] = [true, -Infinity];
        reviews = new PageReviews({
            page: PAGE,
            clock,
            calls: { call: () => undefined, hasLeft: () => true, drop: () => undefined },
            backend: {
                readReview: async () => undefined,
                saveReview: async () => undefined,
                acceptReview: async () => ({ result: 'done' }),
                rejectReview: async () => ({ result: 'done' }),
                closeReview: async () => ({ result: 'done' })
            },
            views: () => ({ open: () => undefined, close: () => undefined, paint: () => undefined }),
            store: { write: () => new Set() },
            onTabClose: () => 'reject',
            opensByItself: () => true
        });
        const answers: Pick<AnswerGuard, 'takesAnswer'> = {
            takesAnswer: (pressed = clock.now, since = -Infinity) => pressed - Math.max(movedAt, since) >= MIN_VISIBLE_MS
        };
        guard = new SeenGuard({ reviews, clock, guard: answers, page: PAGE, isOnScreen: () => onScreen });
        review = reviews.receiveReview(reviewInfo('a'), 'proposed');
        reviews.markOpened('a', PROPOSAL);
    });

    it('takes a key after half a second, and says when it comes onto the screen', async () => {
        const seen: string[] = [];
        guard.onDidSee(({ id }) => seen.push(id));
        await clock.pass(MIN_VISIBLE_MS - 1);
        expect(guard.takesKeys('a')).to.equal(false);
        await clock.pass(1);
        expect(guard.takesKeys('a')).to.equal(true);
        expect(guard.takesKeys('a', clock.now - 1), 'pressed before').to.equal(false);
        onScreen = false;
        guard.lookAtAll();
        expect(guard.takesKeys('a')).to.equal(false);
        onScreen = true;
        guard.lookAtAll();
        expect(seen).to.deep.equal(['a']);
        expect([guard.takesKeys('a'), guard.takesKeys('unknown')]).to.deep.equal([false, false]);
    });

    it('takes none for half a second after anything was answered', async () => {
        await clock.pass(MIN_VISIBLE_MS);
        movedAt = clock.now;
        expect(guard.takesKeys('a')).to.equal(false);
        await clock.pass(MIN_VISIBLE_MS);
        expect(guard.takesKeys('a')).to.equal(true);
    });

    it('is what was typed here, without another look', async () => {
        await clock.pass(MIN_VISIBLE_MS);
        reviews.type('a', { text: 'typed', length: 5, isEdited: true });
        expect([guard.takesKeys('a'), guard.hasSeen(review)]).to.deep.equal([true, true]);
    });

    it('has to be looked at again when one side is another text', async () => {
        await clock.pass(MIN_VISIBLE_MS);
        guard.forget(review);
        expect(guard.takesKeys('a')).to.equal(false);
        await clock.pass(MIN_VISIBLE_MS);
        const info = { ...reviews.waiting[0], revision: { page: 'another', n: 1 } };
        review.text.load({ review: info, proposal: 'proposed', text: 'theirs' });
        expect(guard.takesKeys('a')).to.equal(false);
        await clock.pass(MIN_VISIBLE_MS);
        expect(guard.takesKeys('a')).to.equal(true);
    });

    it('stays seen behind another tab, and is not without an editor', () => {
        guard.lookAtAll();
        onScreen = false;
        guard.lookAtAll();
        expect(guard.hasSeen(review)).to.equal(true);
        reviews.markClosed('a', false);
        expect(guard.hasSeen(review)).to.equal(false);
    });
});
