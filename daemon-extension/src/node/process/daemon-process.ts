// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, spawn } from 'child_process';
import { randomBytes } from 'crypto';
import { createInterface } from 'readline';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { Redactor } from '../config/redactor';
import { DAEMON_TOKEN_VARIABLE } from '../config/daemon-token-source';
import { DAEMON_URL_VARIABLE } from '../../common/daemon-preferences';

/** In milliseconds. */
export const ProcessTimings = {
    /** From the start until the daemon says where it listens. */
    listen: 30_000,
    /** A daemon with a running turn needs about 4 s to end by itself (Qwen Code 0.24). */
    kill: 6_000,
    /** How long after the end more output may come. */
    lastWords: 300
} as const;

/** Its input ends with the backend, however that ends. It then ends the process that it is named after. */
const WATCH = 'read -r _; kill "$0" && sleep 6 && kill -9 "$0"';

export interface DaemonAddress {
    url: string;
    host: string;
    token?: string;
}

/** A daemon that does not start. */
export class DaemonStartError extends Error {
    /** @param end how it ended; absent if it only did not say where it listens */
    constructor(readonly end?: string) {
        super(end);
    }
}

/** One `qwen serve` that this backend started: its life and its output. Used once; a restart is another object. */
export class DaemonProcess {
    protected readonly onDidEndEmitter = new Emitter<string>();
    /** Fires once, when the process ended for whatever reason: with that reason and its last words. */
    readonly onDidEnd: Event<string> = this.onDidEndEmitter.event;

    protected readonly token = randomBytes(32).toString('hex');
    /** What it said last, without secrets. */
    protected lastLine: string | undefined;
    protected child: ChildProcess | undefined;
    protected end: string | undefined;
    protected watcher: ChildProcess | undefined;
    protected listening: (line: string) => void = () => undefined;

    /**
     * @param command absolute path of the Qwen Code command
     * @param workspace absolute, real path
     */
    constructor(
        protected readonly command: string,
        protected readonly workspace: string,
        protected readonly redactor: Redactor,
        protected readonly log: (line: string) => void
    ) {
        redactor.add(this.token);
    }

    /** Rejects with a {@link DaemonStartError} if the daemon ends or does not listen in time. The process is then gone. */
    async start(): Promise<DaemonAddress> {
        const url = this.listenUrl();
        const { pid } = this.spawn();
        if (pid !== undefined && process.platform !== 'win32') {
            this.watch(pid);
        }
        try {
            const address = await url;
            return { url: address, host: new URL(address).host, token: this.token };
        } catch (error) {
            await this.stop();
            throw error;
        }
    }

    /** Asks it to end before the first `await`: what follows that may never run. */
    async stop(killAfter: number = ProcessTimings.kill): Promise<void> {
        if (this.child && this.end === undefined) {
            const ended = new Promise<void>(resolve => this.onDidEnd(() => resolve()));
            this.child.kill('SIGTERM');
            const timer = setTimeout(() => this.child?.kill('SIGKILL'), killAfter);
            await ended;
            clearTimeout(timer);
        }
        this.onDidEndEmitter.dispose();
    }

    /** How it ended, if it has ended or is about to. A client notices the end before the parent process does. */
    async endedSoon(): Promise<string | undefined> {
        if (this.child && this.end === undefined) {
            await new Promise<void>(resolve => {
                const timer = setTimeout(resolve, 2 * ProcessTimings.lastWords);
                this.onDidEnd(() => {
                    clearTimeout(timer);
                    resolve();
                });
            });
        }
        return this.end;
    }

    /** A killed backend ends nothing itself. */
    protected watch(pid: number): void {
        // In a group of its own: what ends all processes of a terminal must not end it.
        this.watcher = spawn('/bin/sh', ['-c', WATCH, String(pid)], {
            cwd: '/',
            env: { PATH: process.env.PATH },
            stdio: ['pipe', 'ignore', 'ignore'],
            detached: true
        });
        this.watcher.once('error', error => this.log(`If this backend is killed, the daemon stays: ${error.message}`));
    }

    protected spawn(): ChildProcess {
        const { [DAEMON_URL_VARIABLE]: _url, ELECTRON_RUN_AS_NODE: _electron, ...rest } = process.env;
        // If the backend was started in another IDE's terminal, these variables name that IDE.
        const environment = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('QWEN_CODE_IDE_')));
        // The token stays out of the command line, which every user of the machine can read.
        const child = spawn(
            this.command,
            ['serve', '--hostname', '127.0.0.1', '--port', '0', '--workspace', this.workspace, '--no-web', '--require-auth'],
            {
                cwd: this.workspace,
                env: { ...environment, [DAEMON_TOKEN_VARIABLE]: this.token },
                stdio: ['ignore', 'pipe', 'pipe'],
                windowsHide: true
            }
        );
        this.child = child;
        for (const output of [child.stdout, child.stderr]) {
            // A process stops at a full pipe.
            createInterface({ input: output }).on('line', line => this.said(line));
            // A pipe that breaks with its process says nothing that the process's end does not say.
            output.on('error', () => undefined);
        }
        child.once('error', error => this.ended((error as NodeJS.ErrnoException).code));
        child.once('exit', (code, signal) => {
            // Its last output may still be in the pipe. But a child process of its own may hold the pipe open for long.
            const ended = (): void => this.ended(signal ?? `exit code ${code}`);
            child.once('close', ended);
            setTimeout(ended, ProcessTimings.lastWords).unref();
        });
        return child;
    }

    protected said(line: string): void {
        if (line.trim() !== '') {
            this.lastLine = this.redactor.redactError(line);
            this.log(this.lastLine);
            this.listening(line);
        }
    }

    /** Reads the port from the output: the daemon takes another port if one is busy. */
    protected listenUrl(): Promise<string> {
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => reject(new DaemonStartError()), ProcessTimings.listen);
            const subscription = this.onDidEnd(end => {
                clearTimeout(timer);
                reject(new DaemonStartError(end));
            });
            this.listening = line => {
                const match = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line);
                if (match) {
                    clearTimeout(timer);
                    subscription.dispose();
                    this.listening = () => undefined;
                    resolve(match[1]);
                }
            };
        });
    }

    protected ended(how = 'error'): void {
        if (this.end === undefined) {
            this.end = this.lastLine === undefined ? how : `${how}: ${this.lastLine}`;
            this.watcher?.kill('SIGKILL');
            this.onDidEndEmitter.fire(this.end);
        }
    }
}
