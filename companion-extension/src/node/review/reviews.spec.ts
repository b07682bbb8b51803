// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fc from 'fast-check';
import { useFakeTimers } from 'sinon';
import { PROPOSAL, ReviewAnswer } from '../../common/companion-protocol';
import { PeerProcess } from '../host/process-table';
import { draftOf } from '../test/test-page';
import { Review, ReviewOutcome, ReviewOwner, ReviewPlace, TextMark } from './review';
import { ReviewLimits, Reviews, StoredDrafts } from './reviews';

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

const DAY = 24 * 3_600_000;
const WINDOW = 'window';
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

    it('refuses new reviews if proposals and drafts take too much memory, and says what to do; a draft is always kept (A8)', () => {
        const owner = new Owner('s');
        const half = 'x'.repeat(ReviewLimits.characters / 2);
        const review = open(owner, '/w/1', half);
        reviews.take(review.id, draftOf(`${half}x`), PLACE);
        expect(review.text).to.have.length(half.length + 1);
        expect(() => open(owner, '/w/2', 'x')).to.throw(/discard some of the edits/);
        reviews.reject(review, 'load');
        expect(reviews.kept(() => true)).to.have.length(1);
        reviews.discard({ id: 'draft', revision: 1 }, () => true);
        expect(open(owner, '/w/3', half).isWaiting).to.equal(true);
    });

    it('a draft is removed 14 days after a page first listed it, and says until when it is kept', async () => {
        const clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        const pass = async (time: number): Promise<unknown> => {
            clock.setSystemTime(Date.now() + time);
            return clock.tickAsync(2_000);
        };
        try {
            const review = open(new Owner('s'), '/w/1', 'proposed');
            reviews.take(review.id, draftOf('typed'), PLACE);
            reviews.reject(review, 'load');
            await pass(15 * DAY);
            reviews.noteListed(reviews.kept(() => true));
            const until = Date.now() + 14 * DAY;
            await pass(13 * DAY);
            expect(reviews.kept(() => true).map(({ keptUntil }) => keptUntil)).to.deep.equal([until]);
            await pass(DAY);
            expect(reviews.kept(() => true)).to.deep.equal([]);
        } finally {
            clock.restore();
        }
    });

    it('the 14 days of a draft begin when its review has ended', async () => {
        const clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        try {
            const review = open(new Owner('s'), '/w/1', 'proposed');
            ['on the tablet', 'at the desk'].forEach(id => reviews.take(review.id, draftOf(id, 1, id), PLACE));
            reviews.noteListed(reviews.kept(() => true));
            clock.setSystemTime(Date.now() + 15 * DAY);
            reviews.accept(review, { draft: { id: 'at the desk', revision: 1 } }, 'load');
            await clock.tickAsync(2_000);
            expect(reviews.kept(() => true).map(({ id }) => id)).to.deep.equal(['on the tablet']);
        } finally {
            clock.restore();
        }
    });

    it('a draft is compared with what its file has at the end of its review, not with an earlier look', async () => {
        const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        let file = 'before';
        reviews.dispose();
        reviews = new Reviews({ files: { look: async () => new TextMark(file) }, nameOf: ({ cliId }) => cliId });
        try {
            const [written, waiting] = ['first', 'second'].map(name => open(new Owner(name), '/w/1', `proposed by the ${name}`));
            reviews.take(waiting.id, draftOf('a first try', 1, 'waiting'), PLACE);
            reviews.take(written.id, draftOf('typed', 1, 'written'), PLACE);
            reviews.accept(written, { draft: { id: 'written', revision: 1 } }, 'load');
            file = 'typed';
            await clock.tickAsync(2_000);
            file = 'before';
            reviews.take(waiting.id, draftOf('typed', 2, 'waiting'), PLACE);
            reviews.reject(waiting, 'load');
            await clock.tickAsync(2_000);
            expect(reviews.kept(() => true).map(({ id }) => id)).to.deep.equal(['waiting']);
        } finally {
            clock.restore();
        }
    });

    it('what an earlier backend had settled does not come back, even if a page sends it before that is known', async () => {
        let takeOver: (left: StoredDrafts) => void = () => undefined;
        const store = { claim: async (take: typeof takeOver) => void (takeOver = take), keep: () => undefined, saved: Promise.resolve() };
        reviews.dispose();
        reviews = new Reviews({ files: { look: async () => undefined }, store, nameOf: ({ cliId }) => cliId });
        await reviews.restore();
        reviews.take('forgotten', draftOf('discarded', 3), PLACE);
        expect(reviews.kept(() => true)).to.have.length(1);
        takeOver({ drafts: [], settled: [{ id: 'draft', revision: 3 }] });
        expect(reviews.kept(() => true)).to.deep.equal([]);
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
    return new Reviews({ files: { look: async () => undefined }, nameOf: ({ cliId }) => cliId });
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
                    this.reviews.take(entry.review.id, draftOf(text, ++this.revision), PLACE);
                    entry.text = text;
                }
                break;
            case 'accept':
                if (entry) {
                    const accept = (): ReviewAnswer =>
                        this.reviews.accept(entry.review, text === undefined ? {} : { draft: PROPOSAL }, 'load');
                    const content = text === undefined ? entry.text : 'proposal';
                    if (content === '') {
                        expect(accept).to.throw('A CLI cannot empty a file');
                    } else {
                        expect(accept().result).to.equal('done');
                        this.end(entry);
                        this.expected[owner].push({ method: 'ide/diffAccepted', params: { filePath, content } });
                        expect(this.reviews.accept(entry.review, {}, 'another load').result).to.equal('late');
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
                this.reviews.orphan(review => review.owner === this.owners[owner]);
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
