// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { stat } from 'fs/promises';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { MOST_THREADS, NoAnswer, FileAccess } from './file-access';

describe('FileAccess', () => {
    const fileAccess = (): FileAccess => new FileAccess(20);

    async function failure(call: Promise<unknown>): Promise<unknown> {
        return call.then(
            () => undefined,
            (error: unknown) => error
        );
    }

    it('answers and fails as its task does', async () => {
        expect(await fileAccess().run('a', async () => 7)).to.equal(7);
        const error = new Error('own');
        const limited = fileAccess();
        expect(await failure(limited.run('a', () => Promise.reject(error)))).to.equal(error);
        const thrower = (): Promise<void> => {
            throw error;
        };
        expect(await failure(limited.run('a', thrower))).to.equal(error);
        expect(await limited.run('a', async () => 8)).to.equal(8);
    });

    it('takes the answer that came while the process stood still', async () => {
        const reading = new FileAccess(400).run('a', () => stat('.'));
        await Promise.resolve();
        for (const end = Date.now() + 450; Date.now() < end;) {
            // Nothing else runs.
        }
        expect((await reading).isDirectory()).to.equal(true);
    });

    it('begins a task only after the one before has ended', async () => {
        const limited = new FileAccess(5_000);
        const first = new Deferred<void>();
        const order: string[] = [];
        const one = limited.run('a', () => first.promise.then(() => order.push('first')));
        const two = limited.run('a', async () => order.push('second'));
        await limited.run('b', async () => order.push('of another key'));
        first.resolve();
        await Promise.all([one, two]);
        expect(order).to.deep.equal(['of another key', 'first', 'second']);
    });

    it('gives up on a task that does not end, starts nothing meanwhile, and continues once it has ended', async () => {
        const limited = fileAccess();
        const silent = new Deferred<void>();
        let begun = 0;
        const attempt = (): Promise<unknown> =>
            limited.run('a', () => {
                begun++;
                return silent.promise;
            });
        let last: unknown;
        for (let count = 0; count < 5; count++) {
            last = await failure(attempt());
            expect(last).to.be.instanceOf(NoAnswer);
        }
        expect(begun).to.equal(1);
        expect(limited.isOverdue('a')).to.equal(true);
        silent.resolve();
        await new Promise(resolve => setImmediate(resolve));
        expect(limited.isOverdue('a')).to.equal(false);
        expect(await failure(attempt())).to.equal(undefined);
    });

    it('a hanging place delays no other, and all together leave Node a thread', async () => {
        const limited = fileAccess();
        const silent = Array.from({ length: MOST_THREADS }, () => new Deferred<void>());
        for (const [index, { promise }] of silent.entries()) {
            expect(await limited.run('healthy', async () => index)).to.equal(index);
            expect(await failure(limited.run(`silent ${index}`, () => promise))).to.be.instanceOf(NoAnswer);
        }
        let begun = 0;
        const another = (): Promise<unknown> => failure(limited.run('healthy', async () => void begun++));
        const refused = await another();
        expect(refused).to.be.instanceOf(NoAnswer);
        expect((refused as Error).message).to.include('silent 0, silent 1, silent 2');
        expect(begun).to.equal(0);
        silent[1].resolve();
        await new Promise(resolve => setImmediate(resolve));
        expect(await another()).to.equal(undefined);
        expect(begun).to.equal(1);
    });

    it('starts no more than that at a time, and all of them eventually', async () => {
        const limited = new FileAccess(5_000);
        let running = 0;
        let most = 0;
        const task = async (): Promise<void> => {
            most = Math.max(most, ++running);
            await new Promise(resolve => setImmediate(resolve));
            running--;
        };
        await Promise.all(Array.from({ length: 20 }, (_, index) => limited.run(`folder ${index % 7}`, task)));
        expect(most).to.equal(MOST_THREADS);
    });
});
