// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'child_process';
import { existsSync, promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { Redactor } from '../config/redactor';
import { DaemonProcess } from './daemon-process';

/** With a stand-in for the command, which does what the real one does only by accident. */
describe('The process of a managed daemon', () => {
    let folder: string;
    let lines: string[];

    beforeEach(async () => {
        folder = await fs.mkdtemp(path.join(os.tmpdir(), 'qwen-process-'));
        lines = [];
    });

    afterEach(() => fs.rm(folder, { recursive: true }));

    async function command(script: string): Promise<string> {
        const file = path.join(folder, 'qwen');
        await fs.writeFile(file, `#!${process.execPath}\n${script}`, { mode: 0o755 });
        return file;
    }

    async function daemon(script: string): Promise<DaemonProcess> {
        return new DaemonProcess(
            await command(script),
            folder,
            new Redactor(),
            async () => folder,
            line => lines.push(line)
        );
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

    it('is where its own output says, and not where a line says that somebody else has written', async () => {
        const process = await daemon(
            'console.error("listening on http://127.0.0.1:4711"); console.log("a tool is listening on http://127.0.0.1:4712 ");' +
                ` setTimeout(() => { ${listen} }, 100);`
        );
        expect((await process.start()).url).to.equal('http://127.0.0.1:4242');
        await process.stop();
    });

    it('gets no variables of another IDE in whose terminal the backend was started, and no path into the workspace', async () => {
        const { PATH } = process.env;
        process.env.QWEN_CODE_IDE_SERVER_PORT = '4711';
        process.env.PATH = ['', 'node_modules/.bin', '/usr/bin', '.'].join(path.delimiter);
        try {
            const started = await daemon(`console.log(Object.keys(process.env).join(), process.env.PATH); ${listen}`);
            await started.start();
            await started.stop();
        } finally {
            delete process.env.QWEN_CODE_IDE_SERVER_PORT;
            process.env.PATH = PATH;
        }
        expect(lines.join('\n')).to.contain('QWEN_SERVER_TOKEN').and.not.contain('QWEN_CODE_IDE_');
        expect(lines[0].endsWith(' /usr/bin'), lines[0]).to.equal(true);
    });

    it('the process of a managed daemon has its agents not connect to the IDE, unless an administrator has settings', async () => {
        const said = `console.log(require('fs').readFileSync(process.env.QWEN_CODE_SYSTEM_SETTINGS_PATH, 'utf8')); ${listen}`;
        const started = await daemon(said);
        await started.start();
        expect(lines.join()).to.contain('"ide":{"enabled":false}');
        await started.stop();
        const administrators = path.join(folder, 'settings.json');
        await fs.writeFile(administrators, '{"of":"the administrator"}');
        process.env.QWEN_CODE_SYSTEM_SETTINGS_PATH = administrators;
        try {
            const other = await daemon(said);
            await other.start();
            await other.stop();
        } finally {
            delete process.env.QWEN_CODE_SYSTEM_SETTINGS_PATH;
        }
        expect(lines.join()).to.contain('"of":"the administrator"');
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
        const process = new DaemonProcess(
            path.join(folder, 'missing'),
            folder,
            new Redactor(),
            async () => folder,
            () => undefined
        );
        expect(await process.start().catch((error: Error) => error.message)).to.contain('ENOENT');
    });

    it('[F7] ends with a backend that is killed, also before it listens', async function (): Promise<void> {
        if (process.platform === 'win32') {
            this.skip();
        }
        const asked = path.join(folder, 'asked-to-end');
        const stub = await command(`
            process.on('SIGTERM', () => require('fs').writeFileSync(${JSON.stringify(asked)}, '') ?? process.exit());
            console.log('runs');
            setInterval(() => {}, 1000);`);
        const script = `
            require('reflect-metadata');
            const { DaemonProcess } = require('./daemon-process');
            const { Redactor } = require('../config/redactor');
            new DaemonProcess(${JSON.stringify(stub)}, ${JSON.stringify(folder)}, new Redactor(), async () => ${JSON.stringify(folder)}, line => console.log(line)).start();`;
        const backend = spawn(process.execPath, ['-e', script], { cwd: __dirname });
        await new Promise(resolve => backend.stdout.once('data', resolve));
        expect(existsSync(asked), 'while the backend lives').to.equal(false);
        backend.kill('SIGKILL');
        for (const end = Date.now() + 5_000; !existsSync(asked) && Date.now() < end;) {
            await new Promise(resolve => setTimeout(resolve, 20));
        }
        expect(existsSync(asked)).to.equal(true);
    });

    it('ends one that ignores SIGTERM', async () => {
        const process = await daemon(`process.on("SIGTERM", () => {}); ${listen}`);
        await process.start();
        await process.stop(100);
        expect(await process.ended).to.match(/^SIGKILL/);
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
