// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { IncomingMessage, ServerResponse } from 'http';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
    CallToolRequestSchema,
    EmptyResultSchema,
    ErrorCode,
    ListToolsRequestSchema,
    McpError,
    SUPPORTED_PROTOCOL_VERSIONS,
    Tool
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod/v4';
import { ReviewOwner } from '../review/review';
import { CompanionTool, toolFailure } from './companion-tool';
import { MAX_BODY_BYTES } from './http-gate';
import { CompanionNotification } from './outbound-queue';
import { OutboundStream } from './outbound-stream';
import { OutcomeStore } from './outcome-store';
import { PeerProcess } from './peer-process';

/** In milliseconds. */
export interface SessionTimings {
    /** How long a stream may be lost before the session's CLI counts as gone. */
    readonly gone: number;
    /** How long it may be lost before the session is closed. No CLI sends DELETE (Gemini CLI 0.61, Qwen Code 0.24). */
    readonly closed: number;
    /** Between two comments on a silent stream; the CLIs cut one that is silent for 300 s. */
    readonly keepAlive: number;
}

export const DEFAULT_SESSION_TIMINGS: SessionTimings = { gone: 5_000, closed: 60_000, keepAlive: 15_000 };

/** In milliseconds; Node takes a longer one for none. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * `initialised → streaming ⇄ lost → closed`; `lost` becomes `gone` after {@link SessionTimings.gone}, and so does `streaming` where the
 * client reads nothing for as long. Only a session without a stream is closed.
 */
export type SessionState = 'initialised' | 'streaming' | 'lost' | 'gone' | 'closed';

/** One MCP session of one CLI, with its own server and transport: a shared one leaks answers across clients (CVE-2026-25536). */
export class McpSession implements ReviewOwner {
    /** The CLI's process, once it is found. */
    peer: PeerProcess | undefined;

    /** When a request of this session last came, in milliseconds since the epoch. */
    lastUsed = Date.now();

    private currentState: SessionState = 'initialised';
    private readonly server: McpServer;
    private readonly transport: StreamableHTTPServerTransport;
    private readonly tools: ReadonlyMap<string, CompanionTool>;
    private readonly sent = new OutcomeStore();
    private readonly stream = new OutboundStream(notification => this.send(notification), {
        opened: () => {
            this.reached();
            void this.askWhetherArrived();
        },
        stalled: () => this.expectAnswer(),
        drained: () => this.reached(),
        lost: () => {
            if (this.currentState !== 'closed') {
                this.setState('lost');
                this.expectStream();
            }
        }
    });
    /** The ping that is not answered yet. */
    private asking: AbortController | undefined;
    private goneTimer: NodeJS.Timeout | undefined;
    private closeTimer: NodeJS.Timeout | undefined;
    private readonly stateEmitter = new Emitter<SessionState>();

