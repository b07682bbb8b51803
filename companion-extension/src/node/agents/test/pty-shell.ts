// SPDX-License-Identifier: Apache-2.0

import { Container } from '@theia/core/shared/inversify';
import { ShellProcess, ShellProcessFactory } from '@theia/terminal/lib/node/shell-process';
import { createTerminalTestContainer } from '@theia/terminal/lib/node/test/terminal-test-container';
import { TestHost } from '../../discovery/test/test-host';
import { eventually } from '../../test/test-cli';

/** What the shell writes before it takes the next line. */
const PROMPT = 'SHELL> ';

/** A real bash in a real pseudo terminal, as Theia starts it. What runs in it ends with it. */
export class PtyShell {
    protected static container: Container | undefined;
    /** All that the terminal got. */
    output = '';
    /** What was written into the terminal by others than {@link type}. */
    readonly answers: string[] = [];

    private constructor(readonly process: ShellProcess) {
        process.createOutputStream().on('data', (text: string) => (this.output += text));
    }

    /** @param variables on top of the host's HOME and temporary folder and of this process's PATH */
    static async open(host: TestHost, variables: Record<string, string> = {}): Promise<PtyShell> {
        this.container ??= createTerminalTestContainer();
        const env = {
            HOME: host.homeFolder,
            TMPDIR: host.temporaryFolder,
            PATH: process.env['PATH'] ?? '',
            PS1: PROMPT,
            HISTFILE: '/dev/null',
            ...variables
        };
        const start = this.container.get<ShellProcessFactory>(ShellProcessFactory);
        const options = { shell: '/bin/bash', args: ['--norc', '--noprofile', '-i'], rootURI: `file://${host.homeFolder}`, env };
        const shell = new PtyShell(start({ ...options, strictEnv: true }) as ShellProcess);
        await shell.untilPrompt();
        return shell;
    }

    /** As `Agents.follow` takes it. */
    get followed(): Pick<ShellProcess, 'pid' | 'write' | 'createOutputStream' | 'onClose' | 'onError'> {
        const { process } = this;
        const write = (text: string): void => {
            this.answers.push(text);
            process.write(text);
        };
        return {
            pid: process.pid,
            write,
            createOutputStream: () => process.createOutputStream(),
            onClose: process.onClose,
            onError: process.onError
        };
    }

    /** Types a line, and does not wait for its end. */
    type(line: string): void {
        this.output = '';
        this.process.write(`${line}\r`);
    }

    /** Waits until the shell takes a line. */
    async untilPrompt(): Promise<void> {
        await eventually('the prompt', () => this.output.includes(PROMPT));
    }

    async close(): Promise<void> {
        const closed = new Promise<void>(resolve => this.process.onClose(() => resolve()));
        this.process.kill('SIGKILL');
        await closed;
    }
}
