// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fc from 'fast-check';
import { ReviewAnswer } from '../../common/companion-protocol';
import { PROPOSAL } from '../../common/revision';
import { PeerProcess } from '../host/process-table';
import { LOAD_ID, saveOf } from '../test/test-page';
import { settle } from '../../test/reviews/model-clock';
import { ReviewOutcome } from '../server/cli-session';
import { Review, ReviewOwner, ReviewPlace } from './review';
import { ReviewLimits, Reviews } from './reviews';

class Owner implements ReviewOwner {
    cliId = 'qwen-code';
    readonly gone = false;
    readonly told: Omit<ReviewOutcome, 'reviewId'>[] = [];
    peer: PeerProcess | undefined;

    constructor(readonly id: string) {}

    notify({ method, params }: ReviewOutcome): boolean {
        this.told.push({ method, params } as Omit<ReviewOutcome, 'reviewId'>);
        return true;
    }
}

const WINDOW = 'window';
const OTHER_LOAD = '11111111-2222-4333-8444-666666666666';
const PLACE: ReviewPlace = { windowId: WINDOW, roots: [] };

describe('Reviews', () => {
    let reviews: Reviews;

    beforeEach(() => (reviews = makeReviews()));
    afterEach(() => reviews.dispose());

    function open(owner: Owner, filePath: string, proposal: string): Review {
        return openIn(reviews, owner, filePath, proposal);
    }

    function close(owner: Owner, filePath: string): Promise<string | undefined> {
        return reviews.close(owner, WINDOW, filePath, true, async () => undefined);
    }

    it('limits the number of waiting reviews, and says so', () => {
        const owner = new Owner('s');
        for (let index = 0; index < ReviewLimits.reviews; index++) {
            open(owner, `/w/${index}`, '');
        }
        expect(() => open(owner, '/w/more', '')).to.throw(/Too many diffs/);
    });

    it('refuses new reviews if proposals and edits take too much memory, and says what to do; an edit is always kept', async () => {
        const owner = new Owner('s');
        const half = 'x'.repeat(ReviewLimits.characters / 2);
        const review = open(owner, '/w/1', 'short');
        await reviews.save(saveOf(review.id, `${half}${half}`), PLACE);
        expect(() => open(owner, '/w/2', 'x')).to.throw(/discard some of the edits/);
        reviews.reject(review, 'load');
        await settle();
        const [kept] = reviews.listEdits(() => true);
        expect(() => open(owner, '/w/2', 'x')).to.throw(/discard some of the edits/);
        const elsewhere = { windowId: 'another', roots: ['/other'] };
        const file = { path: '/other/1', realPath: '/other/1' };
        const other = reviews.open({ owner, filePath: '/other/1', proposal: 'x', file, place: elsewhere });
        expect(other.isWaiting, 'a window that can discard none of them').to.equal(true);
        await reviews.discard(kept.id);
        expect(open(owner, '/w/3', half).isWaiting).to.equal(true);
    });

    it('an edit whose discard is taken back is kept beside a review that waits', async () => {
        const review = open(new Owner('s'), '/w/1', 'proposed');
        await reviews.save(saveOf(review.id, 'typed'), PLACE);
        await reviews.save({ ...saveOf(review.id, 'taken back', 2), base: [], apart: true }, PLACE);
        expect(review.text).to.equal('typed');
        expect(reviews.listEdits(() => true).map(({ text }) => text)).to.deep.equal(['taken back']);
    });

    it('of two pages the text that was typed last is shown, also if the other one comes later', async () => {
        const review = open(new Owner('s'), '/w/1', 'proposed');
        await reviews.save({ ...saveOf(review.id, 'at 10:00'), ago: 0 }, PLACE);
        await reviews.save({ ...saveOf(review.id, 'at 9:00', 1, OTHER_LOAD), ago: 3_600_000 }, PLACE);
        expect(review.text).to.equal('at 10:00');
        expect(reviews.listEdits(() => true).map(({ text, reason }) => [text, reason])).to.deep.equal([['at 9:00', 'elsewhere']]);
        await reviews.save({ ...saveOf(review.id, 'at 9:00, and at 11:00', 2, OTHER_LOAD, [{ page: OTHER_LOAD, n: 1 }]), ago: 0 }, PLACE);
        expect(review.text).to.equal('at 9:00, and at 11:00');
        expect(reviews.listEdits(() => true).map(({ text }) => text)).to.deep.equal(['at 10:00']);
    });

    it('what was typed on the text of the review is shown, whatever a page says of the time', async () => {
        const review = open(new Owner('s'), '/w/1', 'proposed');
        await reviews.save({ ...saveOf(review.id, 'typed'), ago: 0 }, PLACE);
        await reviews.save({ ...saveOf(review.id, 'typed on', 1, OTHER_LOAD, [review.revision]), ago: 3_600_000 }, PLACE);
        expect([review.text, reviews.listEdits(() => true)]).to.deep.equal(['typed on', []]);
    });

    it('what an undo on another page takes back becomes a kept edit, and goes when the review shows it again', async () => {
        const review = open(new Owner('s'), '/w/1', 'proposed');
        const kept = async (): Promise<string[]> => {
            await settle();
            return reviews.listEdits(() => true).map(({ text }) => text);
        };
        await reviews.save(saveOf(review.id, 'there'), PLACE);
        await reviews.save({ ...saveOf(review.id, undefined, 1, OTHER_LOAD), base: [] }, PLACE);
        expect([review.text, await kept()]).to.deep.equal([undefined, ['there']]);
        // A redo.
        await reviews.save(saveOf(review.id, 'there', 2, OTHER_LOAD, [review.revision]), PLACE);
        expect([review.text, await kept()]).to.deep.equal(['there', []]);
    });

    it('of a review that ended while its pages were asked for their texts, closeDiff gets nothing', async () => {
        const owner = new Owner('s');
        const review = open(owner, '/w/1', 'proposed');
        const closing = reviews.close(owner, WINDOW, '/w/1', true, async () => reviews.orphan(() => true, 'ended'));
        expect(await closing).to.equal(undefined);
        expect(review.state).to.equal('orphaned');
    });

    it('paths that differ only in spelling are different reviews: the CLIs compare them as strings', async () => {
        const owner = new Owner('s');
        open(owner, '/w/a.txt', 'one');
        open(owner, '/w/./a.txt', 'two');
        expect([await close(owner, '/w/./a.txt'), await close(owner, '/w/a.txt')]).to.deep.equal(['two', 'one']);
    });

    it('a session closes and replaces the diffs of the other ones of its process, and of no other', async () => {
        const [earlier, later, reused, otherCli] = [1, 2, 3, 4].map(number => new Owner(String(number)));
        earlier.peer = later.peer = { pid: 7, startTime: '1' };
        reused.peer = { pid: 7, startTime: '2' };
        otherCli.peer = earlier.peer;
        otherCli.cliId = 'gemini-cli';
        const first = open(earlier, '/w/a.txt', 'first');
        for (const other of [reused, otherCli]) {
            reviews.replace(other, WINDOW, '/w/a.txt');
            expect(await close(other, '/w/a.txt')).to.equal(undefined);
            expect(first.state).to.equal('waiting');
        }
        reviews.replace(later, WINDOW, '/w/a.txt');
        expect(first.state).to.equal('replaced');
        open(later, '/w/a.txt', 'second');
        expect(await close(earlier, '/w/a.txt')).to.equal('second');
        expect(await close(later, '/w/a.txt')).to.equal(undefined);
    });

    it('N7: in any order of events no outcome is lost, doubled or sent to another session', async () => {
        const event = fc.record({
            kind: fc.constantFrom('open', 'accept', 'reject', 'edit', 'close', 'disconnect', 'identify', 'reconnect'),
            owner: fc.nat(2),
            file: fc.nat(1),
            text: fc.constantFrom(undefined, '', 'edited')
        });
        await fc.assert(
            fc.asyncProperty(fc.array(event, { maxLength: 60 }), async events => {
                const world = new World();
                for (const { kind, owner, file, text } of events) {
                    await world.apply(kind, owner, file, text);
                }
                world.check();
            }),
            { numRuns: 500 }
        );
    });
});

