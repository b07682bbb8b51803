// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Emitter } from '@theia/core/lib/common/event';
import { CommandSearch } from '../../common/companion-protocol';
import { GeminiCli } from '../discovery/gemini-cli';
import { QwenCodeCli } from '../discovery/qwen-code-cli';
import { SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { TestHost } from '../discovery/test/test-host';
import { Windows } from '../server/windows';
import { SilentFolders } from '../test/silent-folders';
import { CliCommands } from './cli-commands';
import { LoginShell } from './login-shell';

describe('CliCommands', () => {
    let host: TestHost;
    let commands: CliCommands;
    let folders: string[];
    let useLoginShell: boolean;
    let loginPath: string | undefined;
    let onDidChangeSession: Emitter<{ cliId: string }>;

    beforeEach(() => {
        host = new TestHost();
        const container = host.container();
        const contributions: ContributionProvider<SupportedCli> = {
            getContributions: () => [container.get(GeminiCli), container.get(QwenCodeCli)]
        };
        container.bind(ContributionProvider).toConstantValue(contributions).whenTargetNamed(SupportedCli);
        container.bind(SupportedClis).toSelf();
        [useLoginShell, loginPath, onDidChangeSession] = [true, undefined, new Emitter()];
        container.bind<unknown>(LoginShell).toConstantValue({ searchPath: async () => loginPath });
        container.bind<unknown>(Windows).toConstantValue({ onDidChangeSession: onDidChangeSession.event });
        container.bind(CliCommands).toSelf();
        commands = container.get(CliCommands);
        folders = [host.temporary('first'), host.temporary('second')];
        folders.forEach(folder => fs.mkdirSync(folder, { recursive: true }));
        host.variables['PATH'] = [...folders, 'relative', ''].join(path.delimiter);
    });

    afterEach(() => host.remove());

    function find(cliId: string): Promise<CommandSearch> {
        return commands.find(cliId, { 'companion.run.useLoginShell': useLoginShell });
    }

    function write(folder: string, mode: number): void {
        fs.writeFileSync(path.join(folder, 'qwen'), '#!/bin/sh\n', { mode });
    }

    it('finds a command in any folder of the PATH', async () => {
        write(folders[1], 0o755);
        expect(await find('qwen-code')).to.deep.equal({ found: true });
    });

    it('reports one that is missing or not executable', async () => {
        expect(await find('gemini-cli')).to.include({ found: false });
        write(folders[0], 0o644);
        expect(await find('qwen-code')).to.deep.equal({ found: false });
        host.variables['PATH'] = undefined;
        expect(await find('qwen-code')).to.deep.equal({ found: false });
    });

    it('finds one that only the login shell of the user has, unless it is not to be asked', async () => {
        host.variables['PATH'] = folders[0];
        write(folders[1], 0o755);
        loginPath = folders[1];
        expect((await find('qwen-code')).found).to.equal(true);
        useLoginShell = false;
        expect((await find('qwen-code')).found).to.equal(false);
    });

    it('takes one for installed that has been connected', async () => {
        expect((await find('qwen-code')).found).to.equal(false);
        onDidChangeSession.fire({ cliId: 'qwen-code' });
        expect((await find('qwen-code')).found).to.equal(true);
        expect((await find('gemini-cli')).found).to.equal(false);
    });

    it('does not look into the folders of the PATH itself: they may never answer', async () => {
        write(folders[1], 0o755);
        const silence = new SilentFolders(folders);
        try {
            expect((await find('qwen-code')).found).to.equal(true);
            expect([...silence.blocking, silence.waiting]).to.deep.equal([0]);
        } finally {
            silence.end();
        }
    });

    it('says where the IDE mode of a CLI can be switched on, until it is', async () => {
        const ideModeOff = host.home('.gemini', 'settings.json');
        expect(await find('gemini-cli')).to.include({ ideModeOff });
        expect(await commands.setIdeMode('gemini-cli', true)).to.equal(undefined);
        expect(JSON.parse(fs.readFileSync(ideModeOff, 'utf8'))).to.deep.equal({ ide: { enabled: true } });
        expect(await find('gemini-cli')).not.to.have.property('ideModeOff');
        fs.writeFileSync(ideModeOff, '[]');
        expect(await commands.setIdeMode('gemini-cli', true)).to.include({ code: 'settings-no-object' });
    });

    it('does not object to what it cannot look for', async () => {
        expect((await find('unknown')).found).to.equal(true);
    });
});
