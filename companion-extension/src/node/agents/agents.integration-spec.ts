// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spawnSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Container } from '@theia/core/shared/inversify';
import { backendPreferences } from '../../common/companion-preferences';
import { AgentStatus } from '../../common/companion-protocol';
import { ClaudeCodeCli } from '../discovery/claude-code-cli';
import { SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { TestHost } from '../discovery/test/test-host';
import { HostEnvironment } from '../host/host-environment';
import { LinuxProcessTable } from '../host/linux-process-table';
import { ProcessScans } from '../host/process-scans';
import { ProcessTable } from '../host/process-table';
import { eventually } from '../test/test-cli';
import { Agents } from './agents';
import { PtyShell } from './test/pty-shell';

const QUERY = '\u001b]7501;?\u0007';

(process.platform === 'linux' ? describe : describe.skip)('What a terminal is asked by OSC 7501', () => {
    let host: TestHost;
    let shell: PtyShell;

    beforeEach(async () => {
        host = new TestHost();
        shell = await PtyShell.open(host);
        const container = new Container();
        container.bind<Pick<SupportedClis, 'agentOf'>>(SupportedClis).toConstantValue({ agentOf: () => undefined });
        container.bind<unknown>(HostEnvironment).toConstantValue({ uid: undefined });
        container.bind(ProcessTable).to(LinuxProcessTable);
        container.bind(ProcessScans).toSelf().inSingletonScope();
        container.bind(Agents).toSelf();
        container.get(Agents).follow(shell.followed, () => backendPreferences());
    });

    afterEach(async () => {
        await shell.close();
        host.remove();
    });

    /** @param script of a program that asks, and prints what it is answered */
    function write(name: string, script: string): string {
        const file = path.join(host.folder, name);
        fs.writeFileSync(file, script);
        return file;
    }

    it('is answered to a program that reads it', async () => {
        const program = write(
            'asks',
            `stty raw -echo; printf '\\e]7501;?\\a'; read -r -t 5 -n 9 answer; stty sane; printf '%q\\n' "$answer"`
        );
        for (let start = 0; start < 3; start++) {
            shell.type(`bash ${program}; printf '\\e]7501;state=done\\a'`);
            await shell.untilPrompt();
            expect(shell.output).to.contain(String.raw`$'\E]7501;?\a'`);
        }
    });

    it('is answered once to a program that reads nothing, however much it asks', async () => {
        const flood = write('flood.log', QUERY.repeat(25_000));
        shell.type(`cat ${flood}; sleep 1; cat ${flood}`);
        await shell.untilPrompt();
        // Each may be a process group of its own, also `sleep`, in front of which a slow machine still reads what the first one wrote.
        expect(shell.answers.length).to.be.within(1, 3);
    });

    it('is not typed into a shell’s line', async () => {
        shell.type(`for i in 1 2 3; do printf '\\e]7501;?\\a'; done`);
        await shell.untilPrompt();
        shell.type('echo end');
        await eventually('the line', () => /^end/m.test(shell.output));
        expect(shell.output).not.to.contain('7501');
        expect(shell.answers).to.deep.equal([]);
    });
});

/** A program that is an agent by its name. It says nothing, writes a line where its work is, and waits. */
const AGENT = '#!/usr/bin/perl\n$| = 1; print "works\\n"; sleep 60;\n';

function has(program: string): boolean {
    return spawnSync('which', [program]).status === 0;
}

(process.platform === 'linux' ? describe : describe.skip)('Real agents in a real terminal', () => {
    let host: TestHost;
    let shell: PtyShell;
    let agents: Agents;
    let processScans: ProcessScans;

    beforeEach(async () => {
        host = new TestHost();
        const scripts = {
            claude: AGENT,
            aider: AGENT,
            'my-agent': AGENT,
            '.claude-unwrapped': AGENT,
            op: '#!/usr/bin/perl\nsystem(@ARGV[2..$#ARGV]);\n',
            'claude-nix': '#!/bin/bash\nexec -a "$0" "$(dirname "$0")/.claude-unwrapped" "$@"\n',
            'loop.sh': '#!/bin/bash\nwhile :; do claude -p x; done\n',
            // A CLI that gives its keys to an editor, as Ctrl+G does.
            codex: '#!/usr/bin/perl\n$| = 1; print "works\\n"; system("vim"); print "works on\\n"; sleep 60;\n',
            vim: '#!/usr/bin/perl\n$| = 1; print "edits\\n"; <STDIN>;\n'
        };
        for (const [name, text] of Object.entries(scripts)) {
            write(name, text);
        }
        fs.writeFileSync(host.home('Makefile'), 'agent:\n\t@claude -p x\n');
        fs.writeFileSync(host.home('P.md'), 'do it\n');
        shell = await PtyShell.open(host, { PATH: `${host.home('bin')}:${process.env['PATH']}`, TERM: 'xterm-256color' });
        const container = host.container();
        const clis: ContributionProvider<SupportedCli> = { getContributions: () => [container.get(ClaudeCodeCli)] };
        container.bind(ContributionProvider).toConstantValue(clis).whenTargetNamed(SupportedCli);
        container.bind(SupportedClis).toSelf().inSingletonScope();
        container.bind(ProcessTable).to(LinuxProcessTable).inSingletonScope();
        container.bind(ProcessScans).toSelf().inSingletonScope();
        container.bind(Agents).toSelf().inSingletonScope();
        processScans = container.get(ProcessScans);
        container.get(SupportedClis).namedAgents = [{ command: 'my-agent', name: 'The Agent' }];
        agents = container.get(Agents);
        agents.follow(shell.followed, () => backendPreferences());
    });

    afterEach(async () => {
        await shell.close();
        host.remove();
    });

    function write(name: string, text: string): void {
        fs.mkdirSync(host.home('bin'), { recursive: true });
        fs.writeFileSync(host.home('bin', name), text, { mode: 0o755 });
    }

    function status(): AgentStatus | undefined {
        return agents.of(new Set([shell.process.pid]))[0];
    }

    function names(): string[] {
        return agents.activeIn(new Set([shell.process.pid]), new Set()).map(({ name }) => name);
    }

    async function isNamed(name: string | undefined): Promise<void> {
        const state = (): string => JSON.stringify([names(), status()]);
        await eventually(`${name} in ${state()}`, () => names().join() === (name ?? ''));
    }

    for (const [what, line, name] of [
        ['alone', 'claude', 'Claude Code'],
        ['in a pipe', 'cat P.md | claude -p x', 'Claude Code'],
        ['in a loop', 'loop.sh', 'Claude Code'],
        ['in a loop of the shell', 'while :; do claude -p x; done', 'Claude Code'],
        ['behind a secret manager', 'op run -- claude', 'Claude Code'],
        ['with the name of a wrapped program', 'claude-nix', 'Claude Code'],
        ['in make', 'make agent', 'Claude Code'],
        ['in xargs', 'echo x | xargs claude -p', 'Claude Code'],
        ['in script', 'script -qc "claude -p x" /dev/null', 'Claude Code'],
        ['that is only seen', 'aider', 'Aider'],
        ['that the user has named', 'my-agent', 'The Agent']
    ]) {
        it(`are seen ${what}`, async function () {
            const [program] = line.split(' ');
            if (['make', 'script'].includes(program) && !has(program)) {
                this.skip();
            }
            shell.type(line);
            await isNamed(name);
            await eventually('the status', () => status()?.name === name);
            expect(status()).to.include({ state: 'idle', isSilent: true });
            expect(status()?.cliId, 'it has the keyboard').to.be.a('string');
        });
    }

    it('count in the background, and after Ctrl+Z, but have no keys', async () => {
        shell.type('claude -p x & sleep 0.1');
        await isNamed('Claude Code');
        await eventually('the status', () => status()?.name === 'Claude Code' && status()?.cliId === undefined);
        shell.type('kill %1; wait; aider');
        await isNamed('Aider');
        shell.process.write('\u001a');
        await eventually('the shell', () => status() === undefined);
        expect(names()).to.deep.equal(['Aider']);
        await new Promise(resolve => setTimeout(resolve, 2_500));
        expect(names(), 'after the next scan').to.deep.equal(['Aider']);
        shell.type('kill -9 %2; kill -9 %1; wait; clear');
        await isNamed(undefined);
    });

    it('have no keys while an editor that they have started has them', async () => {
        shell.type('codex');
        await eventually('the editor', () => status()?.isInEditor === true);
        expect(status()).to.include({ name: 'Codex', cliId: 'codex' });
        shell.type('');
        await eventually('the CLI', () => status()?.name === 'Codex' && status()?.isInEditor === undefined);
    });

    it('are none that nobody has named', async () => {
        write('unknown', AGENT);
        shell.type('unknown');
        await eventually('its output', () => shell.output.includes('works'));
        let scans = 0;
        processScans.onDidScan(() => scans++);
        processScans.scanWithin(0);
        await eventually('a scan', () => scans > 0);
        expect(names()).to.deep.equal([]);
    });

    it('are looked for every 2 s at most, and no more once nothing is written and none is known', async () => {
        let scans = 0;
        const began = performance.now();
        processScans.onDidScan(() => scans++);
        shell.type('for i in $(seq 50); do echo $i; sleep 0.1; done');
        await eventually('the end', () => /^50/m.test(shell.output));
        await shell.untilPrompt();
        await new Promise(resolve => setTimeout(resolve, 2_500));
        const count = scans;
        // Of fifty lines in five seconds, or more on a busy machine.
        expect(count).to.be.within(2, Math.ceil((performance.now() - began) / 2_000) + 1);
        await new Promise(resolve => setTimeout(resolve, 3_000));
        expect(scans).to.equal(count);
    });
});
