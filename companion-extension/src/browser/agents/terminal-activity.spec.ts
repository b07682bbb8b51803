// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as sinon from 'sinon';
import { SystemClock } from '../../common/clock';
import { TerminalActivity } from './terminal-activity';

describe('A terminal whose program does not say what it does', () => {
    let clock: sinon.SinonFakeTimers;
    let activity: TerminalActivity;
    let changes: number;

    beforeEach(() => {
        clock = sinon.useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
        changes = 0;
        activity = new TerminalActivity(new SystemClock(), () => changes++);
    });

    afterEach(() => clock.restore());

    /** As Copilot CLI 1.0.102 draws its spinner, or the seconds of a command that it asks about. */
    function draw(what: 'spinner' | 'clock', seconds: number): void {
        const [every, text] = what === 'spinner' ? [100, 'x'.repeat(60)] : [1_000, '\u001b[20;90H12s\u001b[33;3H'];
        for (let ms = 0; ms < seconds * 1_000; ms += every) {
            activity.takeOutput(text);
            clock.tick(every);
        }
    }

    it('is quiet 20 seconds after it has worked, since then, and no more with its next work', () => {
        draw('spinner', 5);
        const worked = Date.now();
        clock.tick(18_000);
        expect(activity.quietSince).to.equal(undefined);
        clock.tick(2_000);
        expect(activity.quietSince).to.be.closeTo(worked, 2_000);
        draw('spinner', 1);
        expect(activity.quietSince).to.equal(undefined);
        expect(changes).to.equal(2);
    });

    it('is quiet also while a clock runs on its screen', () => {
        draw('spinner', 5);
        draw('clock', 25);
        expect(activity.quietSince).to.be.a('number');
        draw('clock', 60);
        expect(changes).to.equal(1);
    });

    it('has not worked when it drew its screen once, or echoed what was typed', () => {
        activity.takeOutput('x'.repeat(100_000));
        clock.tick(60_000);
        for (let key = 0; key < 100; key++) {
            activity.takeKey();
            clock.tick(10);
            activity.takeOutput('x'.repeat(500));
            clock.tick(190);
        }
        clock.tick(60_000);
        expect(changes).to.equal(0);
    });

    it('is not quiet for a user who types there', () => {
        draw('spinner', 5);
        clock.tick(20_000);
        activity.takeKey();
        expect(activity.quietSince).to.equal(undefined);
        clock.tick(60_000);
        expect(changes).to.equal(2);
    });

    it('tells nothing once it has ended', () => {
        draw('spinner', 5);
        activity.end();
        clock.tick(60_000);
        expect(changes).to.equal(0);
    });
});
