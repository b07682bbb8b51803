// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { IncomingMessage } from 'http';
import { Socket } from 'net';
import { WebSocket, WebSocketServer } from '@theia/core/shared/ws';
import { CLAUDE_TOKEN_HEADER, WINDOW_PORT_VARIABLE } from '../discovery/claude-family-cli';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { SupportedCli } from '../discovery/supported-cli';
import { isSamePeer, ProcessTable } from '../host/process-table';
import type { SessionWindow } from '../server/cli-session';
import { HttpGate, MAX_BODY_BYTES } from '../http/http-gate';
import { HttpListener } from '../http/http-listener';
import { RefusalLog } from '../http/refusal-log';
import { ListenerBudget } from '../http/listener-budget';
import type { ClaudeSession, FoundCli } from './claude-session';
import { MessageBounds } from './message-bounds';

interface ClaudeServerOptions {
    /** The CLIs that speak its protocol; the first also serves a client that is none of them. Its id names the token. */
    readonly clis: ReadonlyArray<Pick<SupportedCli, 'id' | 'clientName'>>;
    /** Several have one client name. */
    readonly ofProcess: (command: readonly string[]) => SupportedCli | undefined;
    /** Whether a client is a CLI that is not served: it finds the lock of the others. */
    readonly isForbidden: (clientName: string, command: readonly string[]) => boolean;
    readonly serverInfo: { name: string; version: string };
    readonly files: Pick<DiscoveryFiles, 'publish' | 'remove'>;
    readonly processes: Pick<ProcessTable, 'peerOf' | 'details'>;
    /**
     * The window that a CLI runs in.
     *
     * @param port of the window's own server, as the CLI's terminal names it
     * @param folder that the CLI runs in, if it is known
     */
    readonly windowOf: (port: number | undefined, folder: string | undefined) => SessionWindow | undefined;
    /** Shared by all listeners of the backend. */
    readonly budget: ListenerBudget;
    readonly refusals: RefusalLog;
}

const MAX_SESSIONS = 64;
/** How long the clean ends of connections may take when the server stops. */
const STOP_GRACE_MS = 300;

/**
 * What CLIs connect to that speak Claude Code's protocol: one for all windows of a backend, because Claude Code connects to none if it finds two for
 * one folder. Composes listener, sessions and lock file.
 */
