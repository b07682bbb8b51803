// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ModelClock } from '../../test/reviews/model-clock';
import { ReviewText } from './review-text';

const HOUR_MS = 3_600_000;
const ABOUT = { reviewId: 'a', uri: 'file:///ws/a', cliName: 'Qwen Code' };

describe('The time when a text was typed', () => {
    let clock: ModelClock;
    let text: ReviewText;

    beforeEach(() => {
        clock = new ModelClock();
        text = load();
    });

    function load(): ReviewText {
        return new ReviewText(ABOUT, { clock, newRevision: () => ({ page: 'page', n: 1 }), flush: () => undefined });
    }

    function type(): void {
        text.type({ text: 'typed', length: 5, isEdited: true });
    }

    it('is said as the time since then, whenever it is sent', async () => {
        type();
        await clock.pass(301);
        text.seal();
        expect(text.outgoing).to.deep.include({ text: 'typed', ago: 301 });
        await clock.pass(HOUR_MS);
        expect(text.outgoing.ago, 'sent again').to.equal(HOUR_MS + 301);
    });

    it('is that of the text which is sent, also if the user types on', async () => {
        type();
        text.seal();
        await clock.pass(HOUR_MS);
        type();
        expect(text.outgoing.ago).to.equal(HOUR_MS);
        text.seal();
        expect(text.outgoing.ago).to.equal(0);
    });

    it('counts the sleep of a device, in which the clock of the page stands still', () => {
        type();
        text.seal();
        clock.ahead = HOUR_MS;
        expect(text.outgoing.ago).to.equal(HOUR_MS);
    });

    it('is not later because somebody has set the clock of the device back', async () => {
        type();
        text.seal();
        await clock.pass(HOUR_MS);
        clock.ahead = -2 * HOUR_MS;
        expect(text.outgoing.ago).to.equal(HOUR_MS);
    });

    it('survives a reload of the page, and is not in the future then', async () => {
        await clock.pass(HOUR_MS);
        type();
        text.seal();
        const stored: unknown = JSON.parse(JSON.stringify(text.sealed));
        clock.ahead = 3 * HOUR_MS;
        clock.now = 10;
        text = load();
        text.restore(stored as NonNullable<ReviewText['sealed']>);
        expect(text.outgoing).to.deep.include({ text: 'typed', ago: 2 * HOUR_MS + 10 });
        [clock.now, clock.ahead] = [3 * HOUR_MS, -3 * HOUR_MS];
        expect(text.outgoing.ago, 'the clock was set back').to.equal(0);
    });

    it('is not known of a text that an earlier version has stored', () => {
        text.restore({ about: ABOUT, revision: { page: 'earlier', n: 1 }, base: [], text: 'typed' });
        expect(text.outgoing).to.not.have.property('ago');
    });
});
