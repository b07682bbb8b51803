// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'child_process';
import * as path from 'path';
import { Readable } from 'stream';
import { CliTerminal, SupportedCli, Variables } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { MAX_ANCESTORS, ProcessTable, RunningProcess } from '../host/process-table';
import { findOnPath } from '../host/search-path';

/** How long a CLI may take to tell its version. */
const VERSION_LIMIT_MS = 10_000;
/** How long the last words of a program that has ended may take. */
const DRAIN_MS = 100;
/** More than a version. */
const MAX_OUTPUT_CHARACTERS = 64 * 1024;

/** The surroundings of a CLI in one terminal. */
export interface TerminalFacts extends CliTerminal {
    /** The CLI's processes, the innermost first; empty if none runs. */
    readonly pids: readonly number[];
    /** Whose variables these are, as it was started with them. */
    readonly owner: { readonly program: string; readonly pid: number };
}

export interface Program {
    /** `undefined` if there is none. */
    readonly path?: string | undefined;
    /** A version such as `0.24.4`; `undefined` if the program does not tell. */
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
     * A variable that was set in a running shell is seen only in what the shell has started since: so those of the CLI count, or of another
     * program that runs there.
     */
    async read(shell: RunningProcess, cli: SupportedCli): Promise<TerminalFacts> {
        const running = await this.cliBelow(shell.pid, cli);
        const [own] = running;
        const owner = own ?? (await this.foreground(shell)) ?? shell;
        return {
            variables: owner.variables,
            folder: (own ?? shell).folder,
            command: own?.command ?? [],
            pids: running.map(({ pid }) => pid),
            owner: { program: path.basename(owner.command[0] ?? ''), pid: owner.pid }
        };
    }

    protected async foreground(shell: RunningProcess): Promise<RunningProcess | undefined> {
        const found = await this.processes.foregroundOf(shell.pid);
        return found && found.pid !== shell.pid ? this.processes.details(found.pid) : undefined;
    }

    /** Finds the program that the command starts in the terminal, and its version. No shell is asked: its settings may do anything. */
    async findProgram(command: string, { variables }: TerminalFacts): Promise<Program> {
        const program = await findOnPath(command, variables['PATH'] ?? process.env['PATH']);
        if (program === undefined) {
            return {};
        }
        const output = await outputOf(program, ['--version'], variables, VERSION_LIMIT_MS);
        return { path: program, version: /\d+\.\d+\.\d+[-+.\w]*/.exec(output)?.[0] };
    }

    /** A CLI starts itself a second time: the one below connects. */
    protected async cliBelow(shell: number, cli: SupportedCli): Promise<RunningProcess[]> {
        const candidates = (await this.processes.scan(this.uid)).filter(({ command }) => this.clis.ofProcess(command)?.id === cli.id);
        let deepest: RunningProcess[] = [];
        for (const { pid } of candidates) {
            const candidate = pid === shell ? undefined : await this.processes.details(pid);
            if (!candidate) {
                continue;
            }
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
}

/**
 * Runs a program in a session of its own, and not in the workspace, whose files it might heed.
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
        child.once('exit', status => setTimeout(resolve, DRAIN_MS, status));
    });
    // Without a free file descriptor the child has no output, and its error is still to come.
    const stdout: Readable | undefined = child.stdout;
    stdout?.on('error', () => undefined);
    stdout?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(0, MAX_OUTPUT_CHARACTERS)));
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
