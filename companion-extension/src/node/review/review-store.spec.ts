// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fc from 'fast-check';
import { PROPOSAL_VERSION, ShownText } from '../../common/companion-protocol';
import { PeerProcess } from '../host/process-table';
import { ReviewOutcome, ReviewOwner } from './review';
import { ReviewLimits, ReviewStore } from './review-store';

class Owner implements ReviewOwner {
    cliId = 'qwen-code';
    readonly gone = false;
    readonly told: ReviewOutcome[] = [];
    peer: PeerProcess | undefined;

    constructor(readonly id: string) {}

    notify(notification: ReviewOutcome): void {
        this.told.push(notification);
    }
}

const FILE = { path: '/w/a.txt', outsideWorkspace: false };

describe('ReviewStore', () => {
    it('has a bound on waiting reviews and on their size, and says so', () => {
        const owner = new Owner('s');
        const many = new ReviewStore();
        for (let index = 0; index < ReviewLimits.reviews; index++) {
            many.open(owner, `/w/${index}`, '', FILE);
        }
        expect(() => many.open(owner, '/w/more', '', FILE)).to.throw(/Too many diffs/);
        const large = new ReviewStore();
        const half = 'x'.repeat(ReviewLimits.characters / 2);
        large.open(owner, '/w/1', half, FILE);
        large.open(owner, '/w/2', half, FILE);
        expect(() => large.open(owner, '/w/3', 'x', FILE)).to.throw(/Too many diffs/);
    });

    it('paths that differ only in spelling are different reviews: the CLIs compare them as strings', () => {
        const store = new ReviewStore();
        const owner = new Owner('s');
        store.open(owner, '/w/a.txt', 'one', FILE);
        store.open(owner, '/w/./a.txt', 'two', FILE);
        expect(store.close(owner, '/w/./a.txt')?.text).to.equal('two');
        expect(store.close(owner, '/w/a.txt')?.text).to.equal('one');
    });

    it('an edit that is taken back gives the proposal back, byte for byte', () => {
        const store = new ReviewStore();
        const owner = new Owner('s');
        const proposal = 'mixed\r\nline ends\nand \r alone';
        const { id } = store.open(owner, '/w/a.txt', proposal, FILE);
        store.edit(id, 'page', { revision: 1, text: 'mixed\nline ends\nand \n alone, edited', base: PROPOSAL_VERSION });
        store.edit(id, 'page', { revision: 2, base: PROPOSAL_VERSION });
        expect(store.get(id)).to.include({ text: proposal, edited: false });
        store.accept(id, {});
        expect(owner.told).to.deep.equal([{ method: 'ide/diffAccepted', params: { filePath: '/w/a.txt', content: proposal } }]);
    });

    it('counts the edits of each load of a page by themselves: clocks of two devices differ', () => {
        const store = new ReviewStore();
        const { id } = store.open(new Owner('s'), '/w/a.txt', 'new', FILE);
        expect(store.edit(id, 'device', { revision: 1000, text: 'there', base: PROPOSAL_VERSION })).to.deep.equal({ result: 'done' });
        const base = { writer: 'device', revision: 1000 };
        expect(store.edit(id, 'desk', { revision: 1, text: 'here', base })).to.deep.equal({ result: 'done' });
        expect(store.get(id)).to.deep.include({ text: 'here', version: { writer: 'desk', revision: 1 } });
    });

    it('does not let a page overwrite what another one wrote and it has not seen', () => {
        const store = new ReviewStore();
        const { id } = store.open(new Owner('s'), '/w/a.txt', 'new', FILE);
        store.edit(id, 'desk', { revision: 1, text: 'at the desk', base: PROPOSAL_VERSION });
        store.edit(id, 'device', { revision: 7, text: 'on the device', base: { writer: 'desk', revision: 1 } });
        const asleep = { revision: 2, text: 'at the desk, before it slept', base: PROPOSAL_VERSION };
        expect(store.edit(id, 'desk', asleep)).to.deep.equal({ result: 'late' });
        expect(store.get(id)?.text).to.equal('on the device');
        const awake = { revision: 3, text: 'both', base: { writer: 'device', revision: 7 } };
        expect(store.edit(id, 'desk', awake)).to.deep.equal({ result: 'done' });
        expect(store.get(id)?.text).to.equal('both');
    });

    it('accepts what the user saw, whatever was mirrored: the proposal, a text, or without a view the text mirrored last', () => {
        const cases: Array<[ShownText, string]> = [
            [{ unedited: true }, 'new'],
            [{ text: 'typed' }, 'typed'],
            [{}, 'mirrored']
        ];
        for (const [shown, content] of cases) {
            const store = new ReviewStore();
            const owner = new Owner('s');
            const { id } = store.open(owner, '/w/a.txt', 'new', FILE);
            store.edit(id, 'page', { revision: 1, text: 'mirrored', base: PROPOSAL_VERSION });
            expect(store.accept(id, shown)).to.deep.equal({ result: 'done' });
            expect(owner.told).to.deep.equal([{ method: 'ide/diffAccepted', params: { filePath: '/w/a.txt', content } }]);
        }
    });

    it('counts edits against the limit, too', () => {
        const store = new ReviewStore();
        const owner = new Owner('s');
        const quarter = 'x'.repeat(ReviewLimits.characters / 4);
        const { id } = store.open(owner, '/w/1', quarter, FILE);
        store.open(owner, '/w/2', quarter, FILE);
        const edit = { revision: 1, text: quarter + quarter, base: PROPOSAL_VERSION };
        expect(store.edit(id, 'page', edit)).to.deep.equal({ result: 'done' });
        expect(store.edit(id, 'page', { ...edit, revision: 2, text: `${edit.text}x` })).to.deep.equal({ result: 'full' });
        expect(() => store.open(owner, '/w/3', 'x', FILE)).to.throw(/Too many diffs/);
        expect(store.get(id)?.text).to.equal(edit.text);
    });

    it('a session closes and replaces the diffs of the other ones of its process, and of no other', () => {
        const store = new ReviewStore();
        const [earlier, later, reused, otherCli] = [1, 2, 3, 4].map(number => new Owner(String(number)));
        earlier.peer = later.peer = { pid: 7, startTime: '1' };
        reused.peer = { pid: 7, startTime: '2' };
        otherCli.peer = earlier.peer;
        otherCli.cliId = 'gemini-cli';
        const first = store.open(earlier, '/w/a.txt', 'first', FILE);
        for (const other of [reused, otherCli]) {
            expect(store.close(other, '/w/a.txt')).to.equal(undefined);
        }
        expect(store.open(later, '/w/a.txt', 'second', FILE).state).to.equal('pending');
        expect(first.state).to.equal('closed');
        expect(store.close(earlier, '/w/a.txt')?.text).to.equal('second');
        expect(store.close(later, '/w/a.txt')).to.equal(undefined);
    });

    it('a proposal over the limit ends the earlier one of the file, too: an answer to that would settle this one', () => {
        const store = new ReviewStore();
        const owner = new Owner('s');
        const first = store.open(owner, '/w/a.txt', 'first', FILE);
        expect(() => store.open(owner, '/w/a.txt', 'x'.repeat(ReviewLimits.characters + 1), FILE)).to.throw(/Too many diffs/);
        expect(first.state).to.equal('closed');
    });

    it('N7: in any order of events no outcome is lost, doubled or sent to another session', () => {
        const event = fc.record({
            kind: fc.constantFrom('open', 'accept', 'reject', 'edit', 'close', 'disconnect', 'identify', 'reconnect'),
            owner: fc.nat(2),
            file: fc.nat(1),
            text: fc.constantFrom(undefined, '', 'edited')
        });
        fc.assert(
            fc.property(fc.array(event, { maxLength: 60 }), events => {
                const world = new World();
                events.forEach(({ kind, owner, file, text }) => world.apply(kind, owner, file, text));
                world.check();
            }),
            { numRuns: 500 }
        );
    });
});

