// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, spawn } from 'child_process';
import { randomBytes } from 'crypto';
import * as path from 'path';
import { createInterface } from 'readline';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { withTimeLimit } from 'theia-cli-companion/lib/common';
import { Redactor } from '../config/redactor';
import { DAEMON_TOKEN_VARIABLE } from '../config/daemon-settings';
import { DAEMON_URL_VARIABLE } from '../../common/daemon-preferences';
import { ideModeOff } from './ide-mode-off';

/** In milliseconds, from the start until the daemon says where it listens. */
const LISTEN_MS = 30_000;
/** In milliseconds. A daemon with a running turn needs about 4 s to end by itself (Qwen Code 0.24). */
const KILL_MS = 6_000;
/** What it says once it listens, on its standard output (Qwen Code 0.24). */
const LISTENING = /^(?:qwen serve )?listening on (http:\/\/127\.0\.0\.1:\d+)(?: |$)/;
/** In milliseconds, for a small file. */
const WRITE_MS = 2_000;
/** In milliseconds, after the end: more output may come. */
const LAST_WORDS_MS = 300;

/**
 * Its input ends with the backend, however that ends. It then ends the process that it is named after. It outlives the SIGTERM that Theia (1.74)
 * sends to all its descendants when it ends.
 */
const WATCH = 'trap "" TERM; read -r _; kill "$0" || exit; for _ in 1 2 3 4 5 6; do sleep 1; kill -0 "$0" || exit; done; kill -9 "$0"';

export interface DaemonAddress {
    url: string;
    host: string;
    token?: string;
}

/** One `qwen serve` that this backend started: its life and its output. Used once; a restart is another object. */
export class DaemonProcess {
    protected readonly ending = new Deferred<string>();
    /** Resolves when the process ended for whatever reason: with that reason and its last words. */
    readonly ended = this.ending.promise;

    protected readonly listening = new Deferred<string>();
    protected readonly token = randomBytes(32).toString('hex');
    /** What it said last, without secrets. */
    protected lastLine: string | undefined;
    protected child: ChildProcess | undefined;
    protected watcher: ChildProcess | undefined;
    /** Perhaps before there was a process. */
    protected isStopped = false;

    /**
     * @param command absolute path of the Qwen Code command
     * @param workspace absolute, real path
     */
    constructor(
        protected readonly command: string,
        protected readonly workspace: string,
        protected readonly redactor: Redactor,
        protected readonly settingsFolder: () => Promise<string>,
        protected readonly log: (line: string) => void
    ) {
        redactor.add(this.token);
    }

    /** Rejects if the daemon ends, and says how, or does not listen in time. The process is then gone. */
    async start(): Promise<DaemonAddress> {
        const timer = setTimeout(() => this.listening.reject(new Error()), LISTEN_MS);
        try {
            const variables = await this.variables();
            const { pid } = this.spawn(variables);
            if (pid !== undefined && process.platform !== 'win32') {
                this.watch(pid);
            }
            const url = await this.listening.promise;
            return { url, host: new URL(url).host, token: this.token };
        } catch (error) {
            await this.stop();
            throw error;
        } finally {
            clearTimeout(timer);
        }
    }

    /** Asks it to end before the first `await`: what follows that may never run. */
    async stop(killAfter = KILL_MS): Promise<void> {
        this.isStopped = true;
        if (this.child) {
            this.child.kill('SIGTERM');
            const timer = setTimeout(() => this.child?.kill('SIGKILL'), killAfter);
            await this.ended;
            clearTimeout(timer);
        }
    }

    /** How it ended, if it has ended or is about to. A client notices the end before the parent process does. */
    async endedSoon(): Promise<string | undefined> {
        return Promise.race([this.ended, new Promise<undefined>(resolve => setTimeout(resolve, 2 * LAST_WORDS_MS))]);
    }

    /** A killed backend ends nothing itself. */
    protected watch(pid: number): void {
        // In its own process group: what ends all processes of a terminal must not end it.
        this.watcher = spawn('/bin/sh', ['-c', WATCH, String(pid)], {
            cwd: '/',
            env: { PATH: process.env.PATH },
            stdio: ['pipe', 'ignore', 'ignore'],
            detached: true
        });
        this.watcher.once('error', error => this.log(`If this backend is killed, the daemon stays: ${error.message}`));
    }

    /** Where nothing can be written, the daemon's agents may be listed among the companion's CLIs. */
    protected async variables(): Promise<Record<string, string>> {
        const off = async (): Promise<Record<string, string>> => ideModeOff(await this.settingsFolder());
        const variables = await withTimeLimit(off(), WRITE_MS).catch(() => ({}));
        if (this.isStopped) {
            throw new Error('SIGTERM');
        }
        return variables;
    }

    protected spawn(variables: Record<string, string>): ChildProcess {
        const { [DAEMON_URL_VARIABLE]: _url, ELECTRON_RUN_AS_NODE: _electron, ...rest } = process.env;
        // If the backend was started in another IDE's terminal, these variables name that IDE.
        const inherited = Object.entries(rest).filter(([name]) => !name.startsWith('QWEN_CODE_IDE_'));
        const environment = Object.fromEntries(inherited.map(([name, value]) => [name, name === 'PATH' ? absoluteOnly(value) : value]));
        // The token stays out of the command line, which every user of the machine can read.
        const child = spawn(
            this.command,
            ['serve', '--hostname', '127.0.0.1', '--port', '0', '--workspace', this.workspace, '--no-web', '--require-auth'],
            {
                cwd: this.workspace,
                env: { ...environment, ...variables, [DAEMON_TOKEN_VARIABLE]: this.token },
                stdio: ['ignore', 'pipe', 'pipe'],
                windowsHide: true
            }
        );
        this.child = child;
        // Before the pipes: where no file descriptor is left, there are none.
        child.once('error', error => this.end((error as NodeJS.ErrnoException).code));
        // Others may write to its errors what looks like an address, and would get the token.
        createInterface({ input: child.stdout }).on('line', line => this.takeAddress(line));
        for (const output of [child.stdout, child.stderr]) {
            // A process stops at a full pipe.
            createInterface({ input: output }).on('line', line => this.said(line));
            // A pipe that breaks with its process says nothing that the process's end does not say.
            output.on('error', () => undefined);
        }
        child.once('exit', (code, signal) => {
            // Its last output may still be in the pipe. But a child process of its own may hold the pipe open for long.
            const ended = (): void => this.end(signal ?? `exit code ${code}`);
            child.once('close', ended);
            setTimeout(ended, LAST_WORDS_MS).unref();
        });
        return child;
    }

    protected said(line: string): void {
        if (line.trim() !== '') {
            this.lastLine = this.redactor.redactError(line);
            this.log(this.lastLine);
        }
    }

    /** The daemon takes another port if one is busy. */
    protected takeAddress(line: string): void {
        const url = LISTENING.exec(line)?.[1];
        if (url) {
            this.listening.resolve(url);
        }
    }

    protected end(how = 'error'): void {
        const end = this.lastLine === undefined ? how : `${how}: ${this.lastLine}`;
        this.watcher?.kill('SIGKILL');
        this.ending.resolve(end);
        this.listening.reject(new Error(end));
    }
}

/** A relative entry would find what the workspace holds: the daemon works there. */
function absoluteOnly(folders = ''): string {
    return folders
        .split(path.delimiter)
        .filter(folder => path.isAbsolute(folder))
        .join(path.delimiter);
}
