// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { prepareSample } from './prepare-sample.mjs';

describe('the prepared sample', () => {
    let directory;

    beforeEach(() => (directory = realpathSync(mkdtempSync(join(tmpdir(), "sample 'quoted' ")))));
    afterEach(() => rmSync(directory, { recursive: true, force: true }));

    it('takes over no account, no settings and no proxy of the user', () => {
        const secrets = { GEMINI_API_KEY: 'mine', GOOGLE_CLOUD_PROJECT: 'mine', DASHSCOPE_API_KEY: 'mine', QWEN_HOME: '/mine' };
        const environment = { PATH: '/usr/bin:/bin', HOME: '/mine', XDG_CONFIG_HOME: '/mine', https_proxy: 'mine', ...secrets };
        const { env, home } = prepareSample({ directory, modelPort: 1234, environment });
        expect(Object.values(env).join()).to.not.contain('mine');
        expect(env).to.include({ HOME: home, GEMINI_CLI_HOME: home, QWEN_HOME: join(home, '.qwen') });
        expect(env.OPENAI_BASE_URL).to.equal('http://127.0.0.1:1234/v1');
        expect(env.GOOGLE_GEMINI_BASE_URL).to.equal('http://127.0.0.1:1234');
    });

    it("takes over none of the machine's settings for the CLIs", () => {
        const { env } = prepareSample({ directory, modelPort: 1 });
        expect(env.QWEN_CODE_SYSTEM_SETTINGS_PATH.startsWith(directory)).to.equal(true);
        expect(env.GEMINI_CLI_SYSTEM_SETTINGS_PATH.startsWith(directory)).to.equal(true);
    });

    it('has its own copy of the workspace', () => {
        const { workspace } = prepareSample({ directory, modelPort: 1 });
        expect(workspace.startsWith(directory)).to.equal(true);
        expect(readFileSync(join(workspace, 'README.md'), 'utf8')).to.contain('scripted model');
    });

    it('has both CLIs first on the PATH, on a Node that is new enough for them', () => {
        const { env } = prepareSample({ directory, modelPort: 1, environment: { PATH: '/usr/bin:/bin' } });
        for (const command of ['qwen', 'gemini']) {
            const version = execFileSync(command, ['--version'], { env, encoding: 'utf8' }).trim();
            expect(version).to.match(/^\d+\.\d+\.\d+$/);
            const linked = realpathSync(join(directory, 'bin', command));
            expect(JSON.parse(readFileSync(join(linked, '..', 'package.json'), 'utf8')).version).to.equal(version);
        }
    });

    for (const shell of ['/bin/sh', '/bin/bash']) {
        it(`has them first on the PATH of a login shell, which ${shell} resets`, () => {
            const { env } = prepareSample({ directory, modelPort: 1, environment: { PATH: '/usr/bin:/bin', SHELL: shell } });
            const found = execFileSync(env.SHELL, ['-l', '-c', 'command -v qwen; command -v gemini'], { env, encoding: 'utf8' });
            expect(found.trim().split('\n')).to.deep.equal([join(directory, 'bin', 'qwen'), join(directory, 'bin', 'gemini')]);
        });

        it(`has what the user has installed on the PATH of a login shell, which ${shell} resets`, () => {
            const own = join(directory, 'own');
            mkdirSync(own);
            writeFileSync(join(own, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
            const { env } = prepareSample({ directory, modelPort: 1, environment: { PATH: `/usr/bin:/bin:${own}`, SHELL: shell } });
            const found = execFileSync(env.SHELL, ['-l', '-c', 'command -v claude'], { env, encoding: 'utf8' });
            expect(found.trim()).to.equal(join(own, 'claude'));
        });
    }

    it('names a shell if the environment names none, as in a container', () => {
        const { env } = prepareSample({ directory, modelPort: 1, environment: { PATH: '/usr/bin:/bin' } });
        expect(execFileSync(env.SHELL, ['-c', 'echo runs'], { env, encoding: 'utf8' })).to.equal('runs\n');
    });

    it('lets nobody else read the settings', () => {
        const { home } = prepareSample({ directory, modelPort: 1 });
        for (const file of ['.qwen/settings.json', '.gemini/settings.json']) {
            expect(statSync(join(home, file)).mode & 0o077).to.equal(0);
        }
    });
});
