// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { IncomingMessage, ServerResponse } from 'http';
import * as express from '@theia/core/shared/express';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { ILogger } from '@theia/core/lib/common/logger';
import { Emitter } from '@theia/core/lib/common/event';
import { ProcessTable } from '../host/process-table';
import { isSameProcess } from '../review/review';
import type { CliSession } from './cli-session';
import type { CompanionTool } from './diff-tools';
import { MCP_PATH } from './http-gate';
import { REFUSED, RefusalLog, sendError } from './http-listener';
import type { McpSession, SessionTimings } from './mcp-session';
import { SharedContext } from './shared-context';

export const DEFAULT_SESSION_TIMINGS: SessionTimings = { gone: 5_000, closed: 60_000, keepAlive: 15_000 };

export interface McpSessionsOptions {
    /** The listener's port. */
    readonly port: number;
    readonly serverInfo: { name: string; version: string };
    /** The tools that a session opened now is offered. */
    readonly tools: () => Promise<readonly CompanionTool[]>;
    readonly timings: SessionTimings;
    readonly processes: Pick<ProcessTable, 'peerOf'>;
    readonly maxSessions?: number;
    readonly refusals: RefusalLog;
    readonly logger: ILogger;
}

/** As the SDK's own middleware leaves a request whose sender is known. */
export type AuthenticatedRequest = IncomingMessage & { auth?: AuthInfo };

const UNKNOWN_SESSION = -32001;

/** The header by which this backend tries its own servers, and its value, which no other process knows. */
export const PROBE_HEADER = 'x-companion-probe';
export const PROBE = randomUUID();

/** The MCP sessions of one server: hands each request to its session, and begins and ends sessions. */
export class McpSessions {
    /** The context that they share. */
    readonly context = new SharedContext(() => this.all());

    protected readonly sessions = new Map<string, McpSession>();
    /** Sessions of our own: no CLI is connected by them, and nobody is told of them. */
    protected readonly probes = new WeakSet<CliSession>();
    protected readonly joined = new Set<CliSession>();
    protected readonly maxSessions: number;
    /** Those whose process is being looked for, and the newest port of each: to look reads all of /proc. */
    protected readonly identifying = new Map<McpSession, number>();
    protected allIdentified: Promise<unknown> = Promise.resolve();

    protected readonly app = this.application();

    protected readonly onDidChangeSessionEmitter = new Emitter<CliSession>();
    /** A session began, changed its state or closed. */
    readonly onDidChangeSession = this.onDidChangeSessionEmitter.event;

    constructor(protected readonly options: McpSessionsOptions) {
        this.maxSessions = options.maxSessions ?? 64;
    }

    /** Settles when no process is looked for any more whose session has asked for its stream by now. */
    get identified(): Promise<unknown> {
        return this.allIdentified;
    }

    /** The sessions of CLIs. */
    all(): readonly CliSession[] {
        return [...this.own(), ...this.joined];
    }

    /** A session of a CLI that does not come by HTTP counts as one of them until it is closed. */
    join(session: CliSession): void {
        this.joined.add(session);
        session.onDidChangeState(state => {
            if (state === 'closed') {
                this.joined.delete(session);
            }
            this.changed(session);
        });
        this.context.join(session);
        this.changed(session);
    }

    /** A session that can take over from one whose stream is gone: another one of the same process. */
    successorOf(session: CliSession): CliSession | undefined {
        return this.all().find(other => other !== session && other.state === 'streaming' && isSameProcess(other, session));
    }

    async close(): Promise<void> {
        await Promise.all([...this.sessions.values(), ...this.joined].map(session => session.close()));
        this.onDidChangeSessionEmitter.dispose();
    }

    /** Serves a request that the gate let pass: express parses the query of whatever it gets. @param cliId whose token it has */
    serve(request: AuthenticatedRequest, response: ServerResponse, cliId: string): void {
        // The token has done its work at the gate, and goes no further.
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
                if (request.method === 'GET' && !session.peer && !this.probes.has(session)) {
                    // The stream's connection stays; that of every other request ends with the answer.
                    this.allIdentified = Promise.all([this.allIdentified, this.identify(session, request.socket.remotePort)]);
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
        if (this.sessions.size >= this.maxSessions && !this.leastUsedWithoutStream()) {
            this.options.refusals.add('503 Too many sessions');
            sendError(response, 503, REFUSED, `${this.maxSessions} sessions are open; close a CLI and try again`);
            return;
        }
        const { serverInfo, timings, tools } = this.options;
        // Most backends serve no CLI at first: the MCP SDK would be a third of what the companion adds to their start.
        const [{ McpSession }, offered] = await Promise.all([import('./mcp-session'), tools()]);
        const session = new McpSession(cliId, serverInfo, offered, timings, begun => this.add(begun));
        if (request.headers[PROBE_HEADER] === PROBE) {
            this.probes.add(session);
        }
        await session.connect();
        await session.handle(request, response);
        if (!session.id) {
            await session.close();
        }
    }

    protected add(session: McpSession): void {
        if (this.sessions.size >= this.maxSessions) {
            void this.leastUsedWithoutStream()?.close();
        }
        this.sessions.set(session.id, session);
        session.onDidChangeState(state => {
            if (state === 'closed') {
                this.sessions.delete(session.id);
            }
            this.changed(session);
        });
        if (!this.probes.has(session)) {
            this.context.join(session);
        }
        this.changed(session);
    }

    protected own(): McpSession[] {
        return [...this.sessions.values()].filter(session => !this.probes.has(session));
    }

    protected changed(session: CliSession): void {
        if (!this.probes.has(session)) {
            this.onDidChangeSessionEmitter.fire(session);
        }
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

    protected leastUsedWithoutStream(): McpSession | undefined {
        return this.own()
            .filter(session => session.state !== 'streaming')
            .sort((a, b) => a.lastUsed - b.lastUsed)[0];
    }
}
