// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'child_process';
import { randomUUID } from 'crypto';
import * as path from 'path';
import { Readable } from 'stream';
import { CliTerminal, SupportedCli, SupportedClis, Variables } from '../discovery/supported-cli';
import { ProcessTable, RunningProcess } from '../host/process-table';
import { findOnPath } from '../host/search-path';

/** A CLI is few processes away from its shell, and a shell from init. */
const MAX_ANCESTORS = 50;
/** What the CLIs take for a shell (Gemini CLI 0.61, Qwen Code 0.24). */
const SHELLS = ['zsh', 'bash', 'sh', 'tcsh', 'csh', 'ksh', 'fish', 'dash'];
/** How long a shell's own settings may take, in milliseconds. */
const SHELL_LIMIT = 5_000;
/** How long a CLI may take to tell its version, in milliseconds. */
const VERSION_LIMIT = 10_000;
/** How long the last words of a program that has ended may take, in milliseconds. */
const DRAIN = 100;
/** More than a version or a path, in characters. */
const MAX_OUTPUT = 64 * 1024;

/** What a CLI has around it in one terminal. */
export interface TerminalFacts extends CliTerminal {
    readonly umask?: number | undefined;
    /** Of the CLI's processes, the innermost first; empty if none runs. */
    readonly pids: readonly number[];
    /** The shell's command line; absent for a new terminal. */
    readonly shell?: readonly string[];
}

export interface Program {
    /** `undefined` if there is none. */
    readonly path?: string | undefined;
    /** Such as `0.24.4`; `undefined` if the program does not tell. */
    readonly version?: string | undefined;
}

/** Looks at the CLIs in terminals. */
export class TerminalReader {
    constructor(
        protected readonly processes: ProcessTable,
        protected readonly clis: SupportedClis,
        protected readonly uid: number | undefined
    ) {}

    /**
     * A variable that was set in a running shell is seen only in what the shell has started since: so a CLI's own variables count, if one
     * runs.
     */
    async read(shell: RunningProcess, cli: SupportedCli): Promise<TerminalFacts> {
        const running = await this.cliBelow(shell.pid, cli);
        const { variables, folder, umask } = running[0] ?? shell;
        const pids = running.map(({ pid }) => pid);
        return { variables, folder, umask, command: running[0]?.command ?? [], pids, shell: shell.command };
    }

    /** Finds the program that the command starts in the terminal, and its version. */
    async findProgram(command: string, { variables, shell }: TerminalFacts): Promise<Program> {
        const program = (await findOnPath(command, variables['PATH'])) ?? (shell && (await this.askShell(command, shell, variables)));
        if (program === undefined) {
            return {};
        }
        const output = await outputOf(program, ['--version'], variables, VERSION_LIMIT);
        return { path: program, version: /\d+\.\d+\.\d+[-+.\w]*/.exec(output)?.[0] };
    }

    /** A CLI starts itself a second time: the one below connects. */
    protected async cliBelow(shell: number, cli: SupportedCli): Promise<RunningProcess[]> {
        const candidates = await this.processes.list(this.uid, command => this.clis.ofProcess(command)?.id === cli.id);
        let deepest: RunningProcess[] = [];
        for (const candidate of candidates.filter(({ pid }) => pid !== shell)) {
            const above = await this.ancestors(candidate);
            const end = above.findIndex(ancestor => ancestor.pid === shell);
            if (end > deepest.length) {
                deepest = above.slice(0, end);
            }
        }
        return deepest;
    }

    protected async ancestors(first: RunningProcess): Promise<RunningProcess[]> {
        const chain = [first];
        while (chain.length < MAX_ANCESTORS && chain[chain.length - 1].parent > 1) {
            const next = await this.processes.details(chain[chain.length - 1].parent);
            if (!next) {
                break;
            }
            chain.push(next);
        }
        return chain;
    }

    /**
     * What a shell's settings put on the PATH, as version managers do, is seen in no process before the shell has read them. They may print
     * anything: only what stands behind the marker is the answer.
     */
    protected async askShell(
        command: string,
        [shell = '', ...options]: readonly string[],
        variables: Variables
    ): Promise<string | undefined> {
        const program = shell.replace(/^-/, '');
        if (!SHELLS.includes(path.basename(program))) {
            return undefined;
        }
        // A login shell has a dash before its name.
        const login = program !== shell || options.includes('-l') || options.includes('--login');
        const marker = randomUUID();
        const script = `echo ${marker} && command -v ${command}`;
        const output = await outputOf(program, [...(login ? ['-l'] : []), '-i', '-c', script], variables, SHELL_LIMIT);
        const [found = ''] = output.split(`${marker}\n`)[1]?.split('\n') ?? [];
        return path.isAbsolute(found) && path.basename(found) === command ? found : undefined;
    }
}

/**
 * Runs a program in a session of its own, since an interactive shell takes the terminal, and not in the workspace, whose files it might heed.
 * What it leaves behind may keep its output open, and is not waited for.
 *
 * @returns what it prints; empty if it fails or takes too long
 */
async function outputOf(program: string, args: string[], variables: Variables, timeout: number): Promise<string> {
    const env = Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value == null ? [] : [[name, value]])));
    const child = spawn(program, args, {
        cwd: variables['HOME'] || '/',
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout,
        killSignal: 'SIGKILL'
    });
    let output = '';
    const ended = new Promise(resolve => {
        child.once('error', resolve);
        child.once('close', resolve);
        child.once('exit', status => setTimeout(resolve, DRAIN, status));
    });
    // Without a free file descriptor the child has no output, and its error is still to come.
    const stdout: Readable | undefined = child.stdout;
    stdout?.on('error', () => undefined);
    stdout?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(0, MAX_OUTPUT)));
    const code = await ended;
    stdout?.destroy();
    try {
        if (child.pid !== undefined) {
            process.kill(-child.pid, 'SIGKILL');
        }
    } catch {
        // All of it has ended.
    }
    return code === 0 ? output : '';
}
