// SPDX-License-Identifier: Apache-2.0

import { join } from 'node:path';
import { expect } from 'chai';
import { execa } from 'execa';
import { NODE } from './script.mjs';

describe('npm start', () => {
    const start = args => execa(NODE, [join(import.meta.dirname, 'start.mjs'), ...args], { reject: false });

    it('says with --help how it is used, and starts nothing', async () => {
        const { exitCode, stdout } = await start(['--help']);
        expect(exitCode).to.equal(0);
        expect(stdout).to.include('npm start [-- [--port N] [/path/to/project]]').and.include('--port N   the first port to try');
    });
});
