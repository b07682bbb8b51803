// SPDX-License-Identifier: Apache-2.0

import { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { IncomingMessage, ServerResponse } from 'http';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import * as express from '@theia/core/shared/express';
import { IdeContext, withoutSelection } from '../../common/ide-context';
import { ProcessTable } from '../host/process-table';
import { isInside } from '../host/workspace-roots';
import { isSameProcess, ReviewOwner } from '../review/review';
import { CliSession } from './cli-session';
import type { CompanionTool } from './tool-server';
import { MCP_PATH } from './http-gate';
import { RefusalLog, REFUSED, sendError } from './http-listener';
import { McpSession, SessionTimings } from './mcp-session';

export const DEFAULT_SESSION_TIMINGS: SessionTimings = { gone: 5_000, closed: 60_000, keepAlive: 15_000 };

export interface McpSessionsOptions {
    /** The listener's port. */
    readonly port: number;
    readonly serverInfo: { name: string; version: string };
    /** The tools that a session opened now is offered. */
    readonly tools: () => Promise<ReadonlyArray<CompanionTool<ReviewOwner>>>;
    readonly timings: SessionTimings;
    /** Whether a diff of this session waits for the user. */
    readonly hasOpenDiff: (session: CliSession) => boolean;
    readonly processes: Pick<ProcessTable, 'peerOf'>;
    readonly refusals: RefusalLog;
    readonly logger: ILogger;
}

/** As the SDK's own middleware leaves a request whose sender is known. */
export type AuthenticatedRequest = IncomingMessage & { auth?: AuthInfo };

const UNKNOWN_SESSION = -32001;
/** Of one server; of those without a stream and an open diff, the one that is idle for longest gives way. */
const MAX_SESSIONS = 64;

/** The MCP sessions of one server: hands each request to its session, and begins and ends sessions. */
export class McpSessions {
    /** The context that they share. */
    readonly context = new SharedContext(() => this.all());

    /** Those that come by HTTP, by their ids. */
    protected readonly sessions = new Map<string, McpSession>();
    protected readonly joined = new Set<CliSession>();
    /** Those whose process is being looked for, and the newest port of each: to look reads all of /proc. */
    protected readonly identifying = new Map<McpSession, number>();
    /** Settles when no process is looked for any more whose session has asked for its stream by now. */
    identified: Promise<unknown> = Promise.resolve();

    protected readonly app = this.application();

    protected readonly onDidChangeSessionEmitter = new Emitter<CliSession>();
    /** A session began, changed its state or closed. */
    readonly onDidChangeSession = this.onDidChangeSessionEmitter.event;

    constructor(protected readonly options: McpSessionsOptions) {}

    /** The sessions of CLIs. */
    all(): readonly CliSession[] {
        return [...this.joined];
    }

    /** A session counts until it is closed, also one of a CLI that does not come by HTTP. */
    join(session: CliSession): void {
        this.joined.add(session);
        session.onDidChangeState(state => {
            if (state === 'closed') {
                this.joined.delete(session);
                this.sessions.delete(session.id);
            }
            this.onDidChangeSessionEmitter.fire(session);
        });
        this.context.join(session);
        this.onDidChangeSessionEmitter.fire(session);
    }

    /** A session that can take over from one whose stream is gone: another one of the same process. */
    successorOf(session: CliSession): CliSession | undefined {
        return this.all().find(other => other !== session && other.state === 'streaming' && isSameProcess(other, session));
    }

    async close(): Promise<void> {
        await Promise.all(this.all().map(session => session.close()));
        this.onDidChangeSessionEmitter.dispose();
    }

    /** Serves a request that the gate let pass: express parses the query of whatever it gets. @param cliId whose token it has */
    serve(request: AuthenticatedRequest, response: ServerResponse, cliId: string): void {
        // The token was only needed at the gate, and is not passed on.
        request.auth = { token: '', clientId: cliId, scopes: [] };
        this.app(request, response);
    }

    protected application(): express.Express {
        const app = express();
        app.disable('x-powered-by');
        app.disable('etag');
        app.all(MCP_PATH, (request, response, next) => {
            this.handle(request, response).catch(next);
        });
        app.use((error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
            this.options.logger.error('A request failed', error);
            if (response.headersSent) {
                response.destroy();
            } else {
                sendError(response, 500, -32603, 'Internal error');
            }
        });
        return app;
    }

    protected async handle(request: AuthenticatedRequest, response: ServerResponse): Promise<void> {
        const cliId = request.auth?.clientId ?? '';
        const id = request.headers['mcp-session-id'];
        if (typeof id === 'string') {
            const session = this.sessions.get(id);
            // Another CLI's token does not open this one's session.
            if (session?.cliId === cliId) {
                if (request.method === 'GET' && !session.peer) {
                    // The stream's connection stays; that of every other request ends with the answer.
                    const identified = this.identify(session, request.socket.remotePort);
                    this.identified = this.identified.then(() => identified);
                }
                await session.handle(request, response);
            } else {
                sendError(response, 404, UNKNOWN_SESSION, 'Session not found');
            }
        } else if (request.method === 'POST') {
            await this.begin(request, response, cliId);
        } else {
            sendError(response, 400, REFUSED, 'Mcp-Session-Id header is required');
        }
    }

    /** A request without a session must be `initialize`; the SDK answers any other with an error. */
    protected async begin(request: IncomingMessage, response: ServerResponse, cliId: string): Promise<void> {
        if (this.sessions.size >= MAX_SESSIONS && !this.leastNeeded()) {
            this.options.refusals.add('503 Too many sessions');
            sendError(response, 503, REFUSED, `${MAX_SESSIONS} sessions are open; close a CLI and try again`);
            return;
        }
        const { serverInfo, timings, tools } = this.options;
        // Most backends serve no CLI at first: the MCP SDK would be a third of what the companion adds to their start.
        const [{ McpSession }, offered] = await Promise.all([import('./mcp-session'), tools()]);
        const session = new McpSession(cliId, serverInfo, offered, timings, begun => this.add(begun));
        await session.connect();
        await session.handle(request, response);
        if (!session.id) {
            await session.close();
        }
    }

    protected add(session: McpSession): void {
        if (this.sessions.size >= MAX_SESSIONS) {
            void this.leastNeeded()?.close();
        }
        this.sessions.set(session.id, session);
        this.join(session);
    }

    protected async identify(session: McpSession, clientPort: number | undefined): Promise<void> {
        if (clientPort === undefined) {
            return;
        }
        const isUnderWay = this.identifying.has(session);
        this.identifying.set(session, clientPort);
        if (isUnderWay) {
            return;
        }
        for (let looked = 0; !session.peer && session.state !== 'closed' && looked !== this.identifying.get(session);) {
            looked = this.identifying.get(session) ?? 0;
            session.peer = await this.options.processes.peerOf(this.options.port, looked);
        }
        this.identifying.delete(session);
        if (session.peer && session.state !== 'closed') {
            this.onDidChangeSessionEmitter.fire(session);
        }
    }

    protected leastNeeded(): McpSession | undefined {
        return [...this.sessions.values()]
            .filter(session => session.state !== 'streaming' && !this.options.hasOpenDiff(session))
            .sort((a, b) => a.lastUsed - b.lastUsed)[0];
    }
}

const NOTHING: IdeContext = { workspaceState: { openFiles: [] } };

export interface SentContext {
    readonly session: CliSession;
    readonly context: IdeContext;
}

/** The context that the sessions of one server share. It belongs to the open folders: a CLI in other folders gets nothing. */
export class SharedContext {
    protected roots: readonly string[] = [];
    protected newest: IdeContext | undefined;
    /** The folders that were open when a session began: its CLI works in one of them. */
    protected readonly beganIn = new WeakMap<CliSession, readonly string[]>();

    protected readonly onDidSendEmitter = new Emitter<SentContext>();
    readonly onDidSend = this.onDidSendEmitter.event;

    constructor(protected readonly sessions: () => readonly CliSession[]) {}

    /**
     * Other folders are open from now on. Call it before anybody can find the server by them.
     *
     * @param roots absolute real paths
     */
    openFolders(roots: readonly string[]): void {
        const before = this.roots;
        const told = this.sessions().filter(session => this.isMember(session));
        this.roots = roots;
        if (this.newest && !areKept(before, roots)) {
            this.newest = undefined;
            told.forEach(session => this.send(session, NOTHING));
        } else if (this.newest && roots.length > before.length) {
            // Trust in fewer folders says nothing about more folders. CLIs that know of the trust get no update: they would ask for a restart.
            this.newest = { workspaceState: { openFiles: this.newest.workspaceState?.openFiles } };
        }
    }

    /** Sends the context to every session of the open folders, and to each later one as soon as its stream is open. */
    update(context: IdeContext): void {
        const { isTrusted } = this.newest?.workspaceState ?? {};
        // A reloaded page or another window may not know the trust yet. A CLI would take missing trust for changed trust.
        const known = isTrusted === undefined ? context : { workspaceState: { isTrusted, ...context.workspaceState } };
        this.newest = known;
        this.sessions()
            .filter(session => this.isMember(session))
            .forEach(session => this.send(session, known));
    }

    /** The page that said it has gone, and nothing would withdraw it. The paths of the open files stay. */
    forgetSelection(): void {
        const kept = this.newest && withoutSelection(this.newest);
        if (kept && kept !== this.newest) {
            this.update(kept);
        }
    }

    join(session: CliSession): void {
        this.beganIn.set(session, this.roots);
        if (this.newest) {
            this.send(session, this.newest);
        }
    }

    protected send(session: CliSession, context: IdeContext): void {
        session.notify({ method: 'ide/contextUpdate', params: context });
        this.onDidSendEmitter.fire({ session, context });
    }

    protected isMember(session: CliSession): boolean {
        const began = this.beganIn.get(session) ?? [];
        return began.length === 0 ? this.roots.length === 0 : began.some(folder => this.roots.some(root => isInside(root, folder)));
    }
}

/** Whether all folders stay open. If there was none, what was shared belongs to no folder. */
function areKept(before: readonly string[], roots: readonly string[]): boolean {
    return before.length > 0 ? before.every(root => roots.includes(root)) : roots.length === 0;
}
