// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { ForegroundProgram, MAX_ANCESTORS, PeerProcess, ProcessTable, RunningProcess } from './process-table';

/** A user has fewer processes. */
const MAX_PROCESSES = 5000;
/** The interpreter and its script; deeper arguments of a command line are what a user typed. */
const MAX_ARGUMENTS = 3;

/** Of a process with 19,000 descriptors, all at once stopped the backend for 170 ms. */
const LINKS_AT_ONCE = 64;

/** Linux counts times in hundredths of a second for programs, whatever its clock is. */
const TICKS_PER_SECOND = 100;

/** A process by `/proc/PID/stat` (proc(5)). */
interface ProcessStat {
    /** A zombie, or dead: only its parent has not asked for it yet. */
    readonly hasEnded: boolean;
    readonly parent: number;
    readonly processGroup: number;
    /** The process group that the keys of its terminal go to; -1 without a terminal. */
    readonly foregroundGroup: number;
    /** Clock ticks since the machine's boot. */
    readonly startTime: string;
}

/** Reads the process file system of Linux. Elsewhere there is none, and every answer is empty. */
export class LinuxProcessTable implements ProcessTable {
    constructor(protected readonly procFolder = '/proc') {}

    async peerOf(serverPort: number, clientPort: number): Promise<PeerProcess | undefined> {
        try {
            const inode = await this.socketInode(serverPort, clientPort);
            const pid = inode === undefined ? undefined : await this.holderOf(`socket:[${inode}]`);
            const stat = pid === undefined ? undefined : await this.stat(pid);
            if (pid === undefined || !stat) {
                return undefined;
            }
            const folder = await fs.promises.readlink(this.path(pid, 'cwd')).catch(() => undefined);
            return { pid, startTime: stat.startTime, folder };
        } catch {
            return undefined;
        }
    }

    async shellOf(pid: number, shells: ReadonlySet<number>): Promise<number | undefined> {
        const stat = shells.size > 0 ? await this.stat(pid) : undefined;
        // Stopped, in the background, or in the pane of a multiplexer that is not below the shell.
        if (!stat || stat.hasEnded || stat.processGroup !== stat.foregroundGroup) {
            return undefined;
        }
        let current: ProcessStat | undefined = stat;
        for (let count = 0; current && count < MAX_ANCESTORS; count++) {
            if (shells.has(current.parent)) {
                return current.parent;
            }
            current = await this.stat(current.parent);
        }
        return undefined;
    }

    async foregroundOf(shell: number): Promise<ForegroundProgram | undefined> {
        const stat = await this.stat(shell);
        if (!stat || stat.hasEnded || stat.foregroundGroup <= 0) {
            return undefined;
        }
        const pid = stat.foregroundGroup === stat.processGroup ? shell : stat.foregroundGroup;
        return { pid, command: await this.command(pid).catch(() => []) };
    }

    async list(uid: number | undefined, isWanted: (command: readonly string[]) => boolean): Promise<RunningProcess[]> {
        const pids = (await this.pids().catch(() => [])).slice(-MAX_PROCESSES);
        const found: RunningProcess[] = [];
        for (const pid of pids) {
            const running = await this.describe(pid, uid, isWanted).catch(() => undefined);
            if (running) {
                found.push(running);
            }
        }
        return found;
    }

    async details(pid: number): Promise<RunningProcess | undefined> {
        try {
            const [command, environment, stat] = await Promise.all([
                this.command(pid),
                fs.promises.readFile(this.path(pid, 'environ'), 'utf8'),
                this.stat(pid)
            ]);
            const folder = await fs.promises.readlink(this.path(pid, 'cwd'));
            const age = await this.ageOf(stat);
            return stat && !stat.hasEnded
                ? { pid, parent: stat.parent, command, variables: variablesIn(environment), folder, age }
                : undefined;
        } catch {
            return undefined;
        }
    }

    startTime(pid: number): string | undefined {
        const stat = parseStat(this.read(this.path(pid, 'stat')));
        return stat && !stat.hasEnded ? `${this.read(`${this.procFolder}/sys/kernel/random/boot_id`)}/${stat.startTime}` : undefined;
    }

