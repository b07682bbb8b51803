// SPDX-License-Identifier: Apache-2.0

import { IncomingMessage, RequestListener, ServerResponse } from 'http';
import * as express from '@theia/core/shared/express';
import { ILogger } from '@theia/core/lib/common/logger';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { isSameProcess } from '../review/review';
import { BodyBudget } from './body-budget';
import { CompanionTool } from './companion-tool';
import { GateDecision, HttpGate, MCP_PATH } from './http-gate';
import { McpSession, SessionTimings } from './mcp-session';
import { findPeerProcess } from './peer-process';
import { RefusalLog } from './refusal-log';
import { SharedContext } from './shared-context';

export interface McpSessionsOptions {
    readonly gate: HttpGate;
    /** The listener's port. */
    readonly port: number;
    readonly serverInfo: { name: string; version: string };
    /** The tools that a session opened now is offered. */
    readonly tools: () => readonly CompanionTool[];
    readonly timings: SessionTimings;
    readonly maxSessions?: number;
    readonly refusals: RefusalLog;
    readonly logger: ILogger;
}

const NOT_A_SESSION = -32000;
const UNKNOWN_SESSION = -32001;

/** The MCP sessions of one server: lets requests through the gate and hands each to its session. */
export class McpSessions {
    /** What they are told of the editors. */
    readonly context = new SharedContext(() => this.all());

    private readonly sessions = new Map<string, McpSession>();
    private readonly maxSessions: number;
    /** Which CLI sends a request, as its token told the gate. */
    private readonly senders = new WeakMap<IncomingMessage, string>();
    private readonly bodies = new BodyBudget();
    /** Those whose process is being looked for, and the newest port of each: to look reads all of /proc. */
    private readonly identifying = new Map<McpSession, number>();
    private allIdentified: Promise<unknown> = Promise.resolve();
    private readonly changeEmitter = new Emitter<McpSession>();

    constructor(private readonly options: McpSessionsOptions) {
        this.maxSessions = options.maxSessions ?? 64;
    }

    /** A session began, changed its state or closed. */
    get onDidChangeSession(): Event<McpSession> {
        return this.changeEmitter.event;
    }

    /** Settles when no process is looked for any more whose session has asked for its stream by now. */
    get identified(): Promise<unknown> {
        return this.allIdentified;
    }

    all(): readonly McpSession[] {
        return [...this.sessions.values()];
    }

    /** A session that can take over from one whose stream is gone: another one of the same process. */
    successorOf(session: McpSession): McpSession | undefined {
        return this.all().find(other => other !== session && other.state === 'streaming' && isSameProcess(other, session));
    }

    async close(): Promise<void> {
        await Promise.all(this.all().map(session => session.close()));
        this.changeEmitter.dispose();
    }

    /** Serves the listener's requests. The gate stands before express, which parses the query string of whatever it gets. */
    requestListener(): RequestListener {
        const app = this.application();
        return (request, response) => {
            const decision = this.options.gate.check(request);
            if (!decision.pass) {
                this.refuse(decision, request, response);
            } else if (request.method === 'POST' && !this.bodies.take(request, response)) {
                this.refuse({ pass: false, status: 503, reason: 'Too many large bodies at once' }, request, response);
            } else {
                this.senders.set(request, decision.cliId);
                app(request, response);
            }
        };
    }

    private application(): express.Express {
        const app = express();
        app.disable('x-powered-by');
        app.disable('etag');
        app.all(MCP_PATH, (request, response, next) => {
            this.handle(request, response, this.senders.get(request) ?? '').catch(next);
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

    private async handle(request: IncomingMessage, response: ServerResponse, cliId: string): Promise<void> {
        const id = request.headers['mcp-session-id'];
        if (typeof id === 'string') {
            const session = this.sessions.get(id);
            // Another CLI's token does not open this one's session.
            if (session?.cliId === cliId) {
                if (request.method === 'GET' && !session.peer) {
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
            sendError(response, 400, NOT_A_SESSION, 'Mcp-Session-Id header is required');
        }
    }

    /** A request without a session must be `initialize`; the SDK answers any other with an error. */
    private async begin(request: IncomingMessage, response: ServerResponse, cliId: string): Promise<void> {
        if (this.sessions.size >= this.maxSessions && !this.leastUsedWithoutStream()) {
            this.options.refusals.add('503 Too many sessions');
            sendError(response, 503, NOT_A_SESSION, `${this.maxSessions} sessions are open; close a CLI and try again`);
            return;
        }
        const { serverInfo, timings, tools } = this.options;
        const session = new McpSession(cliId, serverInfo, tools(), timings, begun => this.add(begun));
        await session.connect();
        await session.handle(request, response);
        if (!session.id) {
            await session.close();
        }
    }

    private add(session: McpSession): void {
        if (this.sessions.size >= this.maxSessions) {
            void this.leastUsedWithoutStream()?.close();
        }
        this.sessions.set(session.id, session);
        session.onDidChangeState(state => {
            if (state === 'closed') {
                this.sessions.delete(session.id);
            }
            this.changeEmitter.fire(session);
        });
        this.context.join(session);
        this.changeEmitter.fire(session);
    }

    private async identify(session: McpSession, clientPort: number | undefined): Promise<void> {
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
            session.peer = await findPeerProcess(this.options.port, looked);
        }
        this.identifying.delete(session);
        if (session.peer && session.state !== 'closed') {
            this.changeEmitter.fire(session);
        }
    }

    private leastUsedWithoutStream(): McpSession | undefined {
        return this.all()
            .filter(session => session.state !== 'streaming')
            .sort((a, b) => a.lastUsed - b.lastUsed)[0];
    }

    private refuse(decision: GateDecision & { pass: false }, request: IncomingMessage, response: ServerResponse): void {
        this.options.refusals.add(`${decision.status} ${decision.reason}`);
        for (const [name, value] of Object.entries(decision.headers ?? {})) {
            response.setHeader(name, value);
        }
        // The body is neither kept nor waited for: what comes is thrown away, and the socket goes with the answer.
        response.setHeader('Connection', 'close');
        sendError(response, decision.status, NOT_A_SESSION, decision.reason);
        request.resume();
        setTimeout(() => request.destroy(), 1_000).unref();
    }
}

function sendError(response: ServerResponse, status: number, code: number, message: string): void {
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
}
