// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { TestHost } from '../discovery/test/test-host';
import { LinuxProcessTable } from '../host/linux-process-table';
import { ProcessTree } from './process-tree';

/** pid, parent, process group, foreground group, command; `T` after the pid is a stopped process. */
type Recorded = readonly [pid: number | `${number}T`, parent: number, group: number, foreground: number, command: string];

const SHELL: Recorded = [10, 1, 10, 20, 'bash'];

/** Recorded with `ps -o pid,ppid,pgid,tpgid,args` in the container image, bash 5.2. */
const TREES: ReadonlyArray<readonly [what: string, tree: readonly Recorded[], inFront: string | undefined, background?: string]> = [
    ['the program itself', [SHELL, [20, 10, 20, 20, 'claude']], 'claude 20'],
    ['a pipe', [SHELL, [20, 10, 20, 20, 'cat P.md'], [21, 10, 20, 20, 'claude -p x']], 'claude 21'],
    ['a pipe whose first program has ended', [SHELL, [21, 10, 20, 20, 'claude -p x']], 'claude 21'],
    ['a loop in a script', [SHELL, [20, 10, 20, 20, 'bash ./loop.sh'], [30, 20, 20, 20, 'claude -p x']], 'claude 30'],
    ['a loop in the shell', [SHELL, [30, 10, 20, 20, 'claude -p x']], 'claude 30'],
    ['a secret manager', [SHELL, [20, 10, 20, 20, 'op run -- vim'], [30, 20, 20, 20, 'claude']], 'claude 30'],
    ['script', [SHELL, [20, 10, 20, 20, 'script -q f'], [30, 20, 30, 31, 'bash'], [31, 30, 31, 31, 'claude']], 'claude 31'],
    ['a wrapper with a terminal of its own', [SHELL, [20, 10, 20, 20, 'hcom pty x'], [30, 20, 30, 30, 'claude']], 'claude 30'],
    ['make', [SHELL, [20, 10, 20, 20, 'make'], [21, 20, 20, 20, 'sh -c x'], [22, 21, 20, 20, 'codex exec']], 'codex 22'],
    ['xargs', [SHELL, [19, 10, 20, 20, 'ls'], [20, 10, 20, 20, 'xargs claude'], [22, 20, 20, 20, 'claude x']], 'claude 22'],
    [
        'the background',
        [
            [10, 1, 10, 10, 'bash'],
            [20, 10, 20, 10, 'claude -p x']
        ],
        undefined,
        'claude 20'
    ],
    [
        'Ctrl+Z',
        [
            [10, 1, 10, 10, 'bash'],
            ['20T', 10, 20, 10, 'claude']
        ],
        undefined,
        'claude 20'
    ],
    ['the background of an editor', [SHELL, [15, 10, 15, 20, 'claude'], [20, 10, 20, 20, 'vim']], undefined, 'claude 15'],
    ['a CLI that has started an agent', [SHELL, [20, 10, 20, 20, 'claude'], [30, 20, 30, -1, 'codex exec']], 'claude 20'],
    ['an editor with a file of that name', [SHELL, [20, 10, 20, 20, 'vim claude']], undefined],
    ['what an editor has started for itself', [SHELL, [20, 10, 20, 20, 'vim'], [30, 20, 20, 20, 'claude mcp serve']], undefined],
    ['another terminal', [SHELL, [40, 1, 40, 41, 'bash'], [41, 40, 41, 41, 'claude']], undefined],
    [
        'tmux, whose panes are not below the shell',
        [SHELL, [20, 10, 20, 20, 'tmux'], [50, 1, 50, -1, 'tmux'], [60, 50, 60, 60, 'claude']],
        undefined
    ],
    [
        'gVisor',
        [
            [10, 1, 10, 0, 'bash'],
            [20, 10, 20, 0, 'claude']
        ],
        'claude 20'
    ],
    [
        'gVisor, with a pipe',
        [
            [10, 1, 10, -1, 'bash'],
            [20, 10, 20, -1, 'cat'],
            [21, 10, 20, -1, 'claude']
        ],
        'claude 21'
    ],
    [
        'gVisor, with one that is stopped',
        [
            [10, 1, 10, 0, 'bash'],
            ['20T', 10, 20, 0, 'claude'],
            [30, 10, 30, 0, 'codex']
        ],
        'codex 30'
    ],
    [
        'gVisor, with two',
        [
            [10, 1, 10, 0, 'bash'],
            [20, 10, 20, 0, 'claude'],
            [30, 10, 30, 0, 'codex']
        ],
        undefined,
        'claude 20'
    ],
    ['gVisor, with nothing', [[10, 1, 10, 0, 'bash']], 'shell 10']
];

describe('Agents in a scan of all processes', () => {
    let host: TestHost;

    beforeEach(() => (host = new TestHost()));
    afterEach(() => host.remove());

    function record([process, parent, group, foreground, command]: Recorded): void {
        const pid = parseInt(`${process}`);
        const folder = path.join(host.temporary('proc'), `${pid}`);
        fs.mkdirSync(folder, { recursive: true });
        const state = `${process}`.endsWith('T') ? 'T' : 'S';
        fs.writeFileSync(
            path.join(folder, 'stat'),
            `${pid} (a (b) c) ${state} ${parent} ${group} 1 1 ${foreground} ${'0 '.repeat(13)}99 0`
        );
        fs.writeFileSync(path.join(folder, 'cmdline'), `${command.replaceAll(' ', '\0')}\0`);
    }

    async function tree(): Promise<ProcessTree> {
        return new ProcessTree(await new LinuxProcessTable(host.temporary('proc')).scan(undefined), ([name, first]) =>
            ['claude', 'codex'].includes(name) && first !== 'mcp' ? { id: name, displayName: name } : undefined
        );
    }

    for (const [what, recorded, inFront, background] of TREES) {
        it(`are found in ${what}`, async () => {
            recorded.forEach(process => record(process));
            const scanned = await tree();
            const group = recorded[0][3];
            const found = scanned.inFront(10, group > 0 ? group : undefined);
            expect(found && `${found.isShell ? 'shell' : found.cli?.id} ${found.pid}`).to.equal(inFront);
            const other = scanned.agentsIn(10).find(({ isInFront }) => !isInFront);
            expect(other && `${other.cli.id} ${other.pid}`).to.equal(background);
        });
    }

    it('are not in front any more once something else has the keyboard', async () => {
        [SHELL, [20, 10, 20, 20, 'cat'] as const, [21, 10, 20, 20, 'claude'] as const].forEach(process => record(process));
        const scanned = await tree();
        expect(scanned.inFront(10, 20)?.pid).to.equal(21);
        expect(scanned.inFront(10, 40)).to.equal(undefined);
        expect(scanned.inFront(10, undefined)).to.equal(undefined);
    });

    it('are none of a shell that has started since', async () => {
        expect((await tree()).inFront(10, undefined)).to.equal(undefined);
    });
});
