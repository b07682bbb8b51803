// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { restore, stub } from 'sinon';
import { MIN_VISIBLE_MS } from '../../common/companion-limits';
import { AnswerGuard } from './answer-guard';

describe('The half second after an answer', () => {
    let now: number;
    let guard: AnswerGuard;

    beforeEach(() => {
        now = 10_000;
        stub(performance, 'now').callsFake(() => now);
        guard = new AnswerGuard();
    });
    afterEach(() => restore());

    it('nothing answers, whatever it would answer; then a gesture does', () => {
        expect(guard.takesAnswer()).to.equal(true);
        guard.recordAnswer();
        now += MIN_VISIBLE_MS - 1;
        expect(guard.takesAnswer()).to.equal(false);
        now++;
        expect(guard.takesAnswer()).to.equal(true);
    });

    it('begins again when something moves, which is no answer of a key', () => {
        guard.pressKey('F9', false);
        guard.restart();
        expect([guard.takesAnswer(), guard.pressKey('F9', false)]).to.deep.equal([false, true]);
    });

    it('is over for a key that has answered only when it is released, also if it repeats for longer', () => {
        guard.pressKey('F9', false);
        guard.recordAnswer();
        now += 10 * MIN_VISIBLE_MS;
        expect([guard.pressKey('F9', true), guard.takesAnswer()]).to.deep.equal([false, false]);
        guard.releaseKey();
        expect([guard.pressKey('F9', false), guard.takesAnswer()]).to.deep.equal([true, true]);
    });

    it('is not that of a key if a click has answered', () => {
        guard.pressKey('Enter', false);
        guard.pressMouse();
        guard.recordAnswer();
        expect(guard.pressKey('Enter', false)).to.equal(true);
    });

    it('a gesture that was made before it, or before its review came up, does not count', () => {
        const pressed = now;
        now += MIN_VISIBLE_MS;
        guard.recordAnswer();
        now += MIN_VISIBLE_MS;
        expect(guard.takesAnswer(pressed)).to.equal(false);
        expect(guard.takesAnswer(now, now - MIN_VISIBLE_MS + 1)).to.equal(false);
        expect(guard.takesAnswer(now, now - MIN_VISIBLE_MS)).to.equal(true);
    });
});
