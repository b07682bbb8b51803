// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { CliSurroundings, SupportedCli } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { MAX_ANCESTORS, ProcessTable, RunningProcess } from '../host/process-table';
import { findOnPath } from '../host/search-path';

/** How far above a program its package lies: `dist/bin/cli.js` is three below. */
const PACKAGE_LEVELS = 4;
const VERSION = /\d+\.\d+\.\d+[-+.\w]*/;
/** In bytes. More than a package says of itself. */
const MAX_PACKAGE_BYTES = 256 * 1024;

/** The surroundings of a CLI in one terminal. */
export interface TerminalFacts extends CliSurroundings {
    /** The CLI's processes, the innermost first; empty if none runs. */
    readonly pids: readonly number[];
    /** Whose variables these are, as it was started with them. */
    readonly owner: { readonly program: string; readonly pid: number };
}

export interface Program {
    /** `undefined` if there is none. */
    readonly path?: string | undefined;
    /** A version such as `0.24.4`; `undefined` if no file beside the program tells. */
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

    /**
     * Finds the program that the command starts in the terminal, and its version. Neither is run, and no shell asked: the `PATH` may begin with
     * a folder of a workspace that nobody trusts.
     */
    async findProgram(command: string, { variables }: TerminalFacts): Promise<Program> {
        const program = await findOnPath(command, variables['PATH'] ?? process.env['PATH']);
        if (program === undefined) {
            return {};
        }
        return { path: program, version: await versionOf(program) };
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

/** As the package that the program belongs to says, or its name, as that of `claude/versions/2.1.332`. */
async function versionOf(program: string): Promise<string | undefined> {
    const file = await fs.realpath(program).catch(() => program);
    const name = path.basename(file);
    if (VERSION.exec(name)?.[0] === name) {
        return name;
    }
    let folder = path.dirname(file);
    for (let level = 0; level < PACKAGE_LEVELS; level++, folder = path.dirname(folder)) {
        const { bin, version } = await packageIn(folder);
        if (bin !== undefined && typeof version === 'string') {
            return VERSION.exec(version)?.[0];
        }
    }
    return undefined;
}

async function packageIn(folder: string): Promise<{ bin?: unknown; version?: unknown }> {
    const file = path.join(folder, 'package.json');
    try {
        const stat = await fs.stat(file);
        return stat.isFile() && stat.size <= MAX_PACKAGE_BYTES ? { ...(JSON.parse(await fs.readFile(file, 'utf8')) as object | null) } : {};
    } catch {
        return {};
    }
}
