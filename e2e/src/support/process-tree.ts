// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';

export interface ProcessEntry {
    readonly pid: number;
    readonly parent: number;
    readonly state: string;
    /** In clock ticks since boot: tells a process from a later one with the same id. */
    readonly startTime: string;
}

/** All that a process started, and what those started, as far as it is not orphaned. */
export function descendantsOf(pid: number): ProcessEntry[] {
    const all = processEntries();
    const found: ProcessEntry[] = [];
    let parents = new Set([pid]);
    while (parents.size > 0) {
        const children = all.filter(entry => parents.has(entry.parent));
        found.push(...children);
        parents = new Set(children.map(child => child.pid));
    }
    return found;
}

/** Empty where there is no `/proc`: the shells' own hang-up signal has to do there. */
function processEntries(): ProcessEntry[] {
    if (!fs.existsSync('/proc/self/stat')) {
        return [];
    }
    return fs
        .readdirSync('/proc')
        .filter(name => /^\d+$/.test(name))
        .flatMap(name => readEntry(Number(name)) ?? []);
}

function readEntry(pid: number): ProcessEntry | undefined {
    try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The command is in parentheses, and may itself contain spaces and parentheses.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return { pid, state: fields[0], parent: Number(fields[1]), startTime: fields[19] };
    } catch {
        return undefined;
    }
}

/** Whether it still runs; a dead one that nobody has waited for does not. */
export function isAlive(entry: ProcessEntry): boolean {
    const now = readEntry(entry.pid);
    return now?.startTime === entry.startTime && now.state !== 'Z';
}

export function killIfAlive(pid: number): void {
    try {
        process.kill(pid, 'SIGKILL');
    } catch {
        // It ended by itself in the meantime.
    }
}
