// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { QwenCodeCli } from './qwen-code-cli';
import { TestHost } from './test/test-host';

describe('The folder of Qwen Code, as Qwen Code 0.24.4 finds it', () => {
    let host: TestHost;

    beforeEach(() => {
        host = new TestHost();
    });

    afterEach(() => host.remove());

    async function qwenHome(): Promise<string> {
        const cli = host.container().get(QwenCodeCli);
        return path.dirname(await cli.discoveryFolder({ variables: host.variables, folder: host.homeFolder, command: [] }));
    }

    it('is ~/.qwen, also with an empty QWEN_HOME', async () => {
        expect(await qwenHome()).to.equal(host.home('.qwen'));
        host.variables['QWEN_HOME'] = '';
        expect(await qwenHome()).to.equal(host.home('.qwen'));
    });

    it('is QWEN_HOME, in which ~ is the home folder', async () => {
        host.variables['QWEN_HOME'] = '/somewhere/qwen/';
        expect(path.join(await qwenHome(), 'x')).to.equal('/somewhere/qwen/x');
        host.variables['QWEN_HOME'] = '~/q/r';
        expect(await qwenHome()).to.equal(host.home('q', 'r'));
        host.variables['QWEN_HOME'] = '~';
        expect(await qwenHome()).to.equal(host.homeFolder);
    });

    it('is the QWEN_HOME of ~/.qwen/.env, or else that of ~/.env', async () => {
        fs.writeFileSync(host.home('.env'), 'OTHER=1\nexport QWEN_HOME: "/from/home"\n');
        expect(await qwenHome()).to.equal('/from/home');
        fs.mkdirSync(host.home('.qwen'));
        fs.writeFileSync(host.home('.qwen', '.env'), 'QWEN_HOME=/from/qwen\n');
        expect(await qwenHome()).to.equal('/from/qwen');
    });
});
