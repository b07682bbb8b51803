// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { WindowState } from '../../common/companion-protocol';
import { HelloLoop } from './hello-loop';

describe('HelloLoop', () => {
    let clock: SinonFakeTimers;
    let calls: Deferred<WindowState>[];
    let received: number[];
    let failures: string[];
    let loop: HelloLoop;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        calls = [];
        received = [];
        failures = [];
        loop = new HelloLoop({
            say: () => {
                const call = new Deferred<WindowState>();
                calls.push(call);
                return call.promise;
            },
            received: state => received.push(state.sequence),
            failed: error => failures.push(error.message)
        });
    });
    afterEach(() => clock.restore());

    function state(sequence: number): WindowState {
        return {
            windowId: 'w',
            sequence,
            installation: 'installation',
            status: { state: 'ready', problems: [], clis: [], connections: [] },
            reviews: [],
            reviewsElsewhere: [],
            keptDrafts: []
        };
    }

    /** Lets everything that is already decided happen. */
    async function settle(): Promise<void> {
        await new Promise(resolve => setImmediate(resolve));
    }

    it('says hello once more for requests that came during a hello', async () => {
        loop.request();
        loop.request();
        loop.request();
        expect(calls).to.have.length(1);
        calls[0].resolve(state(1));
        await settle();
        expect(calls).to.have.length(2);
        calls[1].resolve(state(2));
        await settle();
        expect(calls).to.have.length(2);
        expect(received).to.deep.equal([1, 2]);
    });

    it('tries again after a failure, later each time', async () => {
        loop.request();
        calls[0].reject(new Error('gone'));
        await settle();
        expect(failures).to.deep.equal(['gone']);
        clock.tick(1999);
        expect(calls).to.have.length(1);
        clock.tick(1);
        expect(calls).to.have.length(2);
        calls[1].reject(new Error('gone'));
        await settle();
        clock.tick(3999);
        expect(calls).to.have.length(2);
        clock.tick(1);
        expect(calls).to.have.length(3);
    });

    it('abandons a call that never settles', async () => {
        loop.request();
        clock.tick(10_000);
        await settle();
        expect(failures).to.have.length(1);
    });

    it('ignores the answer to a call that a new connection replaced', async () => {
        loop.request();
        loop.restart();
        expect(calls).to.have.length(2);
        calls[0].resolve(state(1));
        calls[1].resolve(state(2));
        await settle();
        expect(received).to.deep.equal([2]);
    });

    it('says nothing after it is disposed', async () => {
        loop.request();
        calls[0].reject(new Error('gone'));
        await settle();
        loop.dispose();
        clock.tick(100_000);
        loop.request();
        expect(calls).to.have.length(1);
        expect(clock.countTimers()).to.equal(0);
    });
});
