// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { IncomingMessage, ServerResponse } from 'http';
import { Emitter } from '@theia/core/lib/common/event';
import { getRequestListener } from '@hono/node-server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { EmptyResultSchema, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { IdeContext } from '../../common/companion-protocol';
import { PeerProcess } from '../host/process-table';
import { CliSession, CliSessionState, CompanionNotification, ReviewOutcome, ToldToSession } from '../server/cli-session';
import { MAX_BODY_BYTES } from '../http/http-gate';
import { Outbox } from './outbox';
import { OutboundStream } from './outbound-stream';
import { CompanionTool, ToolServer } from './tool-server';

/** In milliseconds; Node takes a longer one for none. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** In milliseconds. */
export interface SessionTimings {
    /** How long a stream may be lost before the session's CLI counts as gone. */
    readonly gone: number;
    /** How long it may be lost before the session is closed. No CLI sends DELETE (Gemini CLI 0.61, Qwen Code 0.24). */
    readonly closed: number;
    /** Between two comments on a silent stream; the CLIs cut one that is silent for 300 s. */
    readonly keepAlive: number;
}

/**
 * - `opened`: the client's stream is open
 * - `reads`: a client that had stopped reading reads on, answers, or asks for something
 * - `lost`: the stream has ended
 * - `silent`: for {@link SessionTimings.gone} there was no stream, or the client read nothing
 * - `ended`: for {@link SessionTimings.closed} there was no stream, or the session is closed for another reason
 */
type SessionEvent = 'opened' | 'reads' | 'lost' | 'silent' | 'ended';

/** The state machine of a session. An event that a state does not list changes nothing. */
const NEXT_STATE: Readonly<Record<CliSessionState, Partial<Record<SessionEvent, CliSessionState>>>> = {
    initialised: { opened: 'streaming', silent: 'gone', ended: 'closed' },
    streaming: { lost: 'lost', silent: 'gone', ended: 'closed' },
    lost: { opened: 'streaming', silent: 'gone', ended: 'closed' },
    gone: { opened: 'streaming', reads: 'streaming', lost: 'lost', ended: 'closed' },
    closed: {}
};

/** One MCP session of one CLI, with its own server and transport: a shared one leaks answers across clients (CVE-2026-25536). */
export class McpSession implements CliSession {
    /** The CLI's process, once it is found. */
    peer: PeerProcess | undefined;

    gaveUp = false;

    readonly since = Date.now();

    /** When a request of this session last came, in milliseconds since the epoch. */
    lastUsed = Date.now();

    state: CliSessionState = 'initialised';
    told: ToldToSession | undefined;
    protected readonly server: ToolServer<CliSession>;
    protected readonly transport: WebStandardStreamableHTTPServerTransport;
    protected readonly outbox = new Outbox();
    protected readonly stream = new OutboundStream(this.outbox, notification => this.send(notification), {
        handleOpened: () => {
            this.markReached('opened');
            void this.askWhetherArrived();
        },
        handleStalled: () => this.expectAnswer(),
        handleDrained: () => this.markReached('reads'),
        handleLost: () => {
            if (this.state !== 'closed') {
                this.handleEvent('lost');
                this.expectStream();
            }
        }
    });
    /** The ping that is not answered yet. */
    protected asking: AbortController | undefined;
    protected goneTimer: NodeJS.Timeout | undefined;
    protected closeTimer: NodeJS.Timeout | undefined;

    protected readonly onDidChangeStateEmitter = new Emitter<CliSessionState>();
    readonly onDidChangeState = this.onDidChangeStateEmitter.event;

