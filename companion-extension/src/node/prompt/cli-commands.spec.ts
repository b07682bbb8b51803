// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { GeminiCli } from '../discovery/gemini-cli';
import { QwenCodeCli } from '../discovery/qwen-code-cli';
import { SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { TestHost } from '../discovery/test/test-host';
import { SilentFolders } from '../test/silent-folders';
import { CliCommands } from './cli-commands';

describe('CliCommands', () => {
    let host: TestHost;
    let commands: CliCommands;
    let folders: string[];

    beforeEach(() => {
        host = new TestHost();
        const container = host.container();
        const contributions: ContributionProvider<SupportedCli> = {
            getContributions: () => [container.get(GeminiCli), container.get(QwenCodeCli)]
        };
        container.bind(ContributionProvider).toConstantValue(contributions).whenTargetNamed(SupportedCli);
        container.bind(SupportedClis).toSelf();
        container.bind(CliCommands).toSelf();
        commands = container.get(CliCommands);
        folders = [host.temporary('first'), host.temporary('second')];
        folders.forEach(folder => fs.mkdirSync(folder, { recursive: true }));
        host.variables['PATH'] = [...folders, 'relative', ''].join(path.delimiter);
    });

    afterEach(() => host.remove());

    function write(folder: string, mode: number): void {
        fs.writeFileSync(path.join(folder, 'qwen'), '#!/bin/sh\n', { mode });
    }

    it('finds a command in any folder of the PATH', async () => {
        write(folders[1], 0o755);
        expect(await commands.find('qwen-code')).to.deep.equal({ found: true });
    });

    it('reports one that is missing or not executable', async () => {
        expect(await commands.find('gemini-cli')).to.include({ found: false });
        write(folders[0], 0o644);
        expect(await commands.find('qwen-code')).to.deep.equal({ found: false });
        host.variables['PATH'] = undefined;
        expect(await commands.find('qwen-code')).to.deep.equal({ found: false });
    });

    it('does not look into the folders of the PATH itself: they may never answer', async () => {
        write(folders[1], 0o755);
        const silence = new SilentFolders(folders);
        try {
            expect((await commands.find('qwen-code')).found).to.equal(true);
            expect([...silence.blocking, silence.waiting]).to.deep.equal([0]);
        } finally {
            silence.end();
        }
    });

    it('says where the IDE mode of a CLI can be switched on, until it is', async () => {
        const ideModeOff = host.home('.gemini', 'settings.json');
        expect(await commands.find('gemini-cli')).to.include({ ideModeOff });
        expect(await commands.setIdeMode('gemini-cli', true)).to.equal(undefined);
        expect(JSON.parse(fs.readFileSync(ideModeOff, 'utf8'))).to.deep.equal({ ide: { enabled: true } });
        expect(await commands.find('gemini-cli')).not.to.have.property('ideModeOff');
        fs.writeFileSync(ideModeOff, '[]');
        expect(await commands.setIdeMode('gemini-cli', true)).to.include({ code: 'settings-no-object' });
    });

    it('does not object to what it cannot look for', async () => {
        expect((await commands.find('unknown')).found).to.equal(true);
    });
});
