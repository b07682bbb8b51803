// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';

/** Tells a process from a later one with the same pid. Linux only; elsewhere there is none, and nothing is ever reaped. */
export interface ProcessIdentity {
    pid: number;
    /** In clock ticks since boot. */
    startTime: string;
    /** Pids mean something only within one boot and one pid namespace; home folders are shared by containers. */
    realm: string;
}

export namespace ProcessIdentity {
    export async function of(pid: number, proc = '/proc'): Promise<ProcessIdentity | undefined> {
        try {
            const stat = await fs.readFile(`${proc}/${pid}/stat`, 'utf8');
            // The command's name stands in parentheses and may hold anything; state is the first field behind it, start time the 20th.
            const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
            return fields[19] && fields[0] !== 'Z' ? { pid, startTime: fields[19], realm: await realm(proc) } : undefined;
        } catch {
            return undefined;
        }
    }

    export async function realm(proc = '/proc'): Promise<string> {
        const boot = await fs.readFile(`${proc}/sys/kernel/random/boot_id`, 'utf8');
        return `${boot.trim()} ${await fs.readlink(`${proc}/self/ns/pid`)}`;
    }

    export async function isAlive(identity: ProcessIdentity, proc = '/proc'): Promise<boolean> {
        const now = await of(identity.pid, proc);
        return now?.startTime === identity.startTime && now.realm === identity.realm;
    }

    export async function commandLine(pid: number, proc = '/proc'): Promise<string[]> {
        return (await fs.readFile(`${proc}/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(0, -1);
    }
}
