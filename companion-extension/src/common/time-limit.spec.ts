// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { askAgain } from './time-limit';

describe('askAgain', () => {
    let clock: SinonFakeTimers;
    let connected: boolean;
    let recovered: Emitter<void>;
    let calls: Deferred<string>[];
    let outcome: string | undefined;

    beforeEach(() => {
        clock = useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        connected = true;
        recovered = new Emitter<void>();
        calls = [];
        outcome = undefined;
        const connection = {
            get connected(): boolean {
                return connected;
            },
            onDidRecover: recovered.event
        };
        const call = (): Promise<string> => {
            const deferred = new Deferred<string>();
            calls.push(deferred);
            return deferred.promise;
        };
        askAgain(connection, call, 1000, 'too late').then(
            answer => (outcome = answer),
            (error: Error) => (outcome = `failed: ${error.message}`)
        );
    });
    afterEach(() => clock.restore());

    async function settled(): Promise<string | undefined> {
        await new Promise(resolve => setImmediate(resolve));
        return outcome;
    }

    it('answers what the backend answers, and then stops listening', async () => {
        calls[0].resolve('answer');
        expect(await settled()).to.equal('answer');
        expect(clock.countTimers()).to.equal(0);
        recovered.fire();
        expect(calls).to.have.length(1);
    });

    it('fails as the backend does if the connection is there', async () => {
        calls[0].reject(new Error('no'));
        expect(await settled()).to.equal('failed: no');
    });

    it('asks again on a new connection if the first call was lost', async () => {
        recovered.fire();
        calls[1].resolve('second');
        expect(await settled()).to.equal('second');
    });

    it('asks again if the call failed because the connection was lost', async () => {
        connected = false;
        calls[0].reject(new Error('reconnecting'));
        expect(await settled()).to.equal(undefined);
        connected = true;
        recovered.fire();
        calls[1].resolve('second');
        expect(await settled()).to.equal('second');
    });

    it('gives up after the limit, however often it asked', async () => {
        recovered.fire();
        calls[0].reject(new Error('reconnecting'));
        expect(await settled()).to.equal(undefined);
        clock.tick(1000);
        expect(await settled()).to.equal('failed: too late');
    });
});
