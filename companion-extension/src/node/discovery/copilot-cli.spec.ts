// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { CliSurroundings } from './supported-cli';
import { TestHost } from './test/test-host';
import { CopilotCli } from './copilot-cli';

describe('Copilot CLI', () => {
    let host: TestHost;
    let cli: CopilotCli;

    const lock = {
        id: 'b1b1b1b1-0000-4000-8000-000000000000',
        socketPath: '/tmp/s.sock',
        token: 'secret',
        folder: '/ws',
        isTrusted: true,
        since: 1,
        identity: { name: 'theia', displayName: 'My IDE' }
    };

    const terminal = (changes: Partial<CliSurroundings> = {}): CliSurroundings => ({
        variables: {},
        folder: '/ws',
        command: [],
        ...changes
    });

    beforeEach(() => {
        host = new TestHost();
        cli = host.container().get(CopilotCli);
    });

    afterEach(() => host.remove());

    it('P1: has a lock below its own folder, which a sweep finds', async () => {
        const { folder, name, content } = cli.lockOf(lock);
        expect(path.join(folder.base, ...folder.below, name)).to.equal(host.home('.copilot', 'ide', `${lock.id}.lock`));
        expect(content).to.deep.equal({
            socketPath: '/tmp/s.sock',
            scheme: 'unix',
            headers: { Authorization: 'Nonce secret' },
            pid: host.pid,
            ideName: 'My IDE',
            timestamp: 1,
            workspaceFolders: ['/ws'],
            isTrusted: true
        });
        const [pattern] = await cli.staleFilePatterns();
        expect(pattern.name.test(name)).to.equal(true);
        host.variables['COPILOT_HOME'] = host.home('elsewhere');
        expect(cli.lockOf(lock).folder.below.at(-1)).to.equal('ide');
        expect(await cli.discoveryFolder(terminal({ variables: host.variables }))).to.equal(host.home('elsewhere', 'ide'));
    });

    it('P2: claims no trust for a folder that has none', () => {
        expect(cli.lockOf({ ...lock, isTrusted: false }).content).not.to.have.property('isTrusted');
    });

    it('asks before each edit, unless an option or a setting says otherwise', async () => {
        expect((await cli.configuration(terminal())).approval).to.deep.equal({ name: 'interactive', asks: true });
        const unasked = await cli.configuration(terminal({ command: ['copilot', '--allow-all-tools'] }));
        expect(unasked.approval).to.deep.equal({ name: '--allow-all-tools', asks: false });
        fs.mkdirSync(host.home('.copilot'));
        fs.writeFileSync(host.home('.copilot', 'settings.json'), '{ "ide": { "openDiffOnEdit": false, "autoConnect": false } }');
        const { approval, ideMode } = await cli.configuration(terminal({ variables: { HOME: host.homeFolder } }));
        expect(approval.asks).to.equal(false);
        expect(ideMode.on).to.equal(false);
    });

    it('gets the port of the window, and no secret', () => {
        expect(cli.terminalVariables({ port: 1234 })).to.deep.equal({ THEIA_COMPANION_PORT: '1234' });
    });
});
