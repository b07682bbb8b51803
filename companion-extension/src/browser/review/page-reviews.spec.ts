// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CompanionLimits } from '../../common/companion-limits';
import { ReviewSave } from '../../common/companion-protocol';
import { PROPOSAL, Revision } from '../../common/revision';
import { ModelClock } from '../../test/reviews/model-clock';
import { OriginalFile } from '../diff/original-file';
import { AskedBackend } from '../test/asked-backend';
import { reviewInfo } from '../test/review-info';
import { PageReview } from './page-review';
import { TypedText } from './review-text';
import { PageReviews } from './page-reviews';

const PAGE = 'this-page';
const FILE: OriginalFile = { exists: true, text: 'one\n', modifiedAt: 1, size: 4 };

describe('Reviews of a page', () => {
    let clock: ModelClock;
    let asked: AskedBackend;
    /** What the editors are told: `open a`, `close a`, `paint a text`. */
    let views: string[];
    let stored: readonly ReviewSave[];
    let canStore: boolean;
    let onTabClose: 'reject' | 'keep';
    let opensByItself: boolean;
    let onScreen: boolean;
    let reviews: PageReviews;

    beforeEach(() => {
        clock = new ModelClock();
        asked = new AskedBackend();
        [views, stored, canStore, onTabClose, opensByItself, onScreen] = [[], [], true, 'reject', true, true];
        reviews = load();
    });

    function load(): PageReviews {
        return new PageReviews({
            page: PAGE,
            clock,
            calls: asked,
            backend: asked,
            views: () => ({
                open: ({ id }) => views.push(`open ${id}`),
                close: ({ id }) => views.push(`close ${id}`),
                paint: ({ id, text }) => views.push(`paint ${id} ${text.shown}`),
                readLeft: ({ id }) => views.push(`read left of ${id}`),
                isOnScreen: () => onScreen
            }),
            store: {
                write: saves => {
                    stored = saves;
                    return new Set(canStore ? [] : saves.map(({ about }) => about.reviewId));
                }
            },
            onTabClose: () => onTabClose,
            opensByItself: () => opensByItself
        });
    }

    /** An editor shows it, with the proposal. */
    function open(id: string): PageReview {
        reviews.receiveReview(reviewInfo(id), 'proposed');
        return resolveAndOpen(id);
    }

    function resolveAndOpen(id: string): PageReview {
        const { about } = reviews.get(id)?.text ?? {};
        const review = reviews.get(id);
        if (!about || !review) {
            throw new Error(`${id} is not there`);
        }
        reviews.resolve(about, () => undefined);
        reviews.markOpened(id, review.text.revision);
        return review;
    }

    function type(id: string, text: string | undefined): void {
        const typed: TypedText = { text: text ?? 'proposed', length: text?.length ?? 8, isEdited: text !== undefined };
        reviews.type(id, typed);
    }

    /** A user sees it beside the file. */
    function see(review: PageReview, file: OriginalFile = FILE): void {
        reviews.showLeft(review.id, file);
    }

    describe('that wait', () => {
        it('open once, and only those that this window opens, as long as reviews open by themselves', () => {
            reviews.receive([reviewInfo('a'), reviewInfo('b', { opens: undefined })]);
            reviews.receive([reviewInfo('a'), reviewInfo('b', { opens: undefined })]);
            expect(views).to.deep.equal(['open a']);
            opensByItself = false;
            reviews.receive([reviewInfo('a'), reviewInfo('c')]);
            expect(views).to.deep.equal(['open a']);
            expect(reviews.waiting.map(({ id }) => id)).to.deep.equal(['a', 'c']);
        });

        it('are listed by age; here are those that this window opens, or has opened', () => {
            reviews.receive([reviewInfo('a', { openedAt: 2, opens: undefined }), reviewInfo('b', { openedAt: 1 })]);
            expect(reviews.waiting.map(({ id }) => id)).to.deep.equal(['b', 'a']);
            expect(reviews.here.map(({ id }) => id)).to.deep.equal(['b']);
            resolveAndOpen('a');
            expect(reviews.here.map(({ id }) => id)).to.deep.equal(['b', 'a']);
        });

        it('close when they have ended, and are forgotten', () => {
            open('a');
            reviews.receive([]);
            expect(views).to.deep.equal(['open a', 'close a']);
            reviews.markClosed('a', false);
            expect(reviews.get('a')).to.equal(undefined);
            expect(asked.answers).to.deep.equal([]);
        });

        it('that end while they are opened close as soon as they are open', () => {
            reviews.receive([reviewInfo('a')]);
            reviews.receive([]);
            expect(views).to.deep.equal(['open a']);
            reviews.markOpened('a', PROPOSAL);
            expect(views).to.deep.equal(['open a', 'close a']);
        });

        it('that come back while they are closed open again', () => {
            open('a');
            reviews.receive([]);
            reviews.receive([reviewInfo('a')]);
            reviews.markClosed('a', false);
            expect(views).to.deep.equal(['open a', 'close a', 'open a']);
        });

        it('that cannot be opened stay closed with the reason, and are tried again where no text came in time', () => {
            reviews.receive([reviewInfo('a'), reviewInfo('b')]);
            reviews.markFailed('a', 'Theia cannot show it');
            reviews.markFailed('b');
            expect(views).to.deep.equal(['open a', 'open b', 'open b']);
            expect(reviews.get('a')).to.include({ view: 'closed', problem: 'Theia cannot show it' });
        });

        it('that the user closed without an answer stay closed', () => {
            onTabClose = 'keep';
            open('a');
            reviews.markClosed('a', true);
            expect(asked.answers).to.deep.equal([]);
            reviews.receive([reviewInfo('a')]);
            expect(views).to.deep.equal(['open a']);
        });
    });

    describe('the text', () => {
        it('comes along with a short proposal, and is read for what somebody has typed', () => {
            open('a');
            expect(asked.reads).to.have.length(0);
            const revision: Revision = { page: 'another', n: 1 };
            reviews.receive([reviewInfo('a', { revision })]);
            expect(asked.reads).to.have.length(1);
            asked.reads[0]({ review: reviewInfo('a', { revision }), proposal: 'proposed', text: 'typed elsewhere' });
            expect(views).to.deep.equal(['open a', 'paint a typed elsewhere']);
        });

        it('is asked for once, however many editors wait for it', () => {
            const about = { reviewId: 'a', uri: 'file:///ws/a', cliName: 'Qwen Code' };
            const got: string[] = [];
            ['first', 'second'].forEach(editor => reviews.resolve(about, review => got.push(`${editor} ${review?.text.shown}`)));
            expect(asked.reads).to.have.length(1);
            asked.reads[0]({ review: reviewInfo('a'), proposal: 'proposed' });
            expect(got).to.deep.equal(['first proposed', 'second proposed']);
        });

        it('of a review that has ended is none: the editor is not made', () => {
            let resolved: PageReview | undefined | 'nothing yet' = 'nothing yet';
            reviews.resolve({ reviewId: 'a', uri: 'file:///ws/a', cliName: '' }, review => (resolved = review));
            expect(resolved).to.equal('nothing yet');
            asked.reads[0](undefined);
            expect(resolved).to.equal(undefined);
            reviews.markFailed('a');
            expect(reviews.get('a')).to.equal(undefined);
        });

        it('is stored and sent in a pause, or after three of them, and let go when it is on disk', async () => {
            const review = open('a');
            type('a', 'typed');
            await clock.pass(200);
            type('a', 'typed on');
            await clock.pass(299);
            expect([stored, asked.saves]).to.deep.equal([[], []]);
            await clock.pass(2);
            expect(asked.saves.map(({ save }) => save.text)).to.deep.equal(['typed on']);
            expect(stored.map(({ revision, text }) => [revision.n, text])).to.deep.equal([[1, 'typed on']]);
            expect(reviews.leave()).to.equal(false);
            asked.saves.forEach(({ reply }) => reply());
            expect([stored, review.text.isUnsent, reviews.leave()]).to.deep.equal([[], false, true]);
            for (let key = 0; key < 20; key++) {
                type('a', `typed without a pause ${key}`);
                await clock.pass(100);
            }
            expect(asked.saves.length).to.be.within(3, 5);
        });

        it('is the proposal again once every edit is undone', () => {
            const review = open('a');
            type('a', 'typed');
            type('a', undefined);
            see(review);
            expect(reviews.takeSeen(review)?.shown.text).to.equal(undefined);
            expect(asked.saves.at(-1)?.save).to.not.have.property('text');
        });

        it('that may have left the page never changes: the next key begins another revision, typed on that', async () => {
            open('a');
            type('a', 'typed');
            await clock.pass(301);
            type('a', 'typed on');
            await clock.pass(301);
            const [first, second] = asked.saves.map(({ save }) => save);
            expect(first).to.deep.include({ revision: { page: PAGE, n: 1 }, base: [{ page: '', from: 0, to: 0 }] });
            expect(second).to.deep.include({
                revision: { page: PAGE, n: 2 },
                base: [
                    { page: '', from: 0, to: 0 },
                    { page: PAGE, from: 1, to: 1 }
                ]
            });
            asked.saves[0].reply();
            expect(reviews.get('a')?.text.isUnsent, 'the second is not confirmed').to.equal(true);
        });

        it('is typed on nothing if an undo takes back the text of another page, which is kept then', async () => {
            open('a');
            const revision: Revision = { page: 'another', n: 1 };
            reviews.receive([reviewInfo('a', { revision })]);
            asked.reads[0]({ review: reviewInfo('a', { revision }), proposal: 'proposed', text: 'typed elsewhere' });
            type('a', 'typed on that');
            reviews.type('a', { text: 'proposed', length: 8, isEdited: false }, true);
            await clock.pass(301);
            type('a', 'typed on');
            await clock.pass(301);
            expect(asked.saves.map(({ save: { text, base } }) => ({ text, base }))).to.deep.equal([
                { text: undefined, base: [] },
                { text: 'typed on', base: [{ page: PAGE, from: 1, to: 1 }] }
            ]);
        });

        it('of another page is not shown over what was typed here', () => {
            open('a');
            type('a', 'typed');
            reviews.receive([reviewInfo('a', { revision: { page: 'another', n: 1 } })]);
            expect([asked.reads, views]).to.deep.equal([[], ['open a']]);
        });

        it('that is read while somebody types and sends is read again', async () => {
            open('a');
            reviews.receive([reviewInfo('a', { revision: { page: 'another', n: 1 } })]);
            type('a', 'typed');
            await clock.pass(301);
            asked.saves[0].reply();
            asked.reads[0]({ review: reviewInfo('a', { revision: { page: 'another', n: 1 } }), proposal: 'proposed', text: 'older' });
            expect(views).to.deep.equal(['open a']);
            expect(asked.reads).to.have.length(2);
        });

        it('is sent before the editor goes, and when the CLI wants it', () => {
            open('a');
            type('a', 'typed');
            expect(reviews.flushReview('a')).to.deep.include({ text: 'typed' });
            type('a', 'typed on');
            // Otherwise the answer would have it sent.
            onTabClose = 'keep';
            reviews.markClosed('a', true);
            expect(asked.saves.map(({ save }) => save.text)).to.deep.equal(['typed', 'typed on']);
            expect(reviews.flushReview('unknown')).to.equal(undefined);
        });

        it('of an earlier load of the page is sent; its review need not wait any more', () => {
            const save: ReviewSave = {
                about: { reviewId: 'a', uri: 'file:///ws/a', cliName: 'Qwen Code' },
                revision: { page: 'earlier', n: 3 },
                base: [],
                text: 'typed before the reload'
            };
            reviews.restore([save]);
            expect(asked.saves[0].save).to.deep.equal(save);
            reviews.receive([]);
            asked.saves[0].reply();
            expect(reviews.get('a')).to.equal(undefined);
        });

        it('that the browser does not store is at risk', async () => {
            const review = open('a');
            const changed: string[] = [];
            reviews.onDidChange(({ id }) => changed.push(id));
            canStore = false;
            type('a', 'typed');
            await clock.pass(301);
            expect(reviews.isAtRisk(review)).to.equal(true);
            expect(changed.length).to.be.greaterThan(1);
        });

        it('that is too long is not sent, and leaving asks', async () => {
            const review = open('a');
            reviews.type('a', { text: 'x', length: CompanionLimits.editText + 1, isEdited: true });
            expect(review.text.isTooLong).to.equal(true);
            await clock.pass(60_000);
            expect([asked.saves.length, reviews.leave()]).to.deep.equal([1, false]);
        });
    });

    describe('before the eyes of a user', () => {
        let review: PageReview;

        beforeEach(() => {
            clock.now = 10_000;
            review = open('a');
        });

        it('are seen with both sides, since when both are there, and say when they come onto the screen', async () => {
            const seen: string[] = [];
            reviews.onDidSee(({ id }) => seen.push(id));
            expect(reviews.seenSince(review), 'without a left side').to.equal(undefined);
            see(review);
            await clock.pass(300);
            expect([reviews.seenSince(review), seen]).to.deep.equal([10_000, ['a']]);
            onScreen = false;
            reviews.lookAtAll();
            expect([reviews.seenSince(review), review.isSeen]).to.deep.equal([undefined, true]);
            onScreen = true;
            reviews.lookAtAll();
            expect([reviews.seenSince(review), seen]).to.deep.equal([10_300, ['a', 'a']]);
            reviews.markClosed('a', false);
            expect(review.isSeen, 'without an editor').to.equal(false);
        });

        it('count what is typed here as seen', async () => {
            see(review);
            await clock.pass(300);
            type('a', 'typed');
            expect([reviews.seenSince(review), review.isSeen]).to.deep.equal([10_000, true]);
        });

        it('have to be looked at again if one side is another text, and not if the file was only written again', async () => {
            see(review);
            await clock.pass(300);
            see(review, { ...FILE, modifiedAt: 2 });
            expect(reviews.seenSince(review)).to.equal(10_000);
            expect(reviews.takeSeen(review)?.file).to.deep.equal({ modifiedAt: 2, size: 4 });
            see(review, { ...FILE, text: 'two\n' });
            expect(reviews.seenSince(review)).to.equal(10_300);
            await clock.pass(300);
            const revision: Revision = { page: 'another', n: 1 };
            reviews.receive([reviewInfo('a', { revision })]);
            asked.reads[0]({ review: reviewInfo('a', { revision }), proposal: 'proposed', text: 'theirs' });
            expect(reviews.seenSince(review)).to.equal(10_600);
        });

        it('have the left side of the editor that is there now', () => {
            const older = { ...FILE };
            see(review, older);
            see(review);
            reviews.hideLeft('a', older);
            expect(review.left).to.equal(FILE);
            reviews.hideLeft('a', FILE);
            expect([review.left, review.isSeen]).to.deep.equal([undefined, false]);
        });
    });

    describe('an answer', () => {
        it('is given to a text that was seen, once', () => {
            const review = open('a');
            expect(reviews.accept(review, reviews.takeSeen(review)), 'nobody has seen it').to.equal(false);
            see(review);
            expect([reviews.accept(review, reviews.takeSeen(review)), reviews.reject(review)]).to.deep.equal([true, false]);
            expect(asked.answers.map(({ shown }) => shown)).to.deep.equal([{ revision: PROPOSAL }]);
            expect([reviews.waiting, reviews.leave()]).to.deep.equal([[], false]);
            asked.answers[0].reply({ result: 'done' });
            expect(views).to.deep.equal(['open a', 'close a']);
            reviews.markClosed('a', false);
            expect([reviews.get('a'), reviews.leave()]).to.deep.equal([undefined, true]);
        });

        it('names the text that the user saw, which is sent before; where the backend lacks it, it goes along', () => {
            const review = open('a');
            type('a', 'typed');
            see(review);
            reviews.accept(review, reviews.takeSeen(review));
            expect(asked.saves.map(({ save }) => save.text)).to.deep.equal(['typed']);
            expect(asked.answers[0].shown).to.deep.equal({ revision: { page: PAGE, n: 1 } });
            asked.answers[0].reply({ result: 'textNeeded' });
            expect(asked.answers[1].shown).to.deep.equal({ revision: { page: PAGE, n: 1 }, text: 'typed' });
        });

        it('is known from what was typed after it, whether or not the text before is on disk', () => {
            const review = open('a');
            type('a', 'typed');
            see(review);
            reviews.accept(review, reviews.takeSeen(review));
            asked.answers[0].reply({ result: 'done' });
            expect([review.text.isUnsent, review.hasGoneOn]).to.deep.equal([true, false]);
            type('a', 'typed on');
            expect(review.hasGoneOn).to.equal(true);
        });

        it('does not count if the file is not what the user saw: the review waits with its text, and can be answered again', () => {
            const review = open('a');
            type('a', 'typed');
            see(review);
            const told: unknown[] = [];
            reviews.onDidNotCount(({ review: { id }, file }) => told.push([id, file]));
            reviews.accept(review, reviews.takeSeen(review));
            expect(asked.answers[0].file).to.deep.equal({ modifiedAt: 1, size: 4 });
            asked.answers[0].reply({ result: 'notSame', file: 'changed' });
            expect(told).to.deep.equal([['a', 'changed']]);
            expect([review.isWaiting, review.text.text, review.view]).to.deep.equal([true, 'typed', 'open']);
            expect(views).to.deep.equal(['open a', 'read left of a']);
            see(review, { ...FILE, text: 'two\nthree', modifiedAt: 2, size: 9 });
            expect(reviews.accept(review, reviews.takeSeen(review))).to.equal(true);
            asked.answers[0].reply({ result: 'notSame', file: 'silent' });
            expect(review.isAnswering, 'an old answer').to.equal(true);
            asked.answers[1].reply({ result: 'textNeeded' });
            expect(asked.answers[2].file).to.deep.equal({ modifiedAt: 2, size: 9 });
        });

        it('does not count if a side has changed since the user accepted it', () => {
            const review = open('a');
            see(review);
            const seen = reviews.takeSeen(review);
            see(review, { ...FILE, text: 'two\n', modifiedAt: 2 });
            expect(reviews.accept(review, seen)).to.equal(false);
            const other = reviews.takeSeen(review);
            type('a', 'typed');
            expect(reviews.accept(review, other)).to.equal(false);
            expect([asked.answers, review.isWaiting]).to.deep.equal([[], true]);
        });

        it('to a file that cannot be read does not count; the same again within 30 s is sent without a look, and only for that review', async () => {
            const [review, other] = [open('a'), open('b')];
            [review, other].forEach(one => see(one));
            const accept = (one: PageReview): boolean => reviews.accept(one, reviews.takeSeen(one));
            accept(review);
            asked.answers[0].reply({ result: 'notSame', file: 'silent' });
            expect(views, 'nothing is read').to.deep.equal(['open a', 'open b']);
            accept(other);
            expect(asked.answers[1].file, 'another review').to.deep.equal({ modifiedAt: 1, size: 4 });
            await clock.pass(30_000);
            accept(review);
            expect([asked.answers[2].file, review.answer?.isUnread]).to.deep.equal([undefined, true]);
            asked.answers[1].reply({ result: 'notSame', file: 'silent' });
            await clock.pass(30_001);
            accept(other);
            expect(asked.answers[3].file, 'too late').to.deep.equal({ modifiedAt: 1, size: 4 });
        });

        it('rejects what nobody has looked at, and closing the tab rejects', () => {
            expect(reviews.reject(open('a'))).to.equal(true);
            open('b');
            reviews.markClosed('b', true);
            expect(asked.answers.map(({ shown }) => shown)).to.deep.equal([undefined, undefined]);
            expect(reviews.get('b')?.answer?.kind).to.equal('close');
        });

        it('by closing does not count if another page shows the diff: the review waits, and opens again only for who asks', () => {
            const review = open('a');
            expect(reviews.shows('a')).to.equal(true);
            reviews.markClosed('a', true);
            expect([reviews.shows('a'), review.isAnswering]).to.deep.equal([false, true]);
            asked.answers[0].reply({ result: 'shownElsewhere' });
            reviews.receive([reviewInfo('a')]);
            expect([review.isWaiting, review.view, views]).to.deep.equal([true, 'closed', ['open a']]);
            expect(reviews.reject(review)).to.equal(true);
        });

        it('is taken back as long as it has not left the page, and the review waits again', () => {
            const review = open('a');
            reviews.reject(review);
            reviews.takeBack('a');
            expect([review.isWaiting, asked.answers.length], 'it may have arrived').to.deep.equal([false, 1]);
            asked.isLeft = false;
            reviews.takeBack('a');
            expect([review.isWaiting, asked.answers.length]).to.deep.equal([true, 0]);
            expect(reviews.reject(review), 'another answer').to.equal(true);
        });

        it('that takes long is said to, and one that came late keeps what became of it', () => {
            const review = open('a');
            reviews.reject(review);
            asked.answers[0].delayed();
            expect(review.answer?.isDelayed).to.equal(true);
            asked.answers[0].reply({ result: 'late', how: 'accepted' });
            expect(review.answer?.result).to.deep.equal({ result: 'late', how: 'accepted' });
            expect(review.isWaiting).to.equal(false);
        });
    });
});
