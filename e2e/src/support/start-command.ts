// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { OwnedProcess } from './owned-process';
import { PROJECT } from './project-paths';

/** The user who types `npm start`: a HOME, a TMPDIR and a PATH of their own. */
export class StartCommand {
    private readonly started: OwnedProcess[] = [];

    private constructor(
        /** Without symbolic links; all folders below are removed at the end. */
        readonly root: string
    ) {}

    static async prepare(): Promise<StartCommand> {
        const command = new StartCommand(await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'companion-start-'))));
        for (const folder of [command.bin, command.home, command.tmpdir]) {
            await fs.mkdir(folder);
        }
        return command;
    }

    /** The user's own folder of programs. */
    get bin(): string {
        return path.join(this.root, 'bin');
    }

    get home(): string {
        return path.join(this.root, 'home');
    }

    get tmpdir(): string {
        return path.join(this.root, 'tmp');
    }

    /** What the user's shell runs with. */
    get env(): NodeJS.ProcessEnv {
        // This test may itself be run by npm.
        const others = (process.env.PATH ?? '').split(path.delimiter).filter(folder => !folder.includes('node_modules'));
        return {
            PATH: [this.bin, ...others].join(path.delimiter),
            HOME: this.home,
            TMPDIR: this.tmpdir,
            SHELL: '/bin/bash',
            LANG: 'C.UTF-8'
        };
    }

    /** Types `npm start -- ARGS` in the project's folder. */
    run(...args: string[]): OwnedProcess {
        const options = { cwd: PROJECT, env: this.env, terminal: true };
        const started = new OwnedProcess('npm start', 'npm', ['start', '--', ...args], options);
        this.started.push(started);
        return started;
    }

    async dispose(): Promise<void> {
        for (const one of this.started) {
            await one.end('SIGTERM');
        }
        await fs.rm(this.root, { recursive: true, force: true, maxRetries: 5 });
    }
}
