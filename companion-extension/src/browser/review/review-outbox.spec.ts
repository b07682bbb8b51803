// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { OutboxItem, ReviewOutbox, Unsent } from './review-outbox';

describe('ReviewOutbox', () => {
    let clock: SinonFakeTimers;
    let connected: boolean;
    let openedAt: number;
    let installation: string | undefined;
    let stored: Map<string, string>;
    /** The browser has no room. */
    let full: boolean;
    let outbox: ReviewOutbox;
    /** What was sent: the item's name and revision. */
    let sent: string[];
    /** What the answers of the backend wait for. */
    let answers: Deferred<void>[];

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        connected = true;
        openedAt = 0;
        installation = 'here';
        stored = new Map();
        full = false;
        sent = [];
        answers = [];
        outbox = load();
        outbox.greeted(() => undefined);
    });
    afterEach(() => clock.restore());

    /** A load of the page. */
    function load(): ReviewOutbox {
        const storage = {
            getItem: (key: string) => stored.get(key) ?? null,
            setItem: (key: string, value: string) => {
                if (full) {
                    throw new Error('QuotaExceededError');
                }
                stored.set(key, value);
            },
            removeItem: (key: string) => void stored.delete(key),
            key: (index: number) => [...stored.keys()][index] ?? null,
            get length(): number {
                return stored.size;
            }
        };
        return new ReviewOutbox({
            connectedSince: () => (connected ? openedAt : undefined),
            installation: () => installation,
            storage: () => storage
        });
    }

    /** What a user types. */
    class Draft implements OutboxItem {
        revision = 1;
        length = 10;

        constructor(readonly id: string) {}

        async send(): Promise<void> {
            sent.push(`${this.id} ${this.revision}`);
            const answer = new Deferred<void>();
            answers.push(answer);
            await answer.promise;
        }

        get unsent(): Extract<Unsent, { reviewId: string }> {
            const { id, revision } = this;
            return { reviewId: 'review', draft: { id, revision, text: 'typed', about: { uri: 'file:///a', cliName: 'CLI' } } };
        }
    }

    function type(draft: Draft): void {
        draft.revision++;
        outbox.putSoon(draft.id, draft);
    }

    async function arrive(index = answers.length - 1): Promise<void> {
        answers[index].resolve();
        await new Promise(resolve => setImmediate(resolve));
    }

    async function fail(): Promise<void> {
        answers.at(-1)?.reject(new Error('The socket is down'));
        await new Promise(resolve => setImmediate(resolve));
    }

    it('sends a draft when the user pauses, and now and then while the user types without a pause', () => {
        const draft = new Draft('a');
        outbox.putSoon('a', draft);
        clock.tick(299);
        expect(sent).to.deep.equal([]);
        clock.tick(1);
        expect(sent).to.deep.equal(['a 1']);
        const other = new Draft('b');
        for (let key = 0; key < 20; key++) {
            outbox.putSoon('b', other);
            clock.tick(100);
        }
        expect(sent).to.deep.equal(['a 1', 'b 1']);
    });

    it('sends what was typed during a call when that call has ended, or at once when asked to', async () => {
        const draft = new Draft('a');
        outbox.put('a', draft);
        type(draft);
        clock.tick(1_000);
        expect(sent, 'one call at a time').to.deep.equal(['a 1']);
        await arrive();
        clock.tick(300);
        expect(sent).to.deep.equal(['a 1', 'a 2']);
        type(draft);
        outbox.flush();
        expect(sent).to.deep.equal(['a 1', 'a 2', 'a 3']);
        outbox.flush();
        expect(sent, 'nothing twice').to.have.length(3);
    });

    it('drops what has arrived, and nothing newer', async () => {
        const draft = new Draft('a');
        outbox.put('a', draft);
        type(draft);
        await arrive();
        expect(outbox.has('a')).to.equal(true);
        clock.tick(300);
        await arrive();
        expect(outbox.has('a')).to.equal(false);
    });

    it('sends again on a new connection, and later each time if nothing arrives', async () => {
        outbox.put('a', new Draft('a'));
        outbox.reconnected();
        expect(sent).to.have.length(2);
        await fail();
        clock.tick(599);
        expect(sent).to.have.length(2);
        clock.tick(1);
        expect(sent).to.have.length(3);
        await fail();
        clock.tick(1_199);
        expect(sent).to.have.length(3);
        clock.tick(1);
        expect(sent).to.have.length(4);
        await arrive();
        clock.tick(60_000);
        expect(sent).to.have.length(4);
    });

    it('keeps trying, at last with the longest pause, and with the shortest again once something has arrived', async () => {
        const draft = new Draft('a');
        outbox.put('a', draft);
        for (const pause of [600, 1_200, 2_400, 4_800, 9_600, 9_600, 9_600]) {
            await fail();
            const before = sent.length;
            clock.tick(pause - 1);
            expect(sent).to.have.length(before);
            clock.tick(1);
            expect(sent).to.have.length(before + 1);
        }
        await arrive();
        type(draft);
        clock.tick(300);
        expect(sent.at(-1)).to.equal('a 2');
    });

    it('says of each call that it may not have arrived', async () => {
        let failures = 0;
        const draft = new Draft('a');
        outbox.put('a', { revision: 1, length: 10, send: () => draft.send(), failed: () => failures++ });
        await fail();
        clock.tick(600);
        await fail();
        expect(failures).to.equal(2);
        clock.tick(1_200);
        await arrive();
        expect(failures).to.equal(2);
    });

    it('an earlier call that fails late changes nothing, and one that arrives late counts', async () => {
        outbox.put('a', new Draft('a'));
        outbox.reconnected();
        answers[0].reject(new Error('The socket is down'));
        await new Promise(resolve => setImmediate(resolve));
        clock.tick(5_000);
        expect(sent).to.have.length(2);
        await arrive();
        expect(outbox.has('a')).to.equal(false);
        outbox.put('b', new Draft('b'));
        outbox.reconnected();
        await arrive(2);
        expect(outbox.has('b')).to.equal(false);
    });

    it('a large text on a slow line is not sent twice, and only rarely while the user types in it', async () => {
        const draft = new Draft('a');
        draft.length = 5 * 1024 * 1024;
        type(draft);
        clock.tick(1_000);
        expect(sent).to.be.empty;
        clock.tick(400);
        // As long as 1 Mbit/s takes for it.
        clock.tick(130_000);
        await new Promise(resolve => setImmediate(resolve));
        clock.tick(9_000);
        await new Promise(resolve => setImmediate(resolve));
        expect(sent).to.have.length(1);
        await arrive();
        expect(outbox.has('a')).to.equal(false);
    });

    it('sends each item, whatever happens to the others', async () => {
        const [a, b] = ['a', 'b'].map(id => new Draft(id));
        outbox.putSoon('a', a);
        outbox.putSoon('b', b);
        clock.tick(300);
        expect(sent).to.deep.equal(['a 1', 'b 1']);
        answers[0].reject(new Error('refused'));
        await arrive(1);
        expect([outbox.has('a'), outbox.has('b')]).to.deep.equal([true, false]);
        clock.tick(600);
        expect(sent).to.deep.equal(['a 1', 'b 1', 'a 1']);
    });

    it('what was dropped is not sent again, and does not come back when its call ends', async () => {
        outbox.put('a', new Draft('a'));
        outbox.drop('a');
        await fail();
        clock.tick(60_000);
        expect(sent).to.have.length(1);
        expect(outbox.has('a')).to.equal(false);
    });

    it('sends again what is not answered in time', async () => {
        outbox.put('a', new Draft('a'));
        clock.tick(10_001);
        await new Promise(resolve => setImmediate(resolve));
        clock.tick(600);
        expect(sent).to.have.length(2);
    });

    it('a discard takes only the revision that it names', () => {
        const draft = new Draft('a');
        outbox.putSoon('a', draft);
        type(draft);
        outbox.drop('a', 1);
        expect(outbox.has('a')).to.equal(true);
        outbox.drop('a', 2);
        expect(outbox.has('a')).to.equal(false);
    });

    it('an earlier revision does not replace a later one', () => {
        connected = false;
        const draft = new Draft('a');
        type(draft);
        outbox.put('a', { revision: 1, length: 10, send: () => draft.send(), unsent: { discard: { id: 'earlier', revision: 1 } } });
        outbox.leave();
        const loaded: Unsent[] = [];
        load().greeted(unsent => loaded.push(unsent));
        expect(loaded).to.deep.equal([draft.unsent]);
    });

    it('passes what has not arrived to the next load of the page, once, but no answers', async () => {
        connected = false;
        const draft = new Draft('a');
        outbox.putSoon('a', draft);
        outbox.put('discard b', { revision: 1, length: 0, send: () => draft.send(), unsent: { discard: { id: 'b', revision: 1 } } });
        outbox.put('answer c', { revision: 1, length: 0, send: () => draft.send() });
        expect(outbox.leave()).to.equal(false);
        outbox.dispose();
        connected = true;
        const next = load();
        const loaded: Unsent[] = [];
        next.greeted(unsent => loaded.push(unsent));
        expect(loaded).to.deep.equal([draft.unsent, { discard: { id: 'b', revision: 1 } }]);
        next.greeted(unsent => loaded.push(unsent));
        expect(loaded).to.have.length(2);
    });

    it('forgets what it stored once that has arrived', async () => {
        connected = false;
        outbox.put('a', new Draft('a'));
        expect(stored.size).to.equal(1);
        connected = true;
        outbox.reconnected();
        await arrive();
        expect(stored.size).to.equal(0);
    });

    it('stores what was typed last, also what the timer has not sent yet', () => {
        connected = false;
        const draft = new Draft('a');
        outbox.put('a', draft);
        type(draft);
        outbox.leave();
        const loaded: Unsent[] = [];
        load().greeted(unsent => loaded.push(unsent));
        expect(loaded).to.deep.equal([{ reviewId: 'review', draft: { ...draft.unsent.draft, revision: 2 } }]);
    });

    it('loads nothing that somebody else has stored there, and nothing if the browser forbids storage', () => {
        for (const value of ['{', '{}', '7', 'null']) {
            stored.set('companion.drafts.here', value);
            load().greeted(() => expect.fail(value));
        }
        const forbidden = new ReviewOutbox({
            connectedSince: () => (connected ? openedAt : undefined),
            installation: () => installation,
            storage: () => {
                throw new Error('SecurityError');
            }
        });
        forbidden.greeted(() => expect.fail('there is no storage'));
        expect(forbidden.leave(), 'nothing is lost').to.equal(true);
        forbidden.put('a', new Draft('a'));
        expect(forbidden.leave()).to.equal(false);
    });

    it('gives nothing to another installation, and leaves what is stored before the first hello', () => {
        connected = false;
        outbox.put('a', new Draft('a'));
        outbox.dispose();
        installation = undefined;
        const early = load();
        early.greeted(() => expect.fail('nobody said whose backend it is'));
        early.leave();
        early.dispose();
        installation = 'elsewhere';
        load().greeted(() => expect.fail('it is another installation'));
        installation = 'here';
        const loaded: Unsent[] = [];
        load().greeted(unsent => loaded.push(unsent));
        expect(loaded).to.have.length(1);
    });

    it('asks before the page is left while something may be lost', async () => {
        expect(outbox.leave(), 'nothing is under way').to.equal(true);
        outbox.put('a', new Draft('a'));
        expect(outbox.leave(), 'it is on its way').to.equal(true);
        clock.tick(2_001);
        expect(outbox.leave(), 'nobody answers').to.equal(false);
        outbox.reconnected();
        expect(outbox.leave(), 'Theia reloads by itself').to.equal(true);
        connected = false;
        expect(outbox.leave(), 'the connection is lost').to.equal(false);
        connected = true;
        await fail();
        expect(outbox.leave(), 'the backend did not take it').to.equal(false);
    });

    it('sends at once what is typed before the page is left, and what an earlier load could not send', () => {
        outbox.putSoon('a', new Draft('a'));
        outbox.leave();
        expect(sent).to.deep.equal(['a 1']);
        const next = load();
        next.greeted(() => next.putSoon('a', new Draft('a')));
        expect(sent).to.deep.equal(['a 1', 'a 1']);
    });

    it('asks before a page is left that was loaded again offline, while something is stored', () => {
        installation = undefined;
        expect(load().leave(), 'nothing is stored').to.equal(true);
        stored.set('companion.drafts.here', '[]');
        const early = load();
        expect(early.leave()).to.equal(false);
        installation = 'here';
        early.greeted(() => undefined);
        expect(early.leave(), 'it is loaded').to.equal(true);
    });

    it('says if the browser cannot store what has not arrived', async () => {
        let changes = 0;
        outbox.onDidChange(() => changes++);
        full = true;
        connected = false;
        outbox.put('a', new Draft('a'));
        expect(outbox.isAtRisk).to.equal(true);
        expect(outbox.leave()).to.equal(false);
        expect(changes).to.equal(1);
        connected = true;
        await arrive();
        expect(outbox.isAtRisk).to.equal(false);
    });

    it('reports that something has arrived, also to code that asks then', async () => {
        const seen: boolean[] = [];
        outbox.onDidChange(() => seen.push(outbox.has('a')));
        outbox.put('a', new Draft('a'));
        await arrive();
        expect(seen).to.deep.equal([false]);
    });

    it('sends what it has when the page ends, and leaves no timer behind', () => {
        const draft = new Draft('a');
        outbox.putSoon('a', draft);
        outbox.dispose();
        expect(sent).to.deep.equal(['a 1']);
        expect(stored.size).to.equal(1);
        type(draft);
        outbox.flush();
        outbox.reconnected();
        expect(sent).to.deep.equal(['a 1']);
        // The call that is under way has an end.
        clock.tick(10_001);
        expect(clock.countTimers()).to.equal(0);
    });

    it('does not delay the reload that Theia does as soon as the socket is open again', async () => {
        for (const offline of [3_000, 11_000]) {
            connected = false;
            outbox.putSoon('a', new Draft('a'));
            clock.tick(offline);
            await new Promise(resolve => setImmediate(resolve));
            connected = true;
            openedAt = Date.now();
            expect(outbox.leave()).to.equal(true);
        }
    });

    it('typing without a pause does not delay what is sent again', async () => {
        const draft = new Draft('a');
        outbox.put('a', draft);
        await fail();
        for (let key = 0; key < 10; key++) {
            type(draft);
            clock.tick(100);
        }
        expect(sent.length).to.be.greaterThan(1);
    });

    it('an answer that arrived, and is no longer an item, ends the failures', async () => {
        const answer: OutboxItem = { revision: 1, length: 0, send: async () => outbox.drop('answer') };
        outbox.put('a', new Draft('a'));
        await fail();
        outbox.put('answer', answer);
        await new Promise(resolve => setImmediate(resolve));
        expect(outbox.leave()).to.equal(true);
    });
});
