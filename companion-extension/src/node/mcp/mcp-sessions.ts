// SPDX-License-Identifier: Apache-2.0

import { IncomingMessage, ServerResponse } from 'http';
import { ProcessTable } from '../host/process-table';
import { GatedHandler, GatedRoutes } from '../http/gated-application';
import { REFUSED, sendError } from '../http/json-rpc-error';
import { RefusalLog } from '../http/refusal-log';
import { CliSession } from '../server/cli-session';
import { CliSessions } from '../server/cli-sessions';
import type { McpSession, SessionTimings } from './mcp-session';

export const DEFAULT_SESSION_TIMINGS: SessionTimings = { gone: 5_000, closed: 60_000, keepAlive: 15_000 };

interface McpSessionsOptions {
    /** The listener's port. */
    readonly port: number;
    /** What the sessions join. */
    readonly joined: CliSessions;
    /** Makes the session of a request that may begin one. */
    readonly make: (request: IncomingMessage, cliId: string, onInitialised: (session: McpSession) => void) => Promise<McpSession>;
    /** Whether a diff of this session waits for the user. */
    readonly hasOpenDiff: (session: CliSession) => boolean;
    readonly processes: Pick<ProcessTable, 'peerOf'>;
    readonly refusals: RefusalLog;
}

const UNKNOWN_SESSION = -32001;
/** Sessions of one server; of those without a stream and an open diff, the one that is idle for longest gives way. */
const MAX_SESSIONS = 64;

/** The sessions of one server over HTTP: hands each request to its session, and begins and ends sessions. */
export class McpSessions {
    /** By their ids. */
    protected readonly sessions = new Map<string, McpSession>();
    /** The sessions whose process is being looked for, and the newest port of each: to look reads all of /proc. */
    protected readonly identifying = new Map<McpSession, number>();

    constructor(protected readonly options: McpSessionsOptions) {}

    /** Only what is posted may begin a session. */
    get routes(): GatedRoutes {
        const serve: GatedHandler = (request, response, cliId) => this.serve(request, response, cliId);
        return { get: serve, delete: serve, post: (request, response, cliId) => this.serveOrBegin(request, response, cliId) };
    }

    /** Serves a request of a session. @param cliId whose token it has */
    protected async serve(request: IncomingMessage, response: ServerResponse, cliId: string): Promise<void> {
        const id = request.headers['mcp-session-id'];
        if (typeof id !== 'string') {
            sendError(response, 400, REFUSED, 'Mcp-Session-Id header is required');
            return;
        }
        const session = this.sessions.get(id);
        // Another CLI's token does not open this one's session.
        if (session?.cliId === cliId) {
            if (request.method === 'GET' && !session.peer) {
                // The stream's connection stays; that of every other request ends with the answer.
                this.options.joined.identify(session, this.identify(session, request.socket.remotePort));
            }
            await session.handle(request, response);
        } else {
            sendError(response, 404, UNKNOWN_SESSION, 'Session not found');
        }
    }

    /** The same, where a request without a session may begin one. */
    protected async serveOrBegin(request: IncomingMessage, response: ServerResponse, cliId: string): Promise<void> {
        const hasSession = request.headers['mcp-session-id'] !== undefined;
        await (hasSession ? this.serve(request, response, cliId) : this.begin(request, response, cliId));
    }

    /** A request without a session must be `initialize`; the SDK answers any other with an error. */
    protected async begin(request: IncomingMessage, response: ServerResponse, cliId: string): Promise<void> {
        if (this.sessions.size >= MAX_SESSIONS && !this.leastNeeded()) {
            this.options.refusals.add('503 Too many sessions');
            sendError(response, 503, REFUSED, `${MAX_SESSIONS} sessions are open; close a CLI and try again`);
            return;
        }
        const session = await this.options.make(request, cliId, begun => this.add(begun));
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
        session.onDidChangeState(state => state === 'closed' && this.sessions.delete(session.id));
        this.options.joined.join(session);
    }

    /** @returns whether this call has found its process */
    protected async identify(session: McpSession, clientPort: number | undefined): Promise<boolean> {
        if (clientPort === undefined) {
            return false;
        }
        const isUnderWay = this.identifying.has(session);
        this.identifying.set(session, clientPort);
        if (isUnderWay) {
            return false;
        }
        for (let looked = 0; !session.peer && session.state !== 'closed' && looked !== this.identifying.get(session);) {
            looked = this.identifying.get(session) ?? 0;
            session.peer = await this.options.processes.peerOf(this.options.port, looked);
        }
        this.identifying.delete(session);
        return session.peer !== undefined;
    }

    protected leastNeeded(): McpSession | undefined {
        return [...this.sessions.values()]
            .filter(session => session.state !== 'streaming' && !this.options.hasOpenDiff(session))
            .sort((a, b) => a.lastUsed - b.lastUsed)[0];
    }
}
