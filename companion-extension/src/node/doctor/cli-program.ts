// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'child_process';
import { randomUUID } from 'crypto';
import * as path from 'path';
import { Variables } from '../discovery/cli-terminal';
import { findOnPath, searchFolders } from '../host/search-path';
import { SHELLS, TerminalFacts } from './terminal-facts';

/** How long a shell's own settings may take, in milliseconds. */
const SHELL_LIMIT = 5_000;
/** How long a CLI may take to tell its version, in milliseconds. */
const VERSION_LIMIT = 10_000;
/** How long the last words of a program that has ended may take, in milliseconds. */
const DRAIN = 100;

/** More than a version or a path, in characters. */
const MAX_OUTPUT = 64 * 1024;

export interface Program {
    /** `undefined` if there is none. */
    readonly path?: string | undefined;
    /** Such as `0.24.4`; `undefined` if the program does not tell. */
    readonly version?: string | undefined;
}

/** Finds the program that the command starts in the terminal, and its version. */
export async function findProgram(command: string, terminal: TerminalFacts): Promise<Program> {
    const onPath = await findOnPath(command, searchFolders(terminal.variables['PATH']));
    const program = onPath ?? (await askShell(command, terminal));
    if (program === undefined) {
        return {};
    }
    const output = await outputOf(program, ['--version'], terminal.variables, VERSION_LIMIT);
    return { path: program, version: /\d+\.\d+\.\d+[-+.\w]*/.exec(output)?.[0] };
}

/** Whether a version is lower than another one. Each has at least three numbers. */
export function isOlder(version: string, than: string): boolean {
    const numbers = (text: string): number[] => text.split(/[.+-]/).slice(0, 3).map(Number);
    const [one, other] = [numbers(version), numbers(than)];
    const differing = one.findIndex((value, index) => value !== other[index]);
    return differing !== -1 && one[differing] < other[differing];
}

/**
 * What a shell's settings put on the PATH, as version managers do, is seen in no process before the shell has read them. They may print
 * anything: only what stands behind the marker is the answer.
 */
async function askShell(command: string, { chain, variables }: TerminalFacts): Promise<string | undefined> {
    const shell = chain.find(({ command: [program] }) => SHELLS.includes(path.basename(program ?? '').replace(/^-/, '')));
    if (!shell) {
        return undefined;
    }
    const program = shell.command[0].replace(/^-/, '');
    const login = shell.command[0].startsWith('-') || shell.command.includes('-l') || shell.command.includes('--login');
    const marker = randomUUID();
    const script = `echo ${marker} && command -v ${command}`;
    const output = await outputOf(program, [...(login ? ['-l'] : []), '-i', '-c', script], variables, SHELL_LIMIT);
    const [found = ''] = output.split(`${marker}\n`)[1]?.split('\n') ?? [];
    return path.isAbsolute(found) && path.basename(found) === command ? found : undefined;
}

/**
 * Runs a program in a session of its own, since an interactive shell takes the terminal, and not in the workspace, whose files it might heed.
 * What it leaves behind may keep its output open, and is not waited for.
 *
 * @returns what it prints; empty if it fails or takes too long
 */
function outputOf(program: string, args: string[], variables: Variables, limit: number): Promise<string> {
    const env = Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value == null ? [] : [[name, value]])));
    return new Promise(resolve => {
        const child = spawn(program, args, { cwd: variables['HOME'] || '/', env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
        let output = '';
        let ended = false;
        const settle = (code: number | null): void => {
            if (ended) {
                return;
            }
            ended = true;
            clearTimeout(timer);
            child.stdout.destroy();
            try {
                if (child.pid !== undefined) {
                    process.kill(-child.pid, 'SIGKILL');
                }
            } catch {
                // All of it has ended.
            }
            resolve(code === 0 ? output : '');
        };
        const timer = setTimeout(() => settle(null), limit);
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
            output += text;
            if (output.length > MAX_OUTPUT) {
                settle(null);
            }
        });
        child.once('error', () => settle(null));
        child.once('close', settle);
        child.once('exit', code => setTimeout(() => settle(code), DRAIN));
    });
}