    pidNamespace(): string {
        try {
            return fs.readlinkSync(`${this.procFolder}/self/ns/pid`);
        } catch {
            return '';
        }
    }

    protected async socketInode(serverPort: number, clientPort: number): Promise<string | undefined> {
        const port = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');
        for (const table of ['tcp', 'tcp6']) {
            const text = await fs.promises.readFile(`${this.procFolder}/net/${table}`, 'utf8').catch(() => '');
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

    protected async holderOf(target: string): Promise<number | undefined> {
        // The newest first: a CLI that connects was started a moment ago.
        const pids = (await this.pids()).sort((a, b) => b - a);
        for (const pid of pids) {
            const stat = (await this.holds(pid, target)) && (await this.stat(pid));
            if (stat) {
                return this.openerOf(target, pid, stat.parent);
            }
        }
        return undefined;
    }

    /** A process that is being started holds all that its parent holds, until it runs its own program. */
    protected async openerOf(target: string, holder: number, parent: number): Promise<number> {
        if (!(await this.holds(parent, target))) {
            return holder;
        }
        const stat = await this.stat(parent);
        return stat ? this.openerOf(target, parent, stat.parent) : parent;
    }

    protected async holds(pid: number, target: string): Promise<boolean> {
        const folder = this.path(pid, 'fd');
        const descriptors = await fs.promises.readdir(folder).catch(() => []);
        for (let start = 0; start < descriptors.length; start += LINKS_AT_ONCE) {
            const some = descriptors.slice(start, start + LINKS_AT_ONCE);
            const links = await Promise.all(some.map(fd => fs.promises.readlink(`${folder}/${fd}`).catch(() => '')));
            if (links.includes(target)) {
                return true;
            }
        }
        return false;
    }

    protected async describe(
        pid: number,
        uid: number | undefined,
        isWanted: (command: readonly string[]) => boolean
    ): Promise<RunningProcess | undefined> {
        if (uid !== undefined && (await fs.promises.stat(this.path(pid))).uid !== uid) {
            return undefined;
        }
        return isWanted((await this.command(pid)).slice(0, MAX_ARGUMENTS)) ? this.details(pid) : undefined;
    }

    protected async command(pid: number): Promise<string[]> {
        return (await fs.promises.readFile(this.path(pid, 'cmdline'), 'utf8')).replace(/\0$/, '').split('\0');
    }

    /** Compared with this process: a container may have its own idea of when the machine was booted. */
    protected async ageOf(stat: ProcessStat | undefined): Promise<number> {
        const own = await this.stat('self');
        return own && stat ? process.uptime() + (Number(own.startTime) - Number(stat.startTime)) / TICKS_PER_SECOND : 0;
    }

    protected async pids(): Promise<number[]> {
        return (await fs.promises.readdir(this.procFolder)).filter(name => /^\d+$/.test(name)).map(Number);
    }

    protected async stat(pid: number | 'self'): Promise<ProcessStat | undefined> {
        return parseStat(await fs.promises.readFile(this.path(pid, 'stat'), 'utf8').catch(() => ''));
    }

    protected path(pid: number | 'self', ...names: string[]): string {
        return [this.procFolder, pid, ...names].join('/');
    }

    /** At once. @returns an empty text if there is no such file */
    protected read(file: string): string {
        try {
            return fs.readFileSync(file, 'utf8').trim();
        } catch {
            return '';
        }
    }
}

/** @param environment as the system has it: `NAME=value` */
function variablesIn(environment: string): Record<string, string> {
    const lines = environment.split('\0').filter(line => line.includes('='));
    return Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** @returns `undefined` if the text is none of such a file */
function parseStat(text: string): ProcessStat | undefined {
    // The second field is the command's name in parentheses, which may hold spaces and parentheses itself. The third is the first here.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent, processGroup, , , foregroundGroup] = fields;
    const startTime = fields[19];
    if (!startTime) {
        return undefined;
    }
    return {
        hasEnded: state === 'Z' || state === 'X',
        parent: Number(parent),
        processGroup: Number(processGroup),
        foregroundGroup: Number(foregroundGroup),
        startTime: startTime.trim()
    };
}
