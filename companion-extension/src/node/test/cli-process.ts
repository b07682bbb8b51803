// SPDX-License-Identifier: Apache-2.0

import { ChildProcess, fork } from 'child_process';
import { once } from 'events';
import * as path from 'path';
import { eventually, ReceivedNotification } from './test-cli';

/** A CLI with a diff, in its own process: the backend distinguishes CLIs by their processes. */
export class CliProcess {
    readonly received: ReceivedNotification[] = [];

    private constructor(private readonly child: ChildProcess) {
        child.on('message', message => this.received.push(message as ReceivedNotification));
    }

    static async open(server: { port: number; token: string }, file: string, content: string): Promise<CliProcess> {
        const program = path.join(__dirname, 'cli-program.js');
        const cli = new CliProcess(fork(program, [String(server.port), server.token, file, content]));
        await cli.next('opened');
        return cli;
    }

    async openDiff(file: string, content: string): Promise<void> {
        this.child.send({ file, content });
        await this.next('opened');
    }

    /** As Ctrl+Z does in its terminal. */
    stop(): void {
        this.child.kill('SIGSTOP');
    }

    /** As `fg` does. */
    goOn(): void {
        this.child.kill('SIGCONT');
    }

    async next(method: string): Promise<ReceivedNotification> {
        const found = await eventually(`${method} to arrive`, () => this.received.find(notification => notification.method === method));
        this.received.splice(this.received.indexOf(found), 1);
        return found;
    }

    async end(): Promise<void> {
        if (this.child.exitCode === null && this.child.signalCode === null) {
            const ended = once(this.child, 'exit');
            this.child.kill('SIGKILL');
            await ended;
        }
    }
}
