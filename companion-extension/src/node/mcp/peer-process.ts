// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { parseProcessStat } from '../process-stat';

/** The process at the other end of a connection, as far as the system tells. */
export interface PeerProcess {
    readonly pid: number;
    /** In clock ticks since boot: tells a process from an earlier one with the same pid. */
    readonly startTime: string;
    /** Its working folder. */
    readonly folder?: string;
}

/**
 * Finds the local process that holds the other end of a loopback connection. Linux only; elsewhere, and where another user's
 * process holds it, `undefined`: CLIs go without number and folder, and one that connects again (`/ide enable`) does not get the outcomes
 * that its earlier session asked for.
 *
 * @param serverPort this end's port
 * @param clientPort the other end's port
 * @param proc where the process file system is mounted
 */
export async function findPeerProcess(serverPort: number, clientPort: number, proc = '/proc'): Promise<PeerProcess | undefined> {
    try {
        const inode = await socketInode(serverPort, clientPort, proc);
        const pid = inode === undefined ? undefined : await holderOf(`socket:[${inode}]`, proc);
        return pid === undefined ? undefined : await describe(pid, proc);
    } catch {
        return undefined;
    }
}

async function socketInode(serverPort: number, clientPort: number, proc: string): Promise<string | undefined> {
    const port = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');
    for (const table of ['tcp', 'tcp6']) {
        const text = await fs.readFile(`${proc}/net/${table}`, 'utf8').catch(() => '');
        for (const line of text.split('\n')) {
            // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …
            const fields = line.trim().split(/\s+/);
            if (fields[1]?.endsWith(`:${port(clientPort)}`) && fields[2]?.endsWith(`:${port(serverPort)}`)) {
                return fields[9];
            }
        }
    }
    return undefined;
}

async function holderOf(target: string, proc: string): Promise<number | undefined> {
    // The newest first: a CLI that connects was started a moment ago.
    const pids = (await fs.readdir(proc)).filter(name => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
    for (const pid of pids) {
        const descriptors = await fs.readdir(`${proc}/${pid}/fd`).catch(() => []);
        const links = await Promise.all(descriptors.map(fd => fs.readlink(`${proc}/${pid}/fd/${fd}`).catch(() => '')));
        if (links.includes(target)) {
            return Number(pid);
        }
    }
    return undefined;
}

async function describe(pid: number, proc: string): Promise<PeerProcess | undefined> {
    const stat = parseProcessStat(await fs.readFile(`${proc}/${pid}/stat`, 'utf8'));
    const folder = await fs.readlink(`${proc}/${pid}/cwd`).catch(() => undefined);
    return stat && { pid, startTime: stat.startTime, folder };
}
