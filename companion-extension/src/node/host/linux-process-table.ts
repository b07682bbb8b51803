// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { setImmediate } from 'timers/promises';
import { ForegroundProgram, MAX_ANCESTORS, PeerProcess, ProcessTable, RunningProcess, ScannedProcess } from './process-table';

/** A user has fewer processes. */
const MAX_PROCESSES = 5000;
/** Between two pauses of a scan, which last no longer than others need: it takes 3 ms. */
const SCANNED_AT_ONCE = 256;
/** `npx` has three. */
const MAX_READERS = 8;
/** Some CLIs start a server for each of their tools. */
const MAX_CHILDREN = 32;

/** Of a process with 19,000 descriptors, all at once stopped the backend for 170 ms. */
const LINKS_AT_ONCE = 64;

/** Linux counts times in hundredths of a second for programs, whatever its clock is. */
const TICKS_PER_SECOND = 100;

/** Those that are read: the last is the start. */
const STAT_FIELDS = 20;

/** A process by `/proc/PID/stat` (proc(5)). */
interface ProcessStat {
    /** A zombie, or dead: only its parent has not asked for it yet. */
    readonly hasEnded: boolean;
    readonly isStopped: boolean;
    readonly parent: number;
    readonly processGroup: number;
    /** The process group that the keys of its terminal go to; -1 without a terminal. */
    readonly foregroundGroup: number;
    /** Clock ticks since the machine's boot. */
    readonly startTime: string;
}

/** Reads the process file system of Linux. Elsewhere there is none, and every answer is empty. */
export class LinuxProcessTable implements ProcessTable {
    /** Command lines of the last scan, by pid, start and name: a process that runs another program has another name. */
    protected commands: ReadonlyMap<string, readonly string[]> = new Map();

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
        const isUnknown = stat !== undefined && stat.foregroundGroup <= 0 && !stat.isStopped;
        if (!stat || stat.hasEnded || (stat.processGroup !== stat.foregroundGroup && !isUnknown)) {
            return undefined;
        }
        let current: ProcessStat | undefined = stat;
        for (let count = 0; current && count < MAX_ANCESTORS; count++) {
            const { parent }: ProcessStat = current;
            current = await this.stat(parent);
            if (shells.has(parent)) {
                // With gVisor the shell's terminal is not known either.
                return isUnknown && (current?.foregroundGroup ?? 1) > 0 ? undefined : parent;
            }
        }
        return undefined;
    }

    foregroundPid(shell: number): number | undefined {
        const stat = parseStat(this.read(this.path(shell, 'stat')));
        if (!stat || stat.hasEnded || stat.foregroundGroup <= 0) {
            return undefined;
        }
        return stat.foregroundGroup === stat.processGroup ? shell : stat.foregroundGroup;
    }

    async foregroundOf(shell: number): Promise<ForegroundProgram | undefined> {
        const pid = this.foregroundPid(shell);
        if (pid === undefined) {
            return undefined;
        }
        const command = await this.command(pid).catch(() => []);
        return pid === shell ? { pid, command } : { pid, command, below: await this.readersBelow(pid) };
    }

    /** At once: for 2,000 processes `fs.promises` takes half a second. */
    async scan(uid: number | undefined): Promise<ScannedProcess[]> {
        const pids = (await this.pids().catch(() => [])).slice(-MAX_PROCESSES);
        const commands = new Map<string, readonly string[]>();
        const found: ScannedProcess[] = [];
        for (const [index, pid] of pids.entries()) {
            if (index % SCANNED_AT_ONCE === SCANNED_AT_ONCE - 1) {
                await setImmediate();
            }
            const text = this.read(this.path(pid, 'stat'));
            const stat = parseStat(text);
            if (stat && !stat.hasEnded) {
                const key = `${stat.startTime} ${text.slice(0, text.lastIndexOf(')'))}`;
                const command = this.commands.get(key) ?? this.commandOf(pid, uid);
                commands.set(key, command);
                const { parent, processGroup, foregroundGroup, isStopped } = stat;
                found.push({ pid, parent, processGroup, foregroundGroup, isStopped, command });
            }
        }
        this.commands = commands;
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

    protected commandOf(pid: number, uid: number | undefined): readonly string[] {
        try {
            const isMeant = uid === undefined || fs.statSync(this.path(pid)).uid === uid;
            return isMeant ? argumentsIn(fs.readFileSync(this.path(pid, 'cmdline'), 'utf8')) : [];
        } catch {
            return [];
        }
    }

    /** Those of its process group that have the same input; the system need not list children. */
    protected async readersBelow(first: number): Promise<ForegroundProgram[]> {
        const inputOf = (pid: number): Promise<string> => fs.promises.readlink(this.path(pid, 'fd', '0')).catch(() => '');
        const input = await inputOf(first);
        const found: ForegroundProgram[] = [];
        for (let current: number | undefined = first; current !== undefined && found.length < MAX_READERS;) {
            const list: string = await fs.promises.readFile(this.path(current, 'task', `${current}`, 'children'), 'utf8').catch(() => '');
            current = undefined;
            for (const pid of list.split(' ').filter(Boolean).map(Number).slice(-MAX_CHILDREN)) {
                if ((await inputOf(pid)) === input && (await this.stat(pid))?.processGroup === first) {
                    current = pid;
                }
            }
            if (current !== undefined) {
                found.push({ pid: current, command: await this.command(current).catch(() => []) });
            }
        }
        return found;
    }

    protected async command(pid: number): Promise<string[]> {
        return argumentsIn(await fs.promises.readFile(this.path(pid, 'cmdline'), 'utf8'));
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

/** @param line as the system has it */
function argumentsIn(line: string): string[] {
    return line.replace(/\0$/, '').split('\0');
}

/** @param environment as the system has it: `NAME=value` */
function variablesIn(environment: string): Record<string, string> {
    const lines = environment.split('\0').filter(line => line.includes('='));
    return Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** @returns `undefined` if the text is none of such a file */
function parseStat(text: string): ProcessStat | undefined {
    // The second field is the command's name in parentheses, which may hold spaces and parentheses itself. The third is the first here.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', STAT_FIELDS);
    const [state, parent, processGroup, , , foregroundGroup] = fields;
    const startTime = fields[19];
    if (!startTime) {
        return undefined;
    }
    return {
        hasEnded: state === 'Z' || state === 'X',
        isStopped: state === 'T',
        parent: Number(parent),
        processGroup: Number(processGroup),
        foregroundGroup: Number(foregroundGroup),
        startTime: startTime.trim()
    };
}
