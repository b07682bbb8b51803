// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { Container } from '@theia/core/shared/inversify';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { Policy } from 'theia-cli-companion/lib/node';
import { DaemonPreferences, daemonPreferencesSchema } from '../../common/daemon-preferences';
import { TestConfiguration } from '../test/test-workspaces';
import { checkUrl, DaemonSettings, DaemonTarget } from './daemon-settings';

describe('Settings and environment resolution', () => {
    const names = ['QWEN_IDE_DAEMON_URL', 'QWEN_SERVER_TOKEN', 'PATH'] as const;
    let saved: (string | undefined)[];
    let folder: string;
    let configuration: TestConfiguration;
    let settings: DaemonSettings;
    let chatAllowed: boolean;

    beforeEach(async () => {
        saved = names.map(name => process.env[name]);
        delete process.env.QWEN_IDE_DAEMON_URL;
        delete process.env.QWEN_SERVER_TOKEN;
        folder = await fs.mkdtemp(path.join(os.tmpdir(), 'qwen-settings-'));
        configuration = new TestConfiguration();
        chatAllowed = true;
        const container = new Container();
        container.bind(DaemonPreferences).toConstantValue(configuration as unknown as DaemonPreferences);
        container.bind<Pick<Policy, 'allows'>>(Policy).toConstantValue({ allows: () => chatAllowed });
        container.bind(DaemonSettings).toSelf();
        settings = container.get(DaemonSettings);
    });

    afterEach(async () => {
        names.forEach((name, index) => {
            if (saved[index] === undefined) {
                delete process.env[name];
            } else {
                process.env[name] = saved[index];
            }
        });
        await fs.rm(folder, { recursive: true });
    });

    function enable(url = 'http://127.0.0.1:4170'): void {
        configuration.values['qwen-code.experimentalDaemon.enabled'] = true;
        configuration.values['qwen-code.experimentalDaemon.url'] = url;
    }

    function codeOf(target: DaemonTarget): string {
        return target.kind === 'refused' ? target.problem.code : target.kind;
    }

    it('is off by default, and no preference can be set for a workspace', async () => {
        expect(await settings.resolve()).to.deep.equal({ kind: 'off' });
        expect(daemonPreferencesSchema.scope).to.equal(PreferenceScope.User);
        expect(daemonPreferencesSchema.properties['qwen-code.experimentalDaemon.enabled'].default).to.equal(false);
        expect(Object.values(daemonPreferencesSchema.properties).filter(({ scope }) => scope !== undefined)).to.deep.equal([]);
    });

    it('names no daemon if a policy forbids the chat, whatever the user wants', async () => {
        enable();
        chatAllowed = false;
        expect(codeOf(await settings.resolve())).to.equal('policy');
    });

    it('uses the preference before the environment variable, and the variable alone enables', async () => {
        process.env.QWEN_IDE_DAEMON_URL = 'http://127.0.0.1:5000';
        expect(await settings.resolve()).to.deep.include({ kind: 'external', url: 'http://127.0.0.1:5000' });
        enable('http://127.0.0.1:4170/');
        expect(await settings.resolve()).to.deep.include({ url: 'http://127.0.0.1:4170', host: '127.0.0.1:4170' });
    });

    it('takes the token out of the environment, which pages can read and shells inherit, but not while it is off', async () => {
        process.env.QWEN_SERVER_TOKEN = 'secret';
        await settings.initialize();
        expect(process.env.QWEN_SERVER_TOKEN, 'while it is off').to.equal('secret');
        enable();
        await settings.initialize();
        expect(process.env).not.to.have.property('QWEN_SERVER_TOKEN');
        expect(await settings.resolve()).to.deep.include({ token: 'secret' });
        process.env.QWEN_SERVER_TOKEN = '';
        await settings.initialize();
        expect(await settings.resolve()).to.deep.include({ token: undefined });
    });

    it('takes the token from the environment or a file that only its owner can read, and from nowhere else', async () => {
        enable();
        process.env.QWEN_SERVER_TOKEN = 'from-the-environment';
        expect(await settings.resolve()).to.deep.include({ token: 'from-the-environment' });
        const file = path.join(folder, 'token');
        await fs.writeFile(file, 'from-the-file\n', { mode: 0o600 });
        configuration.values['qwen-code.experimentalDaemon.tokenFile'] = file;
        expect(await settings.resolve()).to.deep.include({ token: 'from-the-file' });
        await fs.chmod(file, 0o640);
        expect(codeOf(await settings.resolve())).to.equal('bad-token-file');
        await fs.chmod(file, 0o600);
        await fs.writeFile(file, 'two\r\nX-Header: lines');
        expect(codeOf(await settings.resolve())).to.equal('bad-token-file');
        configuration.values['qwen-code.experimentalDaemon.tokenFile'] = 'relative';
        expect(codeOf(await settings.resolve())).to.equal('bad-token-file');
        configuration.values['qwen-code.experimentalDaemon.tokenFile'] = '';
        configuration.values['qwen-code.experimentalDaemon.token'] = 'in-the-settings';
        const target = await settings.resolve();
        expect(codeOf(target)).to.equal('token-in-preferences');
        expect(JSON.stringify(target)).not.to.contain('in-the-settings');
    });

    for (const [text, code] of [
        ['ftp://127.0.0.1', 'bad-url'],
        ['not a url', 'bad-url'],
        ['http://user:pass@127.0.0.1:1', 'bad-url'],
        ['http://127.0.0.1:1/?token=x', 'bad-url'],
        ['http://example.org', 'bad-url'],
        ['http://127.0.0.1.example.org', 'bad-url'],
        ['http://10.0.0.1:4170', 'bad-url']
    ]) {
        it(`refuses ${text}`, async () => {
            enable(text);
            expect(codeOf(await settings.resolve())).to.equal(code);
        });
    }

    it('shows no credentials of a URL that it refuses', () => {
        expect(JSON.stringify(checkUrl('http://user:pass@127.0.0.1:1', 'x', true)))
            .not.to.contain('pass@')
            .and.not.contain('user:');
    });

    it('takes loopback addresses, and others if the user allows it', async () => {
        for (const url of ['http://localhost:1', 'http://[::1]:1', 'https://127.0.0.2:1']) {
            enable(url);
            expect(codeOf(await settings.resolve()), url).to.equal('external');
        }
        enable('https://example.org/daemon');
        configuration.values['qwen-code.experimentalDaemon.allowRemoteHosts'] = true;
        expect(await settings.resolve()).to.deep.include({ url: 'https://example.org/daemon', host: 'example.org' });
    });

    it('finds the command on the PATH, but not in relative entries of it', async () => {
        enable('');
        const file = path.join(folder, 'qwen');
        process.env.PATH = ['', '.', 'node_modules/.bin', folder].join(path.delimiter);
        expect(codeOf(await settings.resolve())).to.equal('no-cli');
        await fs.writeFile(file, '#!/bin/sh\n', { mode: 0o755 });
        expect(await settings.resolve()).to.deep.equal({ kind: 'managed', command: file });
        configuration.values['qwen-code.experimentalDaemon.command'] = path.join(folder, 'missing');
        expect(codeOf(await settings.resolve())).to.equal('no-cli');
    });
});