    constructor(
        readonly cliId: string,
        /** Name and version as the CLIs see them. */
        serverInfo: { name: string; version: string },
        tools: () => Promise<ReadonlyArray<CompanionTool<CliSession>>>,
        protected readonly timings: SessionTimings,
        onInitialised: (session: McpSession) => void
    ) {
        this.server = new ToolServer<CliSession>(serverInfo, tools, this);
        this.transport = new WebStandardStreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: () => onInitialised(this),
            onsessionclosed: () => this.close(),
            maxRequestBodySize: MAX_BODY_BYTES,
            eventStore: this.outbox,
            keepAliveMs: timings.keepAlive
        });
    }

    /** Empty until the client has initialised the session. */
    get id(): string {
        return this.transport.sessionId ?? '';
    }

    get gone(): boolean {
        return this.state === 'gone' || this.state === 'closed';
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
        } else if (this.stream.isReading) {
            // The answer to a ping may have been lost.
            this.markReached('reads');
        }
        const opensStream = request.method === 'GET' && asksForStream(request);
        if (opensStream) {
            this.expectNewStream(request, response);
        }
        const answer = async (webRequest: Request): Promise<Response> => {
            const webResponse = await this.respond(webRequest);
            // The SDK says keep-alive, whatever the listener allows (1.32.2).
            webResponse.headers.set('Connection', 'close');
            if (opensStream && webResponse.status === 200) {
                // Has the head written at once, and not only when a first message is there or two turns have passed (hono 2.1).
                webResponse.headers.set('Transfer-Encoding', 'chunked');
                setImmediate(() => this.stream.open(response));
            }
            return webResponse;
        };
        await getRequestListener(answer, { overrideGlobalObjects: false })(request, response);
    }

    protected respond(request: Request): Promise<Response> {
        return this.transport.handleRequest(request);
    }

    /** Delivered now, or when the client's stream is there again. */
    notify(notification: CompanionNotification): boolean {
        if (this.state === 'closed') {
            return false;
        }
        const taken = this.stream.push(notification);
        if (!taken) {
            void this.close();
        }
        return taken;
    }

    forgetOutcomes(filePath: string): void {
        this.outbox.forget(filePath);
    }

    takeUndelivered(): ReviewOutcome[] {
        return this.outbox.takeUndelivered();
    }

    /** Ends the stream cleanly: a cut one would show in the CLI as an error. */
    async close(): Promise<void> {
        if (this.state === 'closed') {
            return;
        }
        this.cancelTimers();
        this.handleEvent('ended');
        this.stream.end();
        this.onDidChangeStateEmitter.dispose();
        await this.server.close();
    }

    /** A client that lost its stream comes back before the SDK has noticed, and would get a 409 that it does not recover from. */
    protected expectNewStream(request: IncomingMessage, response: ServerResponse): void {
        this.stream.detach();
        this.transport.closeStandaloneSSEStream();
        // Without a number the SDK gives nothing again, and takes an empty one for none (1.32.2).
        if (!request.headers['last-event-id']) {
            this.outbox.sendAgain();
        }
        this.stream.expect(response);
    }

    protected async send({ method, params }: CompanionNotification): Promise<void> {
        if (method === 'ide/contextUpdate') {
            await this.sendContext(params);
            this.told = { context: params, at: Date.now() };
        } else {
            await this.tell(method, params);
            void this.askWhetherArrived();
        }
    }

    protected sendContext(context: IdeContext): Promise<void> {
        return this.tell('ide/contextUpdate', specified(context));
    }

    protected async tell(method: string, params: object): Promise<void> {
        await this.server.server.notification({ method, params: { ...params } });
    }

    /**
     * Lets go of the outcomes that the client has got. What is written to a socket may never be read, but a stream keeps its order: a
     * client that answers a ping has got all that was sent before it.
     */
    protected async askWhetherArrived(): Promise<void> {
        const { newestSent } = this.outbox;
        if (newestSent !== undefined) {
            // The answer to an earlier one would say less, or was lost with a stream.
            this.asking?.abort();
            this.asking = new AbortController();
            // A CLI that was stopped answers when it continues.
            const options = { timeout: LONGEST_TIMER, signal: this.asking.signal };
            this.expectAnswer();
            await this.server.server.request({ method: 'ping' }, EmptyResultSchema, options).then(
                () => this.confirmOutcome(newestSent),
                () => undefined
            );
        }
    }

    protected confirmOutcome(outcome: number): void {
        this.asking = undefined;
        this.outbox.confirm(outcome);
        if (this.stream.isReading) {
            this.markReached('reads');
        }
    }

    protected markReached(event: 'opened' | 'reads'): void {
        this.cancelTimers();
        this.handleEvent(event);
    }

    protected expectStream(): void {
        this.expectAnswer();
        clearTimeout(this.closeTimer);
        this.closeTimer = setTimeout(() => void this.close(), this.timings.closed).unref();
    }

    /** A stopped CLI (Ctrl+Z) reads nothing and later continues where it was. Its session stays as long as its connection does. */
    protected expectAnswer(): void {
        clearTimeout(this.goneTimer);
        this.goneTimer = setTimeout(() => this.handleEvent('silent'), this.timings.gone).unref();
    }

    protected cancelTimers(): void {
        clearTimeout(this.goneTimer);
        clearTimeout(this.closeTimer);
    }

    protected handleEvent(event: SessionEvent): void {
        const next = NEXT_STATE[this.state][event];
        if (next) {
            this.state = next;
            this.onDidChangeStateEmitter.fire(next);
        }
    }
}

/** The context without what the specification does not have. */
function specified(context: IdeContext): IdeContext {
    const openFiles = context.workspaceState?.openFiles?.map(({ selection: _, ...file }) => file);
    return openFiles ? { workspaceState: { ...context.workspaceState, openFiles } } : context;
}

/** Whether the SDK will open a stream for this GET (1.32.2): one that it refuses must not end the stream that is there. */
function asksForStream({ headers }: IncomingMessage): boolean {
    const version = headers['mcp-protocol-version'];
    return (
        (headers.accept ?? '').includes('text/event-stream') &&
        (version === undefined || (typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version)))
    );
}
