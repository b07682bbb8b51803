// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { ReviewReader } from './review-reader';

describe('ReviewReader', () => {
    let clock: SinonFakeTimers;
    let greeted: Deferred<void>;
    let asked: Array<Deferred<string>>;
    let restoring: boolean;
    let reader: ReviewReader;

    beforeEach(() => {
        clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        greeted = new Deferred();
        asked = [];
        restoring = false;
        reader = new ReviewReader({
            connection: { ready: greeted.promise, ask: call => call() },
            restoring: () => restoring
        });
    });

    afterEach(() => clock.restore());

    function read(): Promise<string> {
        const call = (): Promise<string> => {
            const answer = new Deferred<string>();
            asked.push(answer);
            return answer.promise;
        };
        return reader.read('1', call, 'Too late.').catch((error: Error) => error.message);
    }

    async function settle(): Promise<void> {
        await new Promise(resolve => setImmediate(resolve));
    }

    it('reads for both sides of a review at once, and again later', async () => {
        greeted.resolve();
        const sides = [read(), read()];
        await settle();
        expect(asked).to.have.length(1);
        asked[0].resolve('proposed');
        expect(await Promise.all(sides)).to.deep.equal(['proposed', 'proposed']);
        void read();
        await settle();
        expect(asked).to.have.length(2);
    });

    it('holds the restoring of the layout for 3 s at most, where the hello stays out', async () => {
        restoring = true;
        const reading = read();
        clock.tick(3_000);
        expect(await reading).to.equal('Too late.');
    });

    it('holds the restoring of the layout for 3 s at most, where the text stays out', async () => {
        restoring = true;
        const reading = read();
        clock.tick(2_000);
        greeted.resolve();
        await settle();
        expect(asked).to.have.length(1);
        clock.tick(1_000);
        expect(await reading).to.equal('Too late.');
        expect(clock.countTimers()).to.equal(0);
    });

    it('afterwards waits for the hello of a page that waits for its lock, and for the text', async () => {
        const reading = read();
        clock.tick(19_000);
        greeted.resolve();
        await settle();
        asked[0].resolve('proposed');
        expect(await reading).to.equal('proposed');
    });

    it('what was given up while the layout was restored is read anew', async () => {
        restoring = true;
        const first = read();
        clock.tick(3_000);
        await first;
        restoring = false;
        const second = read();
        greeted.resolve();
        await settle();
        asked[asked.length - 1].resolve('proposed');
        expect(await second).to.equal('proposed');
    });
});
