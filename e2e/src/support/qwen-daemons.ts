// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { IdeFixture } from './ide-fixture';

interface DaemonEntry {
    readonly pid: number;
    readonly parent: number;
    readonly args: string[];
}

/** Every `qwen serve` that works in the workspace of this fixture, which no other process names. Linux only. */
export function daemonProcesses(ide: IdeFixture): DaemonEntry[] {
    return processes().filter(({ args }) => args.includes('serve') && args.includes(ide.workspace));
}

/** What the backend gave its daemon, and nobody else may have. */
export function daemonToken(ide: IdeFixture): string {
    const [daemon] = daemonProcesses(ide);
    const environment = fs.readFileSync(`/proc/${daemon.pid}/environ`, 'utf8').split('\0');
    const token = environment.find(entry => entry.startsWith('QWEN_SERVER_TOKEN='))?.split('=')[1];
    if (!token) {
        throw new Error('The daemon has no token');
    }
    return token;
}

function processes(): DaemonEntry[] {
    return fs
        .readdirSync('/proc')
        .filter(name => /^\d+$/.test(name))
        .flatMap(name => entry(Number(name)) ?? []);
}

function entry(pid: number): DaemonEntry | undefined {
    try {
        const args = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The command is in parentheses, and may itself contain spaces and parentheses.
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return { pid, parent, args };
    } catch {
        // It ended meanwhile.
        return undefined;
    }
}
