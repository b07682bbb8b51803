// SPDX-License-Identifier: Apache-2.0

import { readdirSync, readFileSync } from 'fs';
import { LinuxProcessTable } from '../host/linux-process-table';

/**
 * This process, and what it has started. A look at all others of the machine takes most of the time of a test that connects a CLI or
 * examines a terminal, and might find somebody's CLI.
 */
export class OwnProcesses extends LinuxProcessTable {
    protected override async pids(): Promise<number[]> {
        const parents = readdirSync(this.procFolder).flatMap(name => (/^\d+$/.test(name) ? [[Number(name), parentOf(name)] as const] : []));
        const own = new Set([process.pid]);
        for (let before = 0; before !== own.size;) {
            before = own.size;
            parents.filter(([, parent]) => own.has(parent)).forEach(([pid]) => own.add(pid));
        }
        return [...own];
    }
}

/** @returns 0 if it has ended */
function parentOf(pid: string): number {
    try {
        const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The command's name, in parentheses, may hold anything.
        return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
        return 0;
    }
}
