// SPDX-License-Identifier: Apache-2.0

import { randomBytes, randomUUID } from 'crypto';
import { promises as fs } from 'fs';
import { IncomingMessage } from 'http';
import { ILogger } from '@theia/core/lib/common/logger';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { IdeIdentity } from '../discovery/ide-identity';
import { DiscoveryFile, LockSubject, SupportedCli } from '../discovery/supported-cli';
import { PeerProcess, ProcessTable } from '../host/process-table';
import type { SessionWindow } from '../server/cli-session';
import { GatedApplication, GatedHandler, GatedRoutes } from '../http/gated-application';
import { Entrance, HttpGate, MCP_PATH } from '../http/http-gate';
import { HttpListener } from '../http/http-listener';
import { CliSessions } from '../server/cli-sessions';
import { REFUSED, sendError } from '../http/json-rpc-error';
import { ListenerBudget } from '../http/listener-budget';
import type { McpSession } from '../mcp/mcp-session';
import { DEFAULT_SESSION_TIMINGS, McpSessions } from '../mcp/mcp-sessions';
import { RefusalLog } from '../http/refusal-log';
import type { CopilotSession } from './copilot-session';
import { SocketPlace } from './socket-place';

/** An open folder, as its lock says it. */
export type LockedFolder = Pick<LockSubject, 'folder' | 'isTrusted'>;

/** The window in which a CLI runs, and its process where the system confirms that. */
export interface PlacedCli {
    readonly window: SessionWindow;
    readonly peer: PeerProcess | undefined;
}

interface CopilotServerOptions {
    /** The CLIs that speak its protocol; all have the same locks. */
    readonly clis: ReadonlyArray<Pick<SupportedCli, 'id' | 'lockOf'>>;
    readonly serverInfo: { name: string; version: string };
    readonly identity: IdeIdentity;
    readonly files: Pick<DiscoveryFiles, 'publishAs' | 'remove'>;
    readonly processes: Pick<ProcessTable, 'peerOf'>;
    readonly place: Pick<SocketPlace, 'make'>;
    /** Finds the window of a CLI that has the lock of a folder. @param pid that the CLI says it has */
    readonly windowOf: (folder: string, pid: number | undefined) => Promise<PlacedCli | undefined>;
    /** Shared by all listeners of the backend. */
    readonly budget: ListenerBudget;
    readonly refusals: RefusalLog;
    readonly logger: ILogger;
}

const ENTRANCE: Entrance = {
    path: MCP_PATH,
    methods: ['POST', 'GET', 'DELETE'],
    tokenHeader: 'authorization',
    tokenPattern: /^Nonce ([\x21-\x7e]+)$/,
    // Seen with 1.0.102; a socket has no port.
    hosts: ['localhost']
};

/** Under which the locks of all folders are published. */
const PUBLICATION = 'copilot';
/** How long the clean ends of streams may take when the server stops. */
const STOP_GRACE_MS = 300;
/** How long those stay connected whose socket is gone: their diffs may wait for the user. */
const UNREACHABLE_MS = 3_600_000;

/** No line is lost on a socket: a CLI whose stream has ended, has ended. */
const TIMINGS = { ...DEFAULT_SESSION_TIMINGS, closed: DEFAULT_SESSION_TIMINGS.gone };

/** One lock, and the sessions of those who have its nonce. */
interface Lock {
    readonly subject: Omit<LockSubject, 'identity'>;
    readonly joined: CliSessions;
    readonly sessions: McpSessions;
    readonly copilots: Set<CopilotSession>;
}

/** What Copilot CLI connects to: a socket for all windows of a backend, with a lock for each open folder. Composes listener, sessions and locks. */
export class CopilotServer {
    /** By their ids. Those that are no longer published stay until their sessions have ended. */
    protected readonly locks = new Map<string, Lock>();
    protected published: readonly Lock[] = [];
    protected gate = new HttpGate(undefined, new Map(), ENTRANCE);

    protected readonly application: GatedApplication;
    protected listener: HttpListener | undefined;
    protected stopped = false;
    /** Empty until it listens. */
    socketPath = '';

    constructor(protected readonly options: CopilotServerOptions) {
        const routes: GatedRoutes = { get: this.route('get'), delete: this.route('delete'), post: this.route('post') };
        this.application = new GatedApplication(options.logger, MCP_PATH, routes);
    }

    /** The open folders that are published. */
    get folders(): string[] {
        return this.published.map(({ subject }) => subject.folder);
    }

    /** Whether its lock calls a folder trusted. */
    trusts(folder: string): boolean {
        return this.published.some(({ subject }) => subject.folder === folder && subject.isTrusted);
    }

    /**
     * A folder whose trust has changed gets a new lock: a CLI reads a lock once. Never rejects.
     *
     * @returns whether it listens, and every lock is there. What keeps one away is tried again in the period of the discovery files.
     */
    async publish(folders: readonly LockedFolder[]): Promise<boolean> {
        this.setLocks(folders, this.published);
        return this.options.files.publishAs(PUBLICATION, async cli => this.filesOf(cli));
    }