    constructor(
        readonly cliId: string,
        /** Name and version as the CLIs see them. */
        serverInfo: { name: string; version: string },
        tools: readonly CompanionTool[],
        private readonly timings: SessionTimings,
        onInitialised: (session: McpSession) => void
    ) {
        this.tools = new Map(tools.map(tool => [tool.name, tool]));
        this.server = new McpServer(serverInfo);
        this.serveTools();
        this.transport = new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: () => onInitialised(this),
            onsessionclosed: () => this.close(),
            maxRequestBodySize: MAX_BODY_BYTES,
            eventStore: this.sent,
            keepAliveMs: timings.keepAlive
        });
    }

    /** Empty until the client has initialised the session. */
    get id(): string {
        return this.transport.sessionId ?? '';
    }

    get state(): SessionState {
        return this.currentState;
    }

    get gone(): boolean {
        return this.currentState === 'gone' || this.currentState === 'closed';
    }

    get onDidChangeState(): Event<SessionState> {
        return this.stateEmitter.event;
    }

    /** Must be called before the first request. */
    async connect(): Promise<void> {
        await this.server.connect(this.transport);
        this.expectStream();
    }

    async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
        this.lastUsed = Date.now();
        if (!this.stream.isOpen) {
            this.expectStream();
        }
        if (request.method === 'GET' && asksForStream(request)) {
            // A client that lost its stream comes back before the SDK has noticed, and would get a 409 it does not recover from.
            this.stream.detach();
            this.transport.closeStandaloneSSEStream();
            // Without a number the SDK gives nothing again, and takes an empty one for none (1.32.2).
            if (!request.headers['last-event-id']) {
                this.stream.sendAgain(this.sent.takeUnconfirmed());
            }
            this.stream.expect(response);
        }
        await this.transport.handleRequest(request, response);
    }

    /** Delivered now, or when the client's stream is there again. */
    notify(notification: CompanionNotification): void {
        if (this.currentState === 'closed') {
            return;
        }
        if (!this.stream.push(notification)) {
            void this.close();
        }
    }

    /** What has not reached the CLI yet of earlier diffs of this file. */
    forgetOutcomes(filePath: string): void {
        this.stream.forget(filePath);
        this.sent.forget(filePath);
    }

    /** Lets the outcomes that this session could not deliver go to another one of the same process. */
    handOutcomesTo(successor: McpSession): void {
        this.stream.takeOutcomes().forEach(outcome => successor.notify(outcome));
    }

    /** The outcomes that are not known to have arrived, taken out. */
    takeUndelivered(): CompanionNotification[] {
        return [...this.sent.takeUnconfirmed(), ...this.stream.takeOutcomes()];
    }

    /** Ends the stream cleanly: a cut one would show in the CLI as an error. */
    async close(): Promise<void> {
        if (this.currentState === 'closed') {
            return;
        }
        this.cancelTimers();
        this.setState('closed');
        this.stream.end();
        this.stateEmitter.dispose();
        await this.server.close();
    }

    private serveTools(): void {
        // The handlers by hand: McpServer.registerTool answers an unknown tool with a result, where the protocol has an error.
        this.server.server.registerCapabilities({ tools: {} });
        this.server.server.setRequestHandler(ListToolsRequestSchema, () => ({
            tools: [...this.tools.values()].map(({ name, description, schema }) => ({
                name,
                description,
                inputSchema: z.toJSONSchema(schema) as Tool['inputSchema']
            }))
        }));
        this.server.server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
            const tool = this.tools.get(params.name);
            if (!tool) {
                throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
            }
            const parsed = tool.schema.safeParse(params.arguments ?? {});
            return parsed.success ? tool.call(parsed.data, this) : toolFailure(`${tool.name}: ${z.prettifyError(parsed.error)}`);
        });
    }

    private async send({ method, params }: CompanionNotification): Promise<void> {
        await this.server.server.notification({ method, params: { ...params } });
        if (method !== 'ide/contextUpdate') {
            void this.askWhetherArrived();
        }
    }

    /**
     * Lets go of the outcomes that the client has got. What is written to a socket may never be read, but a stream keeps its order: a
     * client that answers a ping has got all that was sent before it.
     */
    private async askWhetherArrived(): Promise<void> {
        const { newestOutcome } = this.sent;
        if (newestOutcome !== undefined) {
            // The answer to an earlier one would say less, or was lost with a stream.
            this.asking?.abort();
            this.asking = new AbortController();
            // A CLI that was stopped answers when it goes on.
            const options = { timeout: LONGEST_TIMER, signal: this.asking.signal };
            this.expectAnswer();
            await this.server.server.request({ method: 'ping' }, EmptyResultSchema, options).then(
                () => this.answered(newestOutcome),
                () => undefined
            );
        }
    }

    private answered(outcome: number): void {
        this.asking = undefined;
        this.sent.confirm(outcome);
        if (this.stream.isReading) {
            this.reached();
        }
    }

    private reached(): void {
        if (this.currentState !== 'closed') {
            this.cancelTimers();
            this.setState('streaming');
        }
    }

    private expectStream(): void {
        this.expectAnswer();
        clearTimeout(this.closeTimer);
        this.closeTimer = setTimeout(() => void this.close(), this.timings.closed).unref();
    }

    /** A CLI that is stopped (Ctrl+Z) reads nothing, and goes on where it was: its session stays as long as the connection does. */
    private expectAnswer(): void {
        clearTimeout(this.goneTimer);
        this.goneTimer = setTimeout(() => this.setState('gone'), this.timings.gone).unref();
    }

    private cancelTimers(): void {
        clearTimeout(this.goneTimer);
        clearTimeout(this.closeTimer);
    }

    private setState(state: SessionState): void {
        if (this.currentState !== state) {
            this.currentState = state;
            this.stateEmitter.fire(state);
        }
    }
}

/** Whether the SDK will open a stream for this GET (1.32.2): one that it refuses must not end the stream that is there. */
function asksForStream({ headers }: IncomingMessage): boolean {
    const version = headers['mcp-protocol-version'];
    return (
        (headers.accept ?? '').includes('text/event-stream') &&
        (version === undefined || (typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version)))
    );
}