export class ClaudeServer {
    protected readonly sessions = new Set<ClaudeSession>();
    /** With those whose session is being made. */
    protected connections = 0;
    protected stopped = false;
    /** The folders that were published last. */
    roots: readonly string[] = [];
    protected readonly sockets = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        maxPayload: MAX_BODY_BYTES,
        perMessageDeflate: false,
        handleProtocols: offered => (offered.has('mcp') ? 'mcp' : false)
    });

    protected constructor(
        protected readonly options: ClaudeServerOptions,
        readonly port: number,
        protected readonly token: string,
        protected readonly listener: HttpListener
    ) {}

    /** Starts to listen; nothing is published yet. Rejects if no port can be had. */
    static async start(options: ClaudeServerOptions): Promise<ClaudeServer> {
        const { clis, refusals, budget } = options;
        const listener = new HttpListener(refusals, budget);
        const port = await listener.listen();
        const token = randomBytes(32).toString('base64url');
        const server = new ClaudeServer(options, port, token, listener);
        const entrance = { path: '/', methods: ['GET'], tokenHeader: CLAUDE_TOKEN_HEADER.toLowerCase(), tokenPattern: /^([\x21-\x7e]+)$/ };
        const gate = new HttpGate(port, new Map([[clis[0].id, token]]), entrance);
        listener.serveUpgrades(gate, (request, socket, head) => server.accept(request, socket, head));
        return server;
    }

    /** @param folders of all windows in which the companion is on, by all their names. Never rejects. */
    async publish(folders: readonly string[]): Promise<void> {
        const { clis, files } = this.options;
        this.roots = folders;
        await files.publish({ port: this.port, roots: folders, tokens: new Map([[clis[0].id, this.token]]) });
    }

    /** Removes the lock first, so that no CLI finds a server that is going. */
    async stop(): Promise<void> {
        this.stopped = true;
        await this.options.files.remove(this.port);
        const closed = this.listener.retire(STOP_GRACE_MS);
        await Promise.all([...this.sessions].map(session => session.close('The companion has stopped')));
        await closed;
    }

    /** The gate has let it pass. */
    protected accept(request: IncomingMessage, socket: Socket, head: Buffer): void {
        if (this.stopped || (this.connections >= MAX_SESSIONS && !this.makeRoom())) {
            this.listener.refuseUpgrade(socket, 503, `${MAX_SESSIONS} sessions are open; close a CLI and try again`);
            return;
        }
        this.connections++;
        socket.once('close', () => this.connections--);
        this.sockets.handleUpgrade(request, socket, head, accepted => {
            // Such as a module that cannot be read without a free file descriptor.
            this.begin(accepted, socket).catch(() => accepted.terminate());
        });
    }

    protected async begin(accepted: WebSocket, socket: Socket): Promise<void> {
        // Nothing is read until the transport starts.
        accepted.pause();
        const { budget, serverInfo } = this.options;
        const clientPort = socket.remotePort;
        const cut = (reason: string): void => {
            this.options.refusals.add(reason);
            accepted.terminate();
        };
        new MessageBounds(socket, accepted, budget, cut);
        const [{ ClaudeSession }, { SocketTransport }] = await Promise.all([import('./claude-session'), import('./socket-transport')]);
        if (accepted.readyState !== accepted.OPEN) {
            // Nothing would ever end its session.
            return;
        }
        const timer = setTimeout(() => cut('A client did not introduce itself in time'), budget.limits.headers).unref();
        const session: ClaudeSession = new ClaudeSession(new SocketTransport(accepted), serverInfo, name => {
            // It has: on a busy machine it takes longer to find its process.
            clearTimeout(timer);
            return this.find(session, name, clientPort);
        });
        this.sessions.add(session);
        session.onDidChangeState(state => state === 'closed' && this.sessions.delete(session));
        socket.once('close', () => clearTimeout(timer));
        await (this.stopped ? session.close('The companion has stopped') : session.connect());
    }

    /** Who has not introduced itself gives way first, then who is idle for longest. @returns false if all have an open diff */
    protected makeRoom(): boolean {
        const [first] = [...this.sessions]
            .filter(({ hasOpenDiff }) => !hasOpenDiff)
            .sort((a, b) => Number(a.cliId !== '') - Number(b.cliId !== '') || a.lastUsed - b.lastUsed);
        void first?.close('Too many CLIs are connected, and this one was idle for longest');
        return first !== undefined;
    }

    protected async find(session: ClaudeSession, clientName: string, clientPort = 0): Promise<FoundCli | undefined> {
        const { clis, processes, windowOf, ofProcess, isForbidden } = this.options;
        const peer = await processes.peerOf(this.port, clientPort);
        const details = peer && (await processes.details(peer.pid));
        const port = details?.variables[WINDOW_PORT_VARIABLE];
        // Where the system tells nothing of processes, the client does.
        const folder = peer?.folder ?? (await session.clientFolder());
        const window = windowOf(port === undefined ? undefined : Number(port), folder);
        if (!window || isForbidden(clientName, details?.command ?? [])) {
            return undefined;
        }
        const named = clis.filter(cli => cli.clientName === clientName);
        const program = details && ofProcess(details.command);
        const { id: cliId } = named.find(({ id }) => id === program?.id) ?? named[0] ?? clis[0];
        const older = [...this.sessions].filter(other => other !== session && other.cliId === cliId && isSamePeer(other.connectedBy, peer));
        session.connectedBy = peer;
        for (const other of older) {
            if (await isOtherCli(session, other)) {
                // One process connects several CLIs: it is none of them.
                other.peer = undefined;
            } else {
                // A client that connects again waits for no answer on its old connection.
                await other.close('This CLI has connected again');
            }
        }
        const isForwarded = older.some(({ state }) => state !== 'closed');
        return { cliId, peer: isForwarded ? undefined : peer, window };
    }
}

/** Whether they are two CLIs, by what they say. If one does not say, they are the same. */
async function isOtherCli(one: ClaudeSession, other: ClaudeSession): Promise<boolean> {
    const [pid, otherPid] = await Promise.all([one.announcedPid(), other.announcedPid()]);
    return pid !== undefined && otherPid !== undefined && pid !== otherPid;
}
