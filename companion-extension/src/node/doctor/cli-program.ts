// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { Variables } from '../discovery/cli-terminal';
import { findOnPath, searchFolders } from '../host/search-path';
import { SHELLS, TerminalFacts } from './terminal-facts';

/** How long a shell's own settings may take, in milliseconds. */
const SHELL_LIMIT = 5_000;
/** How long a CLI may take to tell its version, in milliseconds. */
const VERSION_LIMIT = 10_000;

/** More than a version or a path, in characters. */
const MAX_OUTPUT = 64 * 1024;

/** Finds the program that the command starts. @returns its path; `undefined` if there is none */
export async function findProgram(command: string, terminal: TerminalFacts): Promise<string | undefined> {
    const found = await findOnPath(command, searchFolders(terminal.variables['PATH']));
    return found ?? askShell(command, terminal);
}

/**
 * @returns such as `0.24.4`; `undefined` if the program does not tell. It is read from the program's package if there is one: to start a CLI
 * takes seconds.
 */
export async function versionOf(program: string, { variables }: TerminalFacts): Promise<string | undefined> {
    const packaged = await packageVersion(program);
    return packaged ?? versionIn(await run(program, ['--version'], variables, VERSION_LIMIT));
}

/** Whether a version is lower than another one. Each has at least three numbers. */
export function isOlder(version: string, than: string): boolean {
    const numbers = (text: string): number[] => text.split(/[.+-]/).slice(0, 3).map(Number);
    const [one, other] = [numbers(version), numbers(than)];
    const differing = one.findIndex((value, index) => value !== other[index]);
    return differing !== -1 && one[differing] < other[differing];
}

/** What a shell's settings put on the PATH, as version managers do, is seen in no process before the shell has read them. */
async function askShell(command: string, { chain, variables }: TerminalFacts): Promise<string | undefined> {
    const shell = chain.find(({ command: [program] }) => SHELLS.includes(path.basename(program ?? '').replace(/^-/, '')));
    if (!shell) {
        return undefined;
    }
    const program = shell.command[0].replace(/^-/, '');
    const login = shell.command[0].startsWith('-') || shell.command.includes('-l') || shell.command.includes('--login');
    const output = await run(program, [...(login ? ['-l'] : []), '-i', '-c', `command -v ${command}`], variables, SHELL_LIMIT);
    const found = output.split('\n').findLast(line => path.isAbsolute(line.trim()));
    return found?.trim();
}

async function packageVersion(program: string): Promise<string | undefined> {
    try {
        let folder = path.dirname(await fs.promises.realpath(program));
        for (let depth = 0; depth < 3; depth++, folder = path.dirname(folder)) {
            const manifest = await fs.promises.readFile(path.join(folder, 'package.json'), 'utf8').catch(() => undefined);
            if (manifest !== undefined) {
                const { bin, version } = JSON.parse(manifest) as { bin?: unknown; version?: unknown };
                return bin !== undefined && typeof version === 'string' ? versionIn(version) : undefined;
            }
        }
    } catch {
        // Its own answer counts then.
    }
    return undefined;
}

function versionIn(output: string): string | undefined {
    return /\d+\.\d+\.\d+[-+.\w]*/.exec(output)?.[0];
}

/**
 * Runs a program in a session of its own, since an interactive shell takes the terminal, and not in the workspace, whose files it might heed.
 *
 * @returns what it prints; empty if it fails or takes too long
 */
function run(program: string, args: string[], variables: Variables, limit: number): Promise<string> {
    const env = Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value == null ? [] : [[name, value]])));
    return new Promise(resolve => {
        const child = spawn(program, args, { cwd: variables['HOME'] || '/', env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
        const timer = setTimeout(() => end(), limit);
        const end = (): void => {
            try {
                if (child.pid !== undefined) {
                    process.kill(-child.pid, 'SIGKILL');
                }
            } catch {
                // It has ended.
            }
        };
        let output = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
            output += text;
            if (output.length > MAX_OUTPUT) {
                end();
            }
        });
        child.on('error', () => {
            clearTimeout(timer);
            resolve('');
        });
        child.on('close', () => {
            clearTimeout(timer);
            resolve(output);
        });
    });
}
