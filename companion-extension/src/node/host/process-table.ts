// SPDX-License-Identifier: Apache-2.0

/** The process at the other end of a connection. */
export interface PeerProcess {
    readonly pid: number;
    /** In clock ticks since boot: tells a process from an earlier one with the same pid. */
    readonly startTime: string;
    /** Its working folder, if the system tells. */
    readonly folder?: string;
}

/** Tells whether both are known, and the same process. */
export function isSamePeer(peer: PeerProcess | undefined, other: PeerProcess | undefined): boolean {
    return peer !== undefined && peer.pid === other?.pid && peer.startTime === other.startTime;
}

/** A process of the user, with its current environment. */
export interface RunningProcess {
    readonly pid: number;
    readonly parent: number;
    /** All arguments of its command line; a person typed some. */
    readonly command: readonly string[];
    readonly variables: Readonly<Record<string, string>>;
    /** Its working folder, a real path. */
    readonly folder: string;
    /** For how long it has run, in seconds. */
    readonly age: number;
}

/** A process in a scan of all. */
export interface ScannedProcess {
    readonly pid: number;
    readonly parent: number;
    readonly processGroup: number;
    /** The process group that the keys of its terminal go to; 0 or less without a terminal, and with gVisor. */
    readonly foregroundGroup: number;
    /** By Ctrl+Z. */
    readonly isStopped: boolean;
    /** All arguments of its command line; empty for a process of another user. */
    readonly command: readonly string[];
}

/** A shell is few processes above its CLI, and few below init: launchers, shells within shells. */
export const MAX_ANCESTORS = 50;

/** The program that has the keyboard of a terminal. */
export interface ForegroundProgram {
    /** Of its first process; the shell's own if no program runs. */
    readonly pid: number;
    /** All arguments of that process's command line; empty once it has ended and its children go on. */
    readonly command: readonly string[];
    /** What it has started, and reads the same keys, the outermost first. */
    readonly below?: ReadonlyArray<Omit<ForegroundProgram, 'below'>>;
}

export const ProcessTable = Symbol('ProcessTable');
/**
 * What the system tells about processes. Only Linux does (`/proc`). Elsewhere every answer is empty: CLIs then have no number and no
 * folder in the status, the prompt commands find no CLI, a CLI that connects again does not get the outcomes of its earlier session, and
 * a CLI that lost its server is not reported. A program that says what it does is not known to have ended.
 */
export interface ProcessTable {
    /**
     * Finds the local process at the other end of a loopback connection. Never rejects.
     *
     * @param serverPort this end's port
     * @param clientPort the other end's port
     * @returns `undefined` also if another user's process holds the other end
     */
    peerOf(serverPort: number, clientPort: number): Promise<PeerProcess | undefined>;
    /**
     * Finds the shell whose keyboard a process has. Never rejects.
     *
     * @param shells pids
     * @returns the shell that the process runs in, if the keys of its terminal go to the process now
     */
    shellOf(pid: number, shells: ReadonlySet<number>): Promise<number | undefined>;
    /** At once. @returns the process group that the keys of a shell's terminal go to, the shell itself perhaps; `undefined` if the system does not say */
    foregroundPid(shell: number): number | undefined;
    /** Finds the program that the keys of a shell's terminal go to. Never rejects. @returns `undefined` if the system does not say */
    foregroundOf(shell: number): Promise<ForegroundProgram | undefined>;
    /** Looks at all processes. Never rejects. @param uid whose command lines are read; `undefined` for all users */
    scan(uid: number | undefined): Promise<ScannedProcess[]>;
    /** Describes one process. Never rejects. @returns `undefined` if there is none, or if it is another user's */
    details(pid: number): Promise<RunningProcess | undefined>;
    /** The boot of the machine and the time in it, as `BOOT/TICKS`. `undefined` if there is no such process, or only its zombie. */
    startTime(pid: number): string | undefined;
    /** Names the namespace of this process's pid. Empty if the system has none. */
    pidNamespace(): string;
}

/** A session of a CLI. */
interface ProcessSession {
    readonly cliId: string;
    readonly peer?: PeerProcess | undefined;
}

/** Whether it is the same session, or another one of the same process: after `/ide enable` a CLI has a new session beside the old one. */
export function isSameProcess(session: ProcessSession, other: ProcessSession): boolean {
    return session === other || (session.cliId === other.cliId && isSamePeer(session.peer, other.peer));
}
