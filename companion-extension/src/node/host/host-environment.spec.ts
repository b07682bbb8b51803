// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as os from 'os';
import * as path from 'path';
import { stub } from 'sinon';
import { HostEnvironment } from './host-environment';

describe('HostEnvironment', () => {
    const { HOME } = process.env;

    afterEach(() => {
        process.env.HOME = HOME;
    });

    it('takes the temporary folder for the home folder if HOME is empty, and never the folder that it runs in', () => {
        process.env.HOME = '';
        expect(path.isAbsolute(new HostEnvironment().homeFolder)).to.equal(true);
    });

    it('takes the temporary folder for the home folder of a user that the system does not know', () => {
        const homedir = stub(os, 'homedir').throws(new Error('A system error occurred: uv_os_homedir returned ENOENT'));
        try {
            expect(new HostEnvironment().homeFolder).to.equal(os.tmpdir());
        } finally {
            homedir.restore();
        }
    });
});
