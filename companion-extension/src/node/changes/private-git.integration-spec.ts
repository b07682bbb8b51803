// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as os from 'os';
import { INDEX_LIMITS } from './index-limits';
import { PrivateGit } from './private-git';

describe('git with a directory of our own', () => {
    it('writes to no process that has ended: Theia logs SIGPIPE as an error', async () => {
        // Node ignores the signal as long as nobody has listened. Without a listener, the next one would end all tests after this one.
        process.on('SIGPIPE', () => undefined);
        let signals = 0;
        const count = (): void => void signals++;
        process.on('SIGPIPE', count);
        try {
            const git = new PrivateGit(os.tmpdir(), os.tmpdir(), undefined, INDEX_LIMITS, 'true');
            for (let calls = 0; calls < 300; calls++) {
                await git.run(['version']);
            }
        } finally {
            process.off('SIGPIPE', count);
        }
        expect(signals).to.equal(0);
    });
});
