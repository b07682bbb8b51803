// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, spawn } from 'child_process';
import { eventually, Hopeless } from './eventually';
import { descendantsOf, isAlive, killIfAlive } from './process-tree';

/** Characters of output that are kept. */
const MAX_LOG = 1_000_000;

export interface ProcessExit {
    readonly code: number | undefined;
    readonly signal: NodeJS.Signals | undefined;
}

/** A process that a test started, its output, and its end together with all that it started itself. */
export class OwnedProcess {
    exit: ProcessExit | undefined;
    private output = '';
    private readonly child: ChildProcess;

    constructor(
        readonly name: string,
        command: string,
        args: readonly string[],
        /** `terminal`: a signal reaches all that it started in its process group, as Ctrl+C in a terminal does. */
        private readonly options: { cwd: string; env: NodeJS.ProcessEnv; terminal?: boolean }
    ) {
        const { cwd, env, terminal } = options;
        this.child = spawn(command, args, { cwd, env, detached: terminal, stdio: ['ignore', 'pipe', 'pipe'] });
        const collect = (chunk: string): void => {
            this.output = (this.output + chunk).slice(-MAX_LOG);
        };
        for (const stream of [this.child.stdout, this.child.stderr]) {
            stream?.setEncoding('utf8').on('data', collect);
        }
        this.child.on('error', error => {
            collect(`${error.message}\n`);
            this.exit ??= { code: undefined, signal: undefined };
        });
        this.child.on('exit', (code, signal) => {
            collect(`${name} ended: ${signal ?? `exit code ${code}`}\n`);
            this.exit = { code: code ?? undefined, signal: signal ?? undefined };
        });
    }

    get pid(): number {
        if (this.child.pid === undefined) {
            throw new Error(`${this.name} was not started: ${this.output}`);
        }
        return this.child.pid;
    }

    get log(): string {
        return this.output;
    }

    /** Waits for a line of the output. */
    waitForLog(pattern: RegExp): Promise<RegExpExecArray> {
        return eventually(
            `${this.name} to print ${pattern}`,
            () => {
                const match = pattern.exec(this.output);
                if (!match && this.exit) {
                    throw new Hopeless(`${this.name} ended`);
                }
                return match ?? undefined;
            },
            { state: () => this.output }
        );
    }

    /** Sends the signal and waits for the end. */
    async stop(signal: NodeJS.Signals): Promise<ProcessExit> {
        if (!this.exit) {
            process.kill(this.options.terminal ? -this.pid : this.pid, signal);
        }
        return eventually(`${this.name} to end after ${signal}`, () => this.exit, { timeout: 20_000, state: () => this.output });
    }

    /** Sends the signal, waits for the end, and then ends whatever the process left behind. */
    async end(signal: NodeJS.Signals): Promise<ProcessExit> {
        const descendants = this.exit ? [] : descendantsOf(this.pid);
        try {
            return await this.stop(signal);
        } finally {
            this.child.kill('SIGKILL');
            descendants.filter(isAlive).forEach(({ pid }) => killIfAlive(pid));
        }
    }
}
