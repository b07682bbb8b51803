// SPDX-License-Identifier: Apache-2.0

import { connect } from 'net';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { UnconnectedCli } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { isPort } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { HostEnvironment } from '../host/host-environment';
import { mainCheckoutOf } from '../host/main-checkout';
import { ProcessScans, SCAN_PERIOD_MS } from '../host/process-scans';
import { ProcessTable, RunningProcess, ScannedProcess } from '../host/process-table';
import { isInside } from '../host/paths';
import { Window } from '../server/window';
import { WindowFeature, WindowStatePart } from '../server/window-feature';
import { Windows } from '../server/windows';

/**
 * A CLI that runs without a connection. Its server is gone: its shell outlived a backend (tmux, nohup), or the companion was switched
 * off. Or it gave the connection up while the backend was stopped. Or it never connected: its IDE mode is off.
 */
export interface DisconnectedCli {
    readonly cliId: string;
    readonly pid: number;
    /** Its working folder, a real path. */
    readonly folder: string;
    /** The server that its terminal names, if that one lives; it may be connected there. */
    readonly livePort?: number;
    /** The repository whose worktree it works in. */
    readonly mainCheckout?: string | undefined;
}

interface RunningCli {
    readonly cliId: string;
    readonly displayName: string;
    readonly process: RunningProcess;
    readonly port: number;
}

/** A CLI that has run for so long, would have connected. */
const SETTLED_SECONDS = 20;
/** Asks a CLI one thing, without its IDE mode. */
const ONE_QUESTION = ['-p', '--prompt'];
/** How long a port may take to answer. */
const PORT_WAIT_MS = 500;
/** How long the file system of a CLI's folder may take. */
const FOLDER_WAIT_MS = 500;
/** How often the clock is read. */
const CLOCK_PERIOD_MS = 15_000;
/** If the clock is read later than this, the backend was suspended. Both CLIs give up after 300 s without a byte. */
const SUSPENDED_AFTER_MS = 240_000;
/** How long after it was suspended the backend notices that a CLI gave up. */
const GIVE_UP_NOTICED_WITHIN_MS = 120_000;

type FollowedSession = Pick<ReturnType<Windows['sessions']>[number], 'cliId' | 'peer' | 'since' | 'state' | 'gaveUp'>;

/**
 * Looks for {@link DisconnectedCli}s among the user's own processes, by the port in their environment, and says in which window to mention
 * them. Nothing but comfort depends on it.
 */
@injectable()
export class DisconnectedClis implements WindowFeature {
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    @inject(ProcessScans)
    protected readonly scans: ProcessScans;

    @inject(Windows)
    protected readonly windows: Windows;

    protected disconnected: readonly DisconnectedCli[] = [];
    /** All agents whose environment has the port of a server of this backend, wherever they run. */
    protected running: readonly RunningCli[] = [];
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    /** Pids of those that gave up the connection to this backend. */
    protected readonly gaveUp = new Set<number>();
    protected clockReadAt = Date.now();
    /** When the backend last went on after a long stop, in milliseconds since the epoch. */
    protected resumedAt = 0;

    @postConstruct()
    protected init(): void {
        setInterval(() => this.readClock(), CLOCK_PERIOD_MS).unref();
        this.windows.onDidChangeSession(session => this.follow(session));
        this.scans.onDidScan(scanned => void this.takeScan(scanned));
    }

    stateOf({ roots, server }: Window): WindowStatePart {
        const disconnectedClis = this.of({ roots, port: server?.port }, this.windows.sessions());
        return disconnectedClis.length > 0 ? { status: { disconnectedClis } } : {};
    }

    lookFor(): void {
        this.scans.scanWithin(0);
    }

    protected async takeScan(scanned: readonly ScannedProcess[]): Promise<void> {
        if (await this.look(this.windows.ports, scanned)) {
            this.scans.scanWithin(SCAN_PERIOD_MS);
        }
    }

    protected readClock(): void {
        const now = Date.now();
        if (now - this.clockReadAt > SUSPENDED_AFTER_MS) {
            this.resumedAt = now;
        } else if (this.resumedAt > now) {
            // Somebody has set the clock back: no time before that can be compared.
            this.resumedAt = 0;
        }
        this.clockReadAt = now;
    }

    /**
     * To be called with every change of a session of this backend. A CLI that gave up asks for its stream again, but opens no diff any more
     * until it is told to connect (Gemini CLI 0.61, Qwen Code 0.24). Without a stop before, it has ended or was told to disconnect.
     */
    follow(session: FollowedSession): void {
        this.readClock();
        const { cliId, peer, since, state } = session;
        if (peer?.folder === undefined) {
            return;
        }
        const { pid, folder } = peer;
        if (since >= this.resumedAt) {
            this.gaveUp.delete(pid);
        } else if (state === 'lost' && Date.now() - this.resumedAt < GIVE_UP_NOTICED_WITHIN_MS) {
            session.gaveUp = true;
            this.gaveUp.add(pid);
            this.disconnected = [...this.disconnected.filter(cli => cli.pid !== pid), { cliId, pid, folder }];
        }
    }

