// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
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
        const answer = withTimeLimit(fs.readFile(__filename, 'utf8'), 100);
        // A file takes some turns of the event loop: the last one is still under way.
        await new Promise(resolve => setImmediate(resolve));
        standStill(150);
        expect(await answer).to.include('stood still');
    });

    it('rejects where no answer comes, with what failed', async () => {
        const never = new Promise(() => undefined);
        const error = await withTimeLimit(never, 20, 'No text came.').catch((failure: Error) => failure);
        expect(error).to.be.an('error').with.property('message', 'No text came.');
    });
});
