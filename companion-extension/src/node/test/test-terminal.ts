// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, spawn } from 'child_process';
import { once } from 'events';
import * as fs from 'fs';
import * as path from 'path';
import { TestHost } from '../discovery/test/test-host';
import { eventually } from './test-cli';

const SYSTEM_PATH = ['/usr/bin', '/bin'].join(path.delimiter);

/** A real shell, and programs in the place of the CLIs. Everything that it starts ends with it. */
export class TestTerminal {
    private constructor(
        readonly host: TestHost,
        private readonly shell: ChildProcess
    ) {}

    /** @param variables on top of the host's HOME and temporary folder, and of a PATH that begins with {@link bin} */
    static open(host: TestHost, folder: string, variables: Record<string, string | null> = {}): TestTerminal {
        const env = {
            HOME: host.homeFolder,
            TMPDIR: host.temporaryFolder,
            PATH: [TestTerminal.bin(host), SYSTEM_PATH].join(path.delimiter),
            ...Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null))
        };
        return new TestTerminal(host, spawn('sh', [], { cwd: folder, env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] }));
    }

    /** Puts a program of this version there that waits, as npm does: a link into its package. */
    static install(host: TestHost, command: string, version: string): void {
        const [bin, own] = [TestTerminal.bin(host), path.join(host.folder, 'lib', 'node_modules', command)];
        fs.mkdirSync(bin, { recursive: true });
        fs.mkdirSync(path.join(own, 'dist'), { recursive: true });
        fs.writeFileSync(path.join(own, 'package.json'), JSON.stringify({ name: command, version, bin: `dist/${command}` }));
        fs.writeFileSync(path.join(own, 'dist', command), '#!/bin/sh\nsleep 1000\n', { mode: 0o755 });
        fs.rmSync(path.join(bin, command), { force: true });
        fs.symlinkSync(path.join('..', 'lib', 'node_modules', command, 'dist', command), path.join(bin, command));
    }

    /**
     * Has this process find no CLI of the machine.
     *
     * @returns takes it back
     */
    static hideClis(): () => void {
        const before = process.env['PATH'];
        process.env['PATH'] = SYSTEM_PATH;
        return () => (process.env['PATH'] = before);
    }

    static bin(host: TestHost): string {
        return path.join(host.folder, 'bin');
    }

    get pid(): number {
        return this.shell.pid ?? 0;
    }

    /** Types a line, and waits until the program runs that it starts. */
    async run(line: string): Promise<void> {
        this.shell.stdin?.write(`${line} &\n`);
        const [command] = line.split(' ');
        await eventually(`${command} to run`, () =>
            fs
                .readdirSync('/proc')
                .some(pid => /^\d+$/.test(pid) && commandOf(pid).includes(path.join(TestTerminal.bin(this.host), command)))
        );
    }

    async type(line: string): Promise<void> {
        const done = path.join(this.host.folder, 'typed');
        this.shell.stdin?.write(`${line}\n: > '${done}'\n`);
        await eventually(`${line} to be done`, () => fs.existsSync(done));
        fs.rmSync(done);
    }

    async close(): Promise<void> {
        const ended = once(this.shell, 'exit');
        process.kill(-this.pid, 'SIGKILL');
        await ended;
    }
}

function commandOf(pid: string): string {
    try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
        return '';
    }
}
