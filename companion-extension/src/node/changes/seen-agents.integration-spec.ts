// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spawnSync } from 'child_process';
import * as fs from 'fs';
import { backendPreferences } from '../../common/companion-preferences';
import { Agents } from '../agents/agents';
import { ProcessScans } from '../host/process-scans';
import { PtyShell } from '../agents/test/pty-shell';
import { LinuxProcessTable } from '../host/linux-process-table';
import { ProcessTable } from '../host/process-table';
import { eventually } from '../test/test-cli';
import { ChangesHost } from './test/changes-host';

/** Edits a file, says nothing, and stays. */
const AGENT = '#!/usr/bin/perl\nopen(F, ">", "a.txt"); print F "by an agent\\n"; close F;\nopen(F, ">", "edited"); close F; sleep 60;\n';

(process.platform === 'linux' ? describe : describe.skip)('What an agent changes that is only seen in a terminal', () => {
    let ide: ChangesHost;
    let shell: PtyShell;

    beforeEach(async () => {
        ide = await new ChangesHost().start();
        for (const name of ['aider', 'my-agent', 'unknown']) {
            fs.mkdirSync(ide.host.home('bin'), { recursive: true });
            fs.writeFileSync(
                ide.host.home('bin', name),
                AGENT.replace('open', 'until (-e "go") { select(undef, undef, undef, 0.05) }\nopen'),
                {
                    mode: 0o755
                }
            );
        }
        ide.write('a.txt', 'one\n');
        ide.write('.gitignore', 'bin\nedited\ngo\n.theia*\n.*\n*.sock\n');
        ide.git('init', '-q');
        ide.commit();
        const { port } = ide.backend.discovered();
        shell = await PtyShell.open(ide.host, {
            PATH: `${ide.host.home('bin')}:${process.env['PATH']}`,
            TERM: 'xterm',
            QWEN_CODE_IDE_SERVER_PORT: String(port)
        });
        ide.backend.container.get(Agents).follow(shell.followed, () => backendPreferences());
        await ide.service.watchTerminals([shell.process.pid]);
    });

    afterEach(async () => {
        spawnSync('tmux', ['-S', ide.host.home('t.sock'), 'kill-server']);
        await shell.close();
        await ide.stop();
        ide.host.remove();
    });

    async function isTracking(): Promise<boolean> {
        return (await ide.service.readChanges(false)).tracking;
    }

    async function edits(): Promise<void> {
        fs.writeFileSync(ide.file('go'), '');
        await eventually('the edit', () => fs.existsSync(ide.file('edited')));
        ide.tell('a.txt');
    }

    for (const [line, name, named] of [
        ['aider', 'Aider'],
        ['cat a.txt | aider --yes', 'Aider'],
        ['aider & sleep 0.1', 'Aider'],
        ['my-agent', 'The Agent', { command: 'my-agent', name: 'The Agent' }]
    ] as const) {
        it(`is listed under its name for ${line}`, async () => {
            await ide.prefer({ 'companion.agents': named ? [named] : [] });
            shell.type(line);
            await eventually('tracking', isTracking);
            await edits();
            await ide.lists(`modified a.txt +1 -1 ${name}`);
        });
    }

    it('is listed from a pane of tmux with the port of this window', async function () {
        if (spawnSync('tmux', ['-V']).status !== 0) {
            this.skip();
        }
        // Its panes are below no process of this one.
        Object.assign(ide.backend.container.get<object>(ProcessTable), { pids: LinuxProcessTable.prototype['pids'] });
        shell.type(`tmux -S ${ide.host.home('t.sock')} new -d aider`);
        await eventually('tracking', isTracking);
        await edits();
        await ide.lists('modified a.txt +1 -1 Aider');
    });

    it('is not listed of a program that nobody has named', async () => {
        shell.type('unknown');
        await edits();
        const scans = ide.backend.container.get(ProcessScans);
        await new Promise<void>(resolve => {
            scans.onDidScan(() => resolve());
            scans.scanWithin(0);
        });
        expect(await isTracking()).to.equal(false);
        expect(await ide.list(true)).to.deep.equal([]);
    });

    it('is no change while the preference is off, which the state says', async () => {
        await ide.prefer({ 'companion.changes.track': 'off' });
        await eventually('the state', () => ide.page.state?.changes.trouble?.code === 'off');
        await ide.prefer({ 'companion.changes.track': 'agents' });
        await eventually('the state', () => ide.page.state?.changes.trouble === undefined);
    });
});