    /** Removes the locks first, so that no CLI finds a server that is going. */
    async stop(): Promise<void> {
        this.stopped = true;
        await this.options.files.remove(PUBLICATION);
        const closed = this.listener?.close(STOP_GRACE_MS);
        await Promise.all([...this.locks.values()].map(({ joined }) => joined.close()));
        await closed;
    }

    protected async filesOf({ id }: SupportedCli): Promise<DiscoveryFile[]> {
        const [cli] = this.options.clis;
        if (cli.id !== id) {
            return [];
        }
        await this.ensureSocket();
        const { identity } = this.options;
        return this.published.flatMap(({ subject }) => cli.lockOf?.({ ...subject, identity }) ?? []);
    }

    /** Somebody may clean the temporary folder. Rejects if the socket cannot be had. */
    protected async ensureSocket(): Promise<void> {
        const isThere = await fs.lstat(this.socketPath).then(
            () => true,
            () => false
        );
        const socketPath = isThere ? '' : await this.options.place.make();
        if (!socketPath || this.stopped) {
            return;
        }
        void this.listener?.close(UNREACHABLE_MS);
        this.listener = new HttpListener(this.options.refusals, this.options.budget);
        // The nonces change, and with them the gate.
        this.listener.serve({ check: request => this.gate.check(request) }, this.application);
        await this.listener.listenAt({ path: socketPath });
        await fs.chmod(socketPath, 0o600);
        this.socketPath = socketPath;
        this.setLocks(
            this.published.map(({ subject }) => subject),
            []
        );
    }

    /** @param kept those of the published locks that may stay as they are */
    protected setLocks(folders: readonly LockedFolder[], kept: readonly Lock[]): void {
        const before = this.published;
        this.published = folders.map(wanted => kept.find(lock => isFor(lock, wanted)) ?? this.add(wanted));
        const retired = before.filter(lock => !this.published.includes(lock));
        retired.forEach(({ copilots }) => copilots.forEach(session => session.retire()));
        retired.forEach(lock => this.forgetUnused(lock));
        this.followLocks();
    }

    protected add({ folder, isTrusted }: LockedFolder): Lock {
        const { socketPath, options } = this;
        const token = randomBytes(32).toString('base64url');
        const copilots = new Set<CopilotSession>();
        const joined = new CliSessions();
        const sessions = new McpSessions({
            port: 0,
            joined,
            make: (request, cliId, onInitialised) => this.makeSession(lock, request, cliId, onInitialised),
            hasOpenDiff: session => [...copilots].some(copilot => copilot === session && copilot.diffs.any),
            processes: options.processes,
            refusals: options.refusals
        });
        const subject = { id: randomUUID(), socketPath, token, folder, isTrusted, since: Date.now() };
        const lock: Lock = { subject, joined, sessions, copilots };
        this.locks.set(subject.id, lock);
        return lock;
    }

    /** Hands requests to the sessions of their lock. */
    protected route(method: keyof GatedRoutes): GatedHandler {
        return async (request, response, lockId) => {
            const lock = this.locks.get(lockId);
            if (lock && (this.published.includes(lock) || request.headers['mcp-session-id'] !== undefined)) {
                await lock.sessions.routes[method](request, response, this.options.clis[0].id);
            } else {
                sendError(response, 404, REFUSED, 'This lock is no longer published');
            }
        };
    }

    protected async makeSession(
        lock: Lock,
        { headers }: IncomingMessage,
        cliId: string,
        onInitialised: (session: McpSession) => void
    ): Promise<McpSession> {
        const { serverInfo, windowOf } = this.options;
        // As long as no CLI connects, the MCP SDK is not loaded.
        const { CopilotSession } = await import('./copilot-session');
        const window = new Deferred<SessionWindow>();
        const pid = Number(headers['x-copilot-pid']);
        const session: CopilotSession = new CopilotSession(cliId, serverInfo, TIMINGS, window.promise, async begun => {
            lock.copilots.add(session);
            session.onDidChangeState(state => state === 'closed' && this.forget(lock, session));
            onInitialised(begun);
            const placed = await windowOf(lock.subject.folder, Number.isSafeInteger(pid) && pid > 0 ? pid : undefined).catch(
                () => undefined
            );
            if (!placed || session.state === 'closed') {
                await session.close();
                return;
            }
            session.peer = placed.peer;
            placed.window.join(session);
            window.resolve(placed.window);
        });
        return session;
    }

    protected forget(lock: Lock, session: CopilotSession): void {
        lock.copilots.delete(session);
        this.forgetUnused(lock);
        this.followLocks();
    }

    protected forgetUnused(lock: Lock): void {
        if (!this.published.includes(lock) && lock.copilots.size === 0) {
            this.locks.delete(lock.subject.id);
        }
    }

    protected followLocks(): void {
        this.gate = new HttpGate(undefined, new Map([...this.locks.values()].map(({ subject: { id, token } }) => [id, token])), ENTRANCE);
    }
}

function isFor({ subject }: Lock, { folder, isTrusted }: LockedFolder): boolean {
    return subject.folder === folder && subject.isTrusted === isTrusted;
}