/** What the user has answered so far, kept as simply as can be, beside the store that is tested. */
class World {
    private readonly store = new ReviewStore();
    /** The first two are sessions of one process. */
    private readonly owners = [new Owner('0'), new Owner('1'), new Owner('2')];
    private readonly expected: ReviewOutcome[][] = [[], [], []];
    /** The oldest first. */
    private waiting: Waiting[] = [];
    private revision = 0;

    apply(kind: string, owner: number, file: number, text: string | undefined): void {
        const filePath = `/w/${file}`;
        const review = this.waiting.find(one => one.owner === owner && one.file === file);
        switch (kind) {
            case 'open': {
                this.end(this.ofProcess(owner).find(one => one.file === file));
                const { id } = this.store.open(this.owners[owner], filePath, 'proposal', FILE);
                this.waiting.push({ id, owner, file, text: 'proposal' });
                break;
            }
            case 'edit':
                if (review && text !== undefined) {
                    this.store.edit(review.id, 'page', { revision: ++this.revision, text, base: PROPOSAL_VERSION });
                    review.text = text;
                }
                break;
            case 'accept': {
                const answer = this.store.accept(review?.id ?? 'none', text === undefined ? {} : { text });
                const content = text ?? review?.text;
                if (!review) {
                    expect(answer.result).to.equal('late');
                } else if (content === '') {
                    expect(answer.result).to.equal('emptied');
                } else {
                    expect(answer.result).to.equal('done');
                    this.end(review);
                    this.expected[owner].push({ method: 'ide/diffAccepted', params: { filePath, content: content ?? '' } });
                }
                break;
            }
            case 'reject':
                expect(this.store.reject(review?.id ?? 'none').result).to.equal(review ? 'done' : 'late');
                if (review) {
                    this.end(review);
                    this.expected[owner].push({ method: 'ide/diffRejected', params: { filePath } });
                }
                break;
            case 'close': {
                const closed = this.ofProcess(owner).find(one => one.file === file);
                expect(this.store.close(this.owners[owner], filePath)?.text).to.equal(closed?.text);
                this.end(closed);
                break;
            }
            case 'disconnect':
                this.store.orphan(this.owners[owner]);
                this.waiting = this.waiting.filter(one => one.owner !== owner);
                break;
            case 'identify':
                this.owners[owner].peer = { pid: owner < 2 ? 7 : 8, startTime: '1' };
                this.store.closeSuperseded(this.owners[owner]);
                this.ofProcess(owner)
                    .filter((one, index, all) => all.slice(index + 1).some(later => later.file === one.file))
                    .forEach(one => this.end(one));
                break;
            case 'reconnect':
                if (owner < 2 && this.owners[0].peer && this.owners[1].peer) {
                    const successor = 1 - owner;
                    this.store.handOver(this.owners[owner], this.owners[successor]);
                    this.waiting.filter(one => one.owner === owner).forEach(one => (one.owner = successor));
                }
                break;
        }
    }

    private ofProcess(owner: number): Waiting[] {
        const isOne = owner < 2 && this.owners[0].peer && this.owners[1].peer;
        return this.waiting.filter(one => one.owner === owner || (isOne && one.owner < 2));
    }

    private end(review: Waiting | undefined): void {
        this.waiting = this.waiting.filter(one => one !== review);
    }

    check(): void {
        expect(this.owners.map(owner => owner.told)).to.deep.equal(this.expected);
        expect(this.store.waiting().map(review => review.id)).to.have.members(this.waiting.map(({ id }) => id));
    }
}

interface Waiting {
    readonly id: string;
    owner: number;
    readonly file: number;
    text: string;
}