    /**
     * Takes a scan of all processes. Never rejects.
     *
     * @param livePorts of this backend's servers
     * @returns whether any agent is known
     */
    async look(livePorts: ReadonlySet<number>, scanned: readonly ScannedProcess[]): Promise<boolean> {
        const before = JSON.stringify([this.disconnected, this.running]);
        const running = await this.runningAmong(scanned);
        this.running = running.filter(({ port }) => livePorts.has(port));
        this.disconnected = await this.disconnectedAmong(running, livePorts);
        if (JSON.stringify([this.disconnected, this.running]) !== before) {
            this.onDidChangeEmitter.fire();
        }
        return this.disconnected.length > 0 || this.running.length > 0;
    }

    /** The names of the agents with this port in their environment, such as those in tmux. @param connected processes that are named otherwise */
    namesAt(port: number | undefined, connected: ReadonlySet<number>): string[] {
        return this.running.filter(cli => cli.port === port && !connected.has(cli.process.pid)).map(({ displayName }) => displayName);
    }

    /**
     * One of each kind that runs in a terminal of this window, or has lost its server and runs in one of its roots.
     *
     * @param sessions those of every server
     */
    of(
        window: { readonly roots: readonly string[]; readonly port: number | undefined },
        sessions: readonly FollowedSession[]
    ): UnconnectedCli[] {
        const connected = new Set(sessions.flatMap(({ peer, gaveUp }) => (peer && !gaveUp ? peer.pid : [])));
        // Any process may be theirs.
        const unknown = new Set(sessions.flatMap(({ cliId, peer }) => (peer ? [] : cliId)));
        const isInRoots = (folder: string): boolean => window.roots.some(root => isInside(root, folder));
        const isHere = ({ cliId, folder, livePort }: DisconnectedCli): boolean =>
            livePort === undefined ? isInRoots(folder) : livePort === window.port && !unknown.has(cliId);
        const here = this.disconnected.filter(cli => !connected.has(cli.pid) && isHere(cli));
        const kinds = new Map(here.map(cli => [cli.cliId, cli]));
        return [...kinds.values()].map(({ cliId, folder, mainCheckout: main }) => {
            const { connectCommand, lockOf } = this.clis.get(cliId) ?? {};
            // A CLI with a lock for each folder connects only there, and not below.
            const mayConnect = lockOf ? window.roots.includes(folder) : isInRoots(folder);
            const isOfThis = main !== undefined && window.roots.some(root => isInside(root, main) || isInside(main, root));
            const where = { folder, ...(isOfThis && { isOtherCheckout: true as const }) };
            return { cliId, displayName: this.clis.nameOf(cliId), connectCommand, ...(!mayConnect && where) };
        });
    }

    /**
     * Never rejects.
     *
     * @param livePorts of this backend's servers
     */
    async find(livePorts: ReadonlySet<number>): Promise<DisconnectedCli[]> {
        return this.disconnectedAmong(await this.runningAmong(await this.processes.scan(this.host.uid)), livePorts);
    }

    protected async runningAmong(scanned: readonly ScannedProcess[]): Promise<RunningCli[]> {
        const agents = scanned.filter(({ command }) => this.clis.agentOf(command) !== undefined);
        const processes = await Promise.all(agents.map(({ pid }) => this.processes.details(pid)));
        const found = processes.flatMap(process => (process && this.describe(process)) ?? []);
        // Both CLIs start themselves a second time: the one below connects.
        const parents = new Set(found.map(({ process }) => process.parent));
        return found.filter(({ process }) => !parents.has(process.pid));
    }

    protected async disconnectedAmong(running: readonly RunningCli[], livePorts: ReadonlySet<number>): Promise<DisconnectedCli[]> {
        const served = running.filter(({ cliId }) => this.clis.get(cliId) !== undefined);
        return (await Promise.all(served.map(cli => this.check(cli, livePorts)))).filter(cli => cli !== undefined);
    }

    protected async check({ cliId, process, port }: RunningCli, livePorts: ReadonlySet<number>): Promise<DisconnectedCli | undefined> {
        const { pid, folder, age, command } = process;
        if (this.gaveUp.has(pid)) {
            return { cliId, pid, folder };
        }
        if (!livePorts.has(port)) {
            return (await isListening(port)) ? undefined : { cliId, pid, folder };
        }
        if (ONE_QUESTION.some(option => command.includes(option))) {
            return undefined;
        }
        if (age <= SETTLED_SECONDS) {
            return undefined;
        }
        const mainCheckout = await withTimeLimit(mainCheckoutOf(folder), FOLDER_WAIT_MS).catch(() => undefined);
        return { cliId, pid, folder, livePort: port, ...(mainCheckout !== undefined && { mainCheckout }) };
    }

    protected describe(process: RunningProcess): RunningCli | undefined {
        const agent = this.clis.agentOf(process.command);
        const variables = this.clis.all.filter(({ id }) => id === agent?.id || !this.clis.get(agent?.id ?? ''));
        const ports = variables.map(({ portVariable }) => Number(portVariable && process.variables[portVariable]));
        const port = ports.find(isPort);
        return agent && port !== undefined ? { cliId: agent.id, displayName: agent.displayName, process, port } : undefined;
    }
}

function isListening(port: number): Promise<boolean> {
    return new Promise(resolve => {
        const socket = connect({ port, host: '127.0.0.1', timeout: PORT_WAIT_MS });
        const settle = (listening: boolean): void => {
            socket.destroy();
            resolve(listening);
        };
        socket.once('connect', () => settle(true));
        // Nobody answers within the time: a firewall, so nothing is known.
        socket.once('timeout', () => settle(true));
        socket.once('error', () => settle(false));
    });
}
