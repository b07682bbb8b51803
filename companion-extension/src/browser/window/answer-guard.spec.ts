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
        let heard = 0;
        guard.onDidAnswer(() => heard++);
        guard.recordAnswer();
        now += MIN_VISIBLE_MS - 1;
        expect([heard, guard.takesAnswer()]).to.deep.equal([1, false]);
        now++;
        expect(guard.takesAnswer()).to.equal(true);
    });

    it('begins again when something moves, and nobody is told of an answer', () => {
        let heard = 0;
        guard.onDidAnswer(() => heard++);
        guard.restart();
        expect([heard, guard.takesAnswer()]).to.deep.equal([0, false]);
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
