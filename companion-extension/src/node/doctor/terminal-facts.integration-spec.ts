// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { SupportedClis } from '../discovery/supported-clis';
import { LinuxProcessTable } from '../host/linux-process-table';
import { TestBackend } from '../test/test-backend';
import { TestTerminal } from '../test/test-terminal';
import { TerminalReader } from './terminal-facts';

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

    it('finds a version in the package, or in the name, and runs nothing: the PATH may be of a workspace that nobody trusts', async () => {
        const bin = path.dirname(program);
        const facts = {
            variables: { PATH: bin },
            folder: backend.host.homeFolder,
            command: [],
            pids: [],
            owner: { program: 'sh', pid: 1 }
        };
        const ran = path.join(bin, 'ran');
        const script = `#!/bin/sh\n: > '${ran}'\necho 9.9.9\n`;
        fs.writeFileSync(fs.realpathSync(program), script, { mode: 0o755 });
        expect(await reader.findProgram('qwen', facts)).to.deep.equal({ path: program, version: '0.24.4' });
        fs.writeFileSync(path.join(bin, '2.1.332'), script, { mode: 0o755 });
        fs.symlinkSync('2.1.332', path.join(bin, 'claude'));
        expect((await reader.findProgram('claude', facts)).version).to.equal('2.1.332');
        fs.writeFileSync(path.join(bin, 'own'), script, { mode: 0o755 });
        expect(await reader.findProgram('own', facts)).to.deep.equal({ path: path.join(bin, 'own'), version: undefined });
        expect(fs.existsSync(ran)).to.equal(false);
        const folder = fs.mkdtempSync(path.join(bin, 'package-'));
        fs.writeFileSync(path.join(folder, 'package.json'), 'null');
        fs.writeFileSync(path.join(folder, 'odd'), script, { mode: 0o755 });
        const inFolder = { ...facts, variables: { PATH: folder } };
        expect(await reader.findProgram('odd', inFolder)).to.deep.equal({ path: path.join(folder, 'odd'), version: undefined });
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
