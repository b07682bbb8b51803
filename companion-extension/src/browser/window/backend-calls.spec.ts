// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { askAgain, BackendReader } from './backend-calls';

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

describe('BackendReader', () => {
    let clock: SinonFakeTimers;
    let greeted: Deferred<void>;
    let asked: Array<Deferred<string>>;
    let restoring: boolean;
    let reader: BackendReader;

    beforeEach(() => {
        clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        greeted = new Deferred();
        asked = [];
        restoring = false;
        reader = new BackendReader({
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

    it('delays the restored layout for 3 s at most if the hello is not answered', async () => {
        restoring = true;
        const reading = read();
        clock.tick(3_000);
        expect(await reading).to.equal('Too late.');
    });

    it('delays the restored layout for 3 s at most if the text does not come', async () => {
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

    it('once the layout is restored, waits longer for the hello, and for the text', async () => {
        const reading = read();
        clock.tick(19_000);
        greeted.resolve();
        await settle();
        asked[0].resolve('proposed');
        expect(await reading).to.equal('proposed');
    });

    it('reads again what it gave up while the layout was restored', async () => {
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
