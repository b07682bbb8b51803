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

/** Ends it as a crash would. */
export function killDaemon(ide: IdeFixture): void {
    const daemons = daemonProcesses(ide);
    if (!daemons.length) {
        throw new Error('No daemon runs');
    }
    daemons.forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
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

/** The processes in which a daemon's sessions run. */
export function agentProcesses(daemonPid: number): number[] {
    const all = processes();
    const below = new Set([daemonPid]);
    // There may be a wrapper in between.
    for (let round = 0; round < 3; round++) {
        all.filter(({ parent }) => below.has(parent)).forEach(({ pid }) => below.add(pid));
    }
    const agents = all.filter(({ pid, args }) => pid !== daemonPid && below.has(pid) && args.includes('--acp')).map(({ pid }) => pid);
    if (!agents.length) {
        throw new Error('The daemon has no agent process');
    }
    return agents;
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
