// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { NoAnswer, OneAtATime } from './one-at-a-time';

describe('OneAtATime', () => {
    const tasks = (): OneAtATime => new OneAtATime(20);

    async function failure(call: Promise<unknown>): Promise<unknown> {
        return call.then(
            () => undefined,
            (error: unknown) => error
        );
    }

    it('answers and fails as its task does', async () => {
        expect(await tasks().run('a', async () => 7)).to.equal(7);
        const error = new Error('own');
        const limited = tasks();
        expect(await failure(limited.run('a', () => Promise.reject(error)))).to.equal(error);
        const thrower = (): Promise<void> => {
            throw error;
        };
        expect(await failure(limited.run('a', thrower))).to.equal(error);
        expect(await limited.run('a', async () => 8)).to.equal(8);
    });

    it('begins a task only after the one before has ended', async () => {
        const limited = new OneAtATime(5_000);
        const first = new Deferred<void>();
        const order: string[] = [];
        const one = limited.run('a', () => first.promise.then(() => order.push('first')));
        const two = limited.run('a', async () => order.push('second'));
        await limited.run('b', async () => order.push('of another key'));
        first.resolve();
        await Promise.all([one, two]);
        expect(order).to.deep.equal(['of another key', 'first', 'second']);
    });

    it('gives up on a task without an end, begins nothing beside it, and goes on once it has ended', async () => {
        const limited = tasks();
        const silent = new Deferred<void>();
        let begun = 0;
        const attempt = (): Promise<unknown> =>
            limited.run('a', () => {
                begun++;
                return silent.promise;
            });
        for (let count = 0; count < 5; count++) {
            expect(await failure(attempt())).to.be.instanceOf(NoAnswer);
        }
        expect(begun).to.equal(1);
        expect(limited.isOverdue('a')).to.equal(true);
        silent.resolve();
        await limited.idle('a');
        expect(limited.isOverdue('a')).to.equal(false);
        expect(await failure(attempt())).to.equal(undefined);
    });
});
