// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, spawn } from 'child_process';
import { randomUUID } from 'crypto';
import * as os from 'os';
import { inject, injectable } from '@theia/core/shared/inversify';
import { HostEnvironment } from '../host/host-environment';

/** How long the shell's settings may take, and what they may print, in characters. */
const LIMIT_MS = 5_000;
const MAX_OUTPUT = 1024 * 1024;

/** What the user's own shell has after it has read its settings: installers write a `PATH` there, which a desktop or a container does not read. */
@injectable()
export class LoginShell {
    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    protected asked: Promise<string | undefined> | undefined;

    /** Its `PATH`. Asked once. Never rejects. @returns `undefined` if it does not say it in time */
    searchPath(): Promise<string | undefined> {
        return (this.asked ??= this.ask());
    }

    protected ask(): Promise<string | undefined> {
        const { shell } = this;
        if (shell === undefined) {
            return Promise.resolve(undefined);
        }
        const mark = randomUUID();
        // As VS Code does: some settings are read only by a shell that is interactive. `env` is the same in every shell.
        const args = ['-i', '-l', '-c', `echo ${mark}; /usr/bin/env; echo ${mark}`];
        return new Promise(resolve => {
            const child: ChildProcess = spawn(shell, args, {
                cwd: this.host.homeFolder,
                env: { ...this.host.variables, TERM: 'dumb' },
                stdio: ['ignore', 'pipe', 'ignore'],
                // In a session of its own it cannot stop to ask the terminal of the backend for something.
                detached: true
            });
            let output = '';
            const end = (): void => {
                clearTimeout(timer);
                try {
                    // With all that its settings have started, which may hold the pipe.
                    process.kill(-(child.pid ?? NaN), 'SIGKILL');
                } catch {
                    // It has ended, or never began.
                }
                child.stdout?.destroy();
                const variables = output.split(mark).at(1)?.split('\n') ?? [];
                resolve(variables.find(line => line.startsWith('PATH='))?.slice('PATH='.length));
            };
            const timer = setTimeout(end, LIMIT_MS).unref();
            child.on('error', end);
            // Where no file descriptor is left, there is no pipe.
            child.stdout?.setEncoding('utf8').on('data', (text: string) => {
                output += text;
                if (output.split(mark).length > 2 || output.length > MAX_OUTPUT) {
                    end();
                }
            });
            child.stdout?.on('end', end);
        });
    }

    protected get shell(): string | undefined {
        if (this.host.platform === 'win32') {
            return undefined;
        }
        try {
            return this.host.variables['SHELL'] || os.userInfo().shell || undefined;
        } catch {
            // A user without an entry in the password database.
            return undefined;
        }
    }
}
