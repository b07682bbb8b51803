// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { CompanionFolder } from './companion-folder';
import { TestHost } from './test/test-host';

const UUID = /^[0-9a-f-]{36}$/;

describe("The installation's id", () => {
    let host: TestHost;
    let file: string;

    beforeEach(() => {
        host = new TestHost();
        file = path.join(host.configurationFolder, 'theia-cli-companion', 'installation');
    });

    afterEach(() => host.remove());

    /** As a backend of this user reads it. */
    function read(): Promise<string> {
        return host.container().get(CompanionFolder).installation();
    }

    it('is the same for each backend of the user, and private', async () => {
        const id = await read();
        expect(id).to.match(UUID);
        expect(await read()).to.equal(id);
        expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
    });

    it('is created again if a full disk or the end of a backend has left half of it', async () => {
        for (const left of ['', '0d9ec0c1-3f']) {
            fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
            fs.writeFileSync(file, left);
            const id = await read();
            expect(id).to.match(UUID);
            expect(await read()).to.equal(id);
        }
    });
});