function makeReviews(): Reviews {
    return new Reviews({
        files: { look: async () => undefined, isGone: async () => false },
        inspector: { inspect: async () => ({ state: 'same' }) },
        nameOf: ({ cliId }) => cliId,
        traitsOf: () => ({})
    });
}

function openIn(reviews: Reviews, owner: Owner, filePath: string, proposal: string): Review {
    return reviews.open({ owner, filePath, proposal, file: { path: filePath, realPath: filePath }, place: PLACE });
}

/** What the user has answered so far, kept as simply as can be, beside the reviews that are tested. */
class World {
    private readonly reviews = makeReviews();
    /** The first two are sessions of one process. */
    private readonly owners = [new Owner('0'), new Owner('1'), new Owner('2')];
    private readonly expected: Owner['told'][] = [[], [], []];
    /** The oldest first. */
    private waiting: Waiting[] = [];
    private revision = 0;

    async apply(kind: string, owner: number, file: number, text: string | undefined): Promise<void> {
        const filePath = `/w/${file}`;
        const entry = this.waiting.find(one => one.owner === owner && one.file === file);
        switch (kind) {
            case 'open': {
                this.end(this.ofProcess(owner).find(one => one.file === file));
                this.reviews.replace(this.owners[owner], WINDOW, filePath);
                this.waiting.push({
                    review: openIn(this.reviews, this.owners[owner], filePath, 'proposal'),
                    owner,
                    file,
                    text: 'proposal'
                });
                break;
            }
            case 'edit':
                if (entry && text !== undefined) {
                    const { revision } = entry.review;
                    await this.reviews.save(saveOf(entry.review.id, text, ++this.revision, LOAD_ID, [revision]), PLACE);
                    entry.text = text;
                }
                break;
            case 'accept':
                if (entry) {
                    const revision = text === undefined ? entry.review.revision : PROPOSAL;
                    const accept = (): ReviewAnswer => this.reviews.accept(entry.review, { revision }, 'load');
                    const content = text === undefined ? entry.text : 'proposal';
                    if (content === '') {
                        expect(accept).to.throw('A CLI cannot empty a file');
                    } else {
                        expect(accept().result).to.equal('done');
                        this.end(entry);
                        this.expected[owner].push({ method: 'ide/diffAccepted', params: { filePath, content } });
                        expect(this.reviews.accept(entry.review, { revision: PROPOSAL }, 'another load').result).to.equal('late');
                    }
                }
                break;
            case 'reject':
                if (entry) {
                    expect(this.reviews.reject(entry.review, 'load').result).to.equal('done');
                    this.end(entry);
                    this.expected[owner].push({ method: 'ide/diffRejected', params: { filePath } });
                }
                break;
            case 'close': {
                const closed = this.ofProcess(owner).find(one => one.file === file);
                expect(await this.reviews.close(this.owners[owner], WINDOW, filePath, true, async () => undefined)).to.equal(closed?.text);
                this.end(closed);
                break;
            }
            case 'disconnect':
                this.reviews.orphan(review => review.owner === this.owners[owner], 'ended');
                this.waiting = this.waiting.filter(one => one.owner !== owner);
                break;
            case 'identify':
                this.owners[owner].peer = { pid: owner < 2 ? 7 : 8, startTime: '1' };
                this.reviews.closeSuperseded(this.owners[owner], WINDOW);
                this.ofProcess(owner)
                    .filter((one, index, all) => all.slice(index + 1).some(later => later.file === one.file))
                    .forEach(one => this.end(one));
                break;
            case 'reconnect':
                if (owner < 2 && this.owners[0].peer && this.owners[1].peer) {
                    const successor = 1 - owner;
                    this.reviews.handOver(this.owners[owner], this.owners[successor]);
                    this.waiting.filter(one => one.owner === owner).forEach(one => (one.owner = successor));
                }
                break;
        }
    }

    check(): void {
        expect(this.owners.map(owner => owner.told)).to.deep.equal(this.expected);
        expect(this.reviews.waiting()).to.have.members(this.waiting.map(({ review }) => review));
        this.reviews.dispose();
    }

    private ofProcess(owner: number): Waiting[] {
        const isOne = owner < 2 && this.owners[0].peer && this.owners[1].peer;
        return this.waiting.filter(one => one.owner === owner || (isOne && one.owner < 2));
    }

    private end(entry: Waiting | undefined): void {
        this.waiting = this.waiting.filter(one => one !== entry);
    }
}

interface Waiting {
    readonly review: Review;
    owner: number;
    readonly file: number;
    text: string;
}
