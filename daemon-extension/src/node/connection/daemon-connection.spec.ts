// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { withSlowAgent } from './daemon-connection';

describe('A daemon whose agent process starts slowly', () => {
    const timeout = Object.assign(new Error('504'), { status: 504, body: { code: 'init_timeout' } });
    const calls = (...answers: (string | Error)[]): { call: () => Promise<string>; count: () => number } => {
        let count = 0;
        return {
            call: async () => {
                const answer = answers[count++];
                if (answer instanceof Error) {
                    throw answer;
                }
                return answer;
            },
            count: () => count
        };
    };
    const failure = (promise: Promise<unknown>): Promise<unknown> =>
        promise.then(
            () => undefined,
            (error: unknown) => error
        );

    it('a daemon whose agent process starts slowly is asked again', async () => {
        const { call, count } = calls(timeout, timeout, 'made');
        expect(await withSlowAgent(call)).to.equal('made');
        expect(count()).to.equal(3);
    });

    it('a daemon whose agent process starts slowly is not asked for ever, nor again after another refusal', async () => {
        const slow = calls(...Array<Error>(6).fill(timeout), 'made');
        expect(await failure(withSlowAgent(slow.call))).to.equal(timeout);
        expect(slow.count()).to.equal(6);
        const other = calls(new Error('no'), 'made');
        expect(await failure(withSlowAgent(other.call))).to.have.property('message', 'no');
        expect(other.count()).to.equal(1);
    });
});
