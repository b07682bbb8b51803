// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { withTimeLimit } from './time-limit';

/** As a process that gets no processor time. */
function standStill(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
        // Nothing.
    }
}

describe('withTimeLimit', () => {
    it('takes an answer that came while the process stood still for longer', async () => {
        // An event loop calls timers that are over first, and what has come meanwhile afterwards.
        const answer = withTimeLimit(new Promise(resolve => setImmediate(() => resolve('an answer'))), 400);
        standStill(450);
        expect(await answer).to.equal('an answer');
    });

    it('rejects where no answer comes, with what failed', async () => {
        const never = new Promise(() => undefined);
        const error = await withTimeLimit(never, 20, 'No text came.').catch((failure: Error) => failure);
        expect(error).to.be.an('error').with.property('message', 'No text came.');
    });
});
