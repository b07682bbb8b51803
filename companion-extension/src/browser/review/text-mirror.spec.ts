// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { TextMirror } from './text-mirror';

describe('TextMirror', () => {
    let clock: SinonFakeTimers;
    let text: string;
    let sent: string[];
    let answer: Promise<void>;
    let told: string[];
    let mirror: TextMirror;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        text = '';
        sent = [];
        told = [];
        answer = Promise.resolve();
        mirror = new TextMirror({
            length: () => text.length,
            send: () => {
                sent.push(text);
                return answer;
            },
            sent: () => told.push('sent')
        });
    });
    afterEach(() => clock.restore());

    function type(value: string): void {
        text += value;
        mirror.changed();
    }

    async function settle(): Promise<void> {
        await new Promise(resolve => setImmediate(resolve));
    }

    it('sends the text once the user stops typing', async () => {
        type('a');
        clock.tick(299);
        type('b');
        clock.tick(299);
        expect(sent).to.deep.equal([]);
        clock.tick(2);
        expect(sent).to.deep.equal(['ab']);
    });

    it('also sends while the user types without a pause', () => {
        for (let time = 0; time < 20; time++) {
            type('a');
            clock.tick(100);
        }
        expect(sent).to.have.length(1);
    });

    it('flushes what was not sent yet, and nothing else', async () => {
        void mirror.flush();
        type('a');
        void mirror.flush();
        await settle();
        void mirror.flush();
        expect(sent).to.deep.equal(['a']);
        expect(told).to.deep.equal(['sent']);
    });

    it('sends changes at once, and repeats no call that is under way', async () => {
        answer = new Promise(() => undefined);
        mirror.sendChanges();
        expect(sent).to.be.empty;
        type('a');
        mirror.sendChanges();
        expect(sent).to.have.length(1);
        mirror.sendChanges();
        clock.tick(400);
        expect(sent).to.deep.equal(['a']);
    });

    it('flush repeats a call that is under way: a call made while the socket is down may be lost', async () => {
        const lost = new Deferred<void>();
        answer = lost.promise;
        type('a');
        clock.tick(400);
        answer = Promise.resolve();
        void mirror.flush();
        await settle();
        expect(sent).to.deep.equal(['a', 'a']);
        expect(mirror.unsent).to.equal(false);
        lost.reject(new Error('gone'));
        await settle();
        expect(mirror.unsent).to.equal(false);
    });

    it('a large text on a slow line is not sent twice', async () => {
        answer = new Promise(() => undefined);
        text = 'x'.repeat(5 * 1024 * 1024);
        type('y');
        clock.tick(10_000);
        await settle();
        expect(sent).to.have.length(1);
        // As long as 1 Mbit/s takes for it.
        clock.tick(42_000);
        await settle();
        clock.tick(42_000);
        expect(sent).to.have.length(1);
    });

    it('a text counts as sent only when the backend has taken it', async () => {
        expect(mirror.unsent).to.equal(false);
        const first = new Deferred<void>();
        answer = first.promise;
        type('a');
        expect(mirror.unsent).to.equal(true);
        clock.tick(400);
        expect(mirror.unsent).to.equal(true);
        first.resolve();
        await settle();
        expect(mirror.unsent).to.equal(false);
    });

    it('sends a lost text again, later each time', async () => {
        answer = Promise.reject(new Error('gone'));
        type('a');
        clock.tick(400);
        await settle();
        clock.tick(500);
        expect(sent).to.have.length(1);
        clock.tick(200);
        await settle();
        answer = Promise.resolve();
        clock.tick(1_300);
        await settle();
        expect(sent).to.deep.equal(['a', 'a', 'a']);
        expect(told).to.deep.equal(['sent']);
    });

    it('sends one text at a time, and then the last one', async () => {
        const first = new Deferred<void>();
        answer = first.promise;
        type('a');
        clock.tick(400);
        type('b');
        clock.tick(400);
        type('c');
        clock.tick(400);
        expect(sent).to.have.length(1);
        first.resolve();
        await settle();
        clock.tick(400);
        expect(sent).to.deep.equal(['a', 'abc']);
    });

    it('leaves no timer behind', () => {
        type('a');
        mirror.dispose();
        type('b');
        clock.tick(10_000);
        expect(sent).to.deep.equal([]);
        expect(clock.countTimers()).to.equal(0);
    });
});
