// SPDX-License-Identifier: Apache-2.0

import { existsSync, promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { Redactor } from '../config/redactor';
import { processMarkers } from '../test/test-workspaces';
import { DaemonInstances } from './daemon-instances';
import { DaemonProcess } from './daemon-process';

/** With a stand-in for the command, which does what the real one does only by accident. */
describe('The process of a managed daemon', () => {
    let folder: string;
    let instances: DaemonInstances;
    let lines: string[];

    beforeEach(async () => {
        folder = await fs.mkdtemp(path.join(os.tmpdir(), 'qwen-process-'));
        instances = new DaemonInstances(path.join(folder, 'instances'), processMarkers);
        lines = [];
    });

    afterEach(() => fs.rm(folder, { recursive: true }));

    async function command(script: string): Promise<string> {
        const file = path.join(folder, 'qwen');
        await fs.writeFile(file, `#!${process.execPath}\n${script}`, { mode: 0o755 });
        return file;
    }

    async function daemon(script: string): Promise<DaemonProcess> {
        return new DaemonProcess(await command(script), folder, instances, new Redactor(), line => lines.push(line));
    }

    const listen = 'console.log("listening on http://127.0.0.1:4242 (mode=x)"); setInterval(() => {}, 1000);';

    it('keeps the token out of the arguments and the log', async () => {
        const process = await daemon(
            `console.log(JSON.stringify(process.argv)); console.error("token is " + process.env.QWEN_SERVER_TOKEN); ${listen}`
        );
        const address = await process.start();
        expect(address).to.deep.include({ url: 'http://127.0.0.1:4242', host: '127.0.0.1:4242' });
        await process.stop();
        expect(lines.join('\n')).to.contain('"serve"').and.contain('token is …').and.not.contain(address.token);
    });

    it('gets no variables of another IDE in whose terminal the backend was started', async () => {
        process.env.QWEN_CODE_IDE_SERVER_PORT = '4711';
        try {
            const started = await daemon(`console.log(Object.keys(process.env).join()); ${listen}`);
            await started.start();
            await started.stop();
        } finally {
            delete process.env.QWEN_CODE_IDE_SERVER_PORT;
        }
        expect(lines.join('\n')).to.contain('QWEN_SERVER_TOKEN').and.not.contain('QWEN_CODE_IDE_');
    });

    it('says why a daemon did not start', async () => {
        const process = await daemon('console.error("Invalid --workspace"); process.exit(1);');
        const problem = await process.start().then(
            () => 'started',
            (error: Error) => error.message
        );
        expect(problem).to.equal('exit code 1: Invalid --workspace');
    });

    it('says that the command cannot be run', async () => {
        const process = new DaemonProcess(path.join(folder, 'missing'), folder, instances, new Redactor(), () => undefined);
        expect(await process.start().catch((error: Error) => error.message)).to.contain('ENOENT');
    });

    it('[F7] is noted as soon as it runs, so that the next backend ends it if this one is killed before it listens', async function (): Promise<void> {
        if (!existsSync('/proc/self/stat')) {
            this.skip();
        }
        const process = await daemon('setInterval(() => {}, 1000);');
        const started = process.start().catch((error: Error) => error.message);
        const noted = async (): Promise<string[]> => fs.readdir(path.join(folder, 'instances')).catch(() => []);
        while (!(await noted()).some(name => name.endsWith('.json'))) {
            await new Promise(resolve => setTimeout(resolve, 10));
        }
        await process.stop();
        expect(await started).to.match(/SIGTERM/);
        expect(await noted()).to.deep.equal([]);
    });

    it('[F7] starts also where it cannot be noted', async () => {
        await fs.writeFile(path.join(folder, 'instances'), 'no folder');
        const process = await daemon(listen);
        expect((await process.start()).url).to.equal('http://127.0.0.1:4242');
        await process.stop();
    });

    it('ends one that ignores SIGTERM', async () => {
        const process = await daemon(`process.on("SIGTERM", () => {}); ${listen}`);
        await process.start();
        const end = new Promise<string>(resolve => process.onDidEnd(resolve));
        const stopped = process.stop(100);
        expect(await fs.readdir(path.join(folder, 'instances')), 'while it lives').to.have.length(1);
        await stopped;
        expect(await end).to.match(/^SIGKILL/);
        expect(await fs.readdir(path.join(folder, 'instances'))).to.deep.equal([]);
    });

    it('drains what a daemon says, however much', async () => {
        const process = await daemon(`${listen} process.stdout.write("x".repeat(1 << 22)); process.stdout.write("\\nlast\\n");`);
        await process.start();
        for (const end = Date.now() + 5_000; !lines.includes('last') && Date.now() < end;) {
            await new Promise(resolve => setTimeout(resolve, 20));
        }
        expect(lines.at(-1)).to.equal('last');
        await process.stop();
    });
});
