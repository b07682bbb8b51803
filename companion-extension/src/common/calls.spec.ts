// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { ModelClock, settle } from '../test/reviews/model-clock';
import { Calls } from './calls';

describe('Calls to the backend', () => {
    let clock: ModelClock;
    let connected: boolean;
    let calls: Calls;
    /** Those that were made. */
    let made: Deferred<string>[];
    let replies: string[];
    let failures: Array<string | undefined>;

    beforeEach(() => {
        clock = new ModelClock();
        connected = true;
        calls = new Calls(clock, () => connected);
        [made, replies, failures] = [[], [], []];
    });
    afterEach(() => calls.dispose());

    function make(): Promise<string> {
        const deferred = new Deferred<string>();
        made.push(deferred);
        return deferred.promise;
    }

    function call(key = 'key', length = 0): void {
        calls.call(key, {
            make,
            reply: answer => replies.push(answer),
            failed: error => failures.push(error?.message),
            length
        });
    }

    it('calls to the backend are made once if they are answered', async () => {
        call();
        made[0].resolve('answer');
        await clock.pass(100_000);
        expect([made.length, replies, failures]).to.deep.equal([1, ['answer'], []]);
    });

    it('calls to the backend are made again if no answer comes, later if they carry much; the first answer counts', async () => {
        call('short');
        call('long', 400_000);
        await clock.pass(10_000);
        expect([made.length, failures]).to.deep.equal([3, [undefined]]);
        await clock.pass(10_000);
        expect(made.length).to.equal(5);
        made[0].resolve('late');
        made[2].resolve('repetition');
        await settle();
        expect(replies).to.deep.equal(['late']);
    });

    it('a call to the backend has left the page once it was made, until its answer comes', async () => {
        connected = false;
        call();
        expect(calls.hasLeft('key')).to.equal(false);
        connected = true;
        calls.recover();
        connected = false;
        expect(calls.hasLeft('key'), 'it may have arrived').to.equal(true);
        made[0].resolve('answer');
        await settle();
        expect(calls.hasLeft('key')).to.equal(false);
    });

    it('calls to the backend are made again if they fail, each time later', async () => {
        call();
        for (const pause of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
            made[made.length - 1].reject(new Error('no'));
            await clock.pass(pause - 1);
            const before = made.length;
            await clock.pass(1);
            expect(made.length).to.equal(before + 1);
        }
        made[made.length - 1].resolve('answer');
        await settle();
        expect(replies).to.deep.equal(['answer']);
        expect(failures).to.deep.equal(Array.from({ length: 6 }, () => 'no'));
    });

    it('calls to the backend are made again on a new connection, and wait for it', async () => {
        call();
        calls.recover();
        expect(made.length).to.equal(2);
        connected = false;
        call('offline');
        await clock.pass(60_000);
        expect(made.length, 'nobody is there').to.equal(2);
        connected = true;
        calls.recover();
        expect(made.length).to.equal(4);
    });

    it('a later one with the same key takes the place of an earlier one', async () => {
        call();
        call();
        made[0].resolve('earlier');
        made[1].resolve('later');
        await settle();
        expect(replies).to.deep.equal(['later']);
    });

    it('calls to the backend that are dropped, and all at the end, are not made again and reply to nobody', async () => {
        call('dropped');
        call('ended');
        calls.drop('dropped');
        calls.dispose();
        made.forEach(one => one.resolve('answer'));
        await clock.pass(60_000);
        call('after the end');
        expect([made.length, replies]).to.deep.equal([2, []]);
    });

    describe('of somebody who waits', () => {
        let outcome: string | undefined;

        beforeEach(() => {
            outcome = undefined;
            calls.ask(make, 1_000, 'too late').then(
                answer => (outcome = answer),
                (error: Error) => (outcome = `failed: ${error.message}`)
            );
        });

        it('answer what the backend answers', async () => {
            made[0].resolve('answer');
            await settle();
            expect(outcome).to.equal('answer');
            calls.recover();
            expect(made).to.have.length(1);
        });

        it('fail as the backend does if the connection is there', async () => {
            made[0].reject(new Error('no'));
            await settle();
            expect(outcome).to.equal('failed: no');
        });

        it('ask again on a new connection if the first call was lost, or failed because the connection was', async () => {
            connected = false;
            made[0].reject(new Error('reconnecting'));
            await settle();
            expect(outcome).to.equal(undefined);
            connected = true;
            calls.recover();
            made[1].resolve('second');
            await settle();
            expect(outcome).to.equal('second');
        });

        it('of an earlier attempt, the failure does not count', async () => {
            calls.recover();
            made[0].reject(new Error('reconnecting'));
            await settle();
            expect(outcome).to.equal(undefined);
            made[1].resolve('second');
            await settle();
            expect(outcome).to.equal('second');
        });
    });

    it('of somebody who waits give up after the limit', async () => {
        const error = await calls.ask(make, 10, 'too late').catch((reason: Error) => reason.message);
        expect(error).to.equal('too late');
    });
});
