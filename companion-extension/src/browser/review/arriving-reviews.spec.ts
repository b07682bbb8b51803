// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { ShowReviewResult } from '../../common/companion-protocol';
import { ArrivingReviews } from './arriving-reviews';

describe('ArrivingReviews', () => {
    let arriving: ArrivingReviews;
    let events: string[];

    beforeEach(() => {
        arriving = new ArrivingReviews();
        events = [];
    });

    class Arrival {
        readonly opened = new Deferred<ShowReviewResult>();
        readonly painted = new Deferred<void>();
        readonly answer: Promise<ShowReviewResult>;

        constructor(name: string) {
            this.answer = arriving.arrive(
                place => {
                    events.push(`${name}: ${place}`);
                    return this.opened.promise;
                },
                () => this.painted.promise
            );
        }
    }

    async function settle(): Promise<void> {
        await new Promise(resolve => setImmediate(resolve));
    }

    it('opens the others behind the first one, once that is on the screen', async () => {
        const [first] = ['first', 'second', 'third'].map(name => new Arrival(name));
        await settle();
        expect(events).to.deep.equal(['first: front']);
        first.opened.resolve({ shown: true });
        expect(await first.answer).to.deep.equal({ shown: true });
        new Arrival('fourth');
        await settle();
        expect(events).to.deep.equal(['first: front']);
        first.painted.resolve();
        await settle();
        expect(events).to.deep.equal(['first: front', 'second: behind', 'third: behind', 'fourth: behind']);
        new Arrival('later');
        expect(events).to.include('later: front');
    });

    it('brings one to the front that comes after the one before has opened', async () => {
        const first = new Arrival('first');
        first.opened.resolve({ shown: true });
        await first.answer;
        await settle();
        new Arrival('second');
        expect(events).to.deep.equal(['first: front', 'second: front']);
    });

    it('brings the next one to the front if the first cannot be shown, and says of each why not', async () => {
        const [first, second, third] = ['first', 'second', 'third'].map(name => new Arrival(name));
        first.opened.resolve({ shown: false, reason: 'a folder' });
        second.opened.reject(new Error('broken'));
        const broken = second.answer.catch((error: Error) => error.message);
        third.opened.resolve({ shown: true });
        expect(await Promise.all([first.answer, broken, third.answer])).to.deep.equal([
            { shown: false, reason: 'a folder' },
            'broken',
            { shown: true }
        ]);
        expect(events).to.deep.equal(['first: front', 'second: front', 'third: front']);
    });
});
