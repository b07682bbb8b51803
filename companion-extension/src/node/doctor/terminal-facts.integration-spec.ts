// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChildProcess } from 'child_process';
import * as path from 'path';
import { SupportedClis } from '../discovery/supported-clis';
import { LinuxProcessTable } from '../host/linux-process-table';
import { TestBackend } from '../test/test-backend';
import { TestTerminal } from '../test/test-terminal';
import { TerminalReader } from './terminal-facts';

/** Of Node, which has no public name for it. */
interface Spawner {
    spawn(this: ChildProcess, options: { file: string }): number;
}

describe('TerminalReader', () => {
    let backend: TestBackend;
    let reader: TerminalReader;
    let program: string;

    beforeEach(() => {
        backend = new TestBackend();
        reader = new TerminalReader(new LinuxProcessTable(), backend.container.get(SupportedClis), undefined);
        TestTerminal.install(backend.host, 'qwen', '0.24.4');
        program = path.join(TestTerminal.bin(backend.host), 'qwen');
    });

    afterEach(() => backend.stop());

    it('says the path alone if the last file descriptor was taken before the program could be asked for its version', async () => {
        const prototype = ChildProcess.prototype as unknown as Spawner;
        const { spawn } = prototype;
        // As Node 24 does without a file descriptor: the child has no output, and its error is an event of the next tick.
        prototype.spawn = function (options) {
            if (options.file !== program) {
                return spawn.call(this, options);
            }
            process.nextTick(() => this.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })));
            return -24;
        };
        try {
            const folder = backend.host.homeFolder;
            const facts = { variables: { PATH: path.dirname(program) }, folder, command: [], pids: [], owner: { program: 'sh', pid: 1 } };
            expect(await reader.findProgram('qwen', facts)).to.deep.equal({ path: program, version: undefined });
        } finally {
            prototype.spawn = spawn;
        }
    });

    it('has the variables of what runs in the terminal: the shell may have set them since its own start', async () => {
        const shell = { pid: 7, parent: 1, command: ['/bin/bash'], variables: { PATH: '/bin' }, folder: '/ws', age: 1 };
        const vim = { ...shell, pid: 8, parent: 7, command: ['/usr/bin/vim'], variables: { PATH: '/own:/bin' }, folder: '/ws/src' };
        const processes = new LinuxProcessTable();
        let foreground = 7;
        Object.assign(processes, {
            scan: async () => [],
            foregroundOf: async () => ({ pid: foreground, command: [] }),
            details: async () => vim
        });
        const clis = backend.container.get(SupportedClis);
        const [qwen] = clis.all;
        const inTerminal = new TerminalReader(processes, clis, undefined);
        expect((await inTerminal.read(shell, qwen)).owner).to.deep.equal({ program: 'bash', pid: 7 });
        foreground = 8;
        const { owner, variables, folder } = await inTerminal.read(shell, qwen);
        expect([owner, variables, folder]).to.deep.equal([{ program: 'vim', pid: 8 }, vim.variables, '/ws']);
    });
});
