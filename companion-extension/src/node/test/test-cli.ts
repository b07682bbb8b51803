// SPDX-License-Identifier: Apache-2.0

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResult, NotificationSchema } from '@modelcontextprotocol/sdk/types.js';

/** Generous, since a wait ends as soon as its condition holds: beside other work a look of git took ten seconds. */
const WAIT_LIMIT_MS = 30_000;

export interface ReceivedNotification {
    readonly method: string;
    readonly params?: Record<string, unknown>;
}

/** A CLI as the server sees one: the official MCP client, which both CLIs use. */
export class TestCli {
    readonly received: ReceivedNotification[] = [];
    readonly errors: Error[] = [];
    readonly client = new Client({ name: 'streamable-http-client', version: '1.0.0' });

    private readonly transport: StreamableHTTPClientTransport;
    private streamAbort = new AbortController();
    private streamMute = new AbortController();

    private constructor(port: number, token: string, initialReconnectionDelay: number) {
        this.transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
            reconnectionOptions: {
                initialReconnectionDelay,
                maxReconnectionDelay: 30_000,
                reconnectionDelayGrowFactor: 1.5,
                maxRetries: 2
            },
            requestInit: { headers: { Authorization: `Bearer ${token}` } },
            fetch: (url, init) => (init?.method === 'GET' ? this.openStream(url, init) : fetch(url, init))
        });
        this.client.onerror = error => this.errors.push(error);
        this.client.fallbackNotificationHandler = async notification => {
            this.received.push(NotificationSchema.parse(notification) as ReceivedNotification);
        };
    }

    /** @param reconnectionDelay milliseconds until a stream that was cut is opened again; both CLIs wait as long as the default */
    static async connect(port: number, token: string, reconnectionDelay = 1_000): Promise<TestCli> {
        const cli = new TestCli(port, token, reconnectionDelay);
        await cli.client.connect(cli.transport);
        return cli;
    }

    get sessionId(): string | undefined {
        return this.transport.sessionId;
    }

    openDiff(filePath: unknown, newContent: unknown): Promise<CallToolResult> {
        return this.client.callTool({ name: 'openDiff', arguments: { filePath, newContent } }) as Promise<CallToolResult>;
    }

    closeDiff(filePath: string, suppressNotification?: boolean): Promise<CallToolResult> {
        return this.client.callTool({ name: 'closeDiff', arguments: { filePath, suppressNotification } }) as Promise<CallToolResult>;
    }

    /** Waits for the first notification of this method that was not waited for yet. */
    async next(method: string): Promise<ReceivedNotification> {
        const found = await eventually(`${method} to arrive`, () => this.received.find(notification => notification.method === method));
        this.received.splice(this.received.indexOf(found), 1);
        return found;
    }

    /** What has come by the time that the server has answered one more request on this session. */
    async settled(): Promise<readonly ReceivedNotification[]> {
        await this.client.ping();
        return this.received;
    }

    /** As a proxy would; the client comes back after a second. */
    cutStream(): void {
        this.streamAbort.abort();
    }

    /** What comes on the present stream is lost from now on, and the server does not know. */
    muteStream(): void {
        this.streamMute.abort();
    }

    /** Ends as the CLIs do: the sockets close, no DELETE is sent. */
    disconnect(): Promise<void> {
        return this.client.close();
    }

    /** Asks the server to end the session. */
    terminate(): Promise<void> {
        return this.transport.terminateSession();
    }

    private async openStream(url: string | URL, init: RequestInit): Promise<Response> {
        this.streamAbort = new AbortController();
        const { signal: mute } = (this.streamMute = new AbortController());
        const signal = init.signal ? AbortSignal.any([init.signal, this.streamAbort.signal]) : this.streamAbort.signal;
        const response = await fetch(url, { ...init, signal });
        const heard = new TransformStream<Uint8Array, Uint8Array>({
            transform: (chunk, controller) => (mute.aborted ? undefined : controller.enqueue(chunk))
        });
        return new Response(response.body?.pipeThrough(heard), response);
    }
}

/**
 * Polls until there is something. Its arguments are in the order of the same function of the browser tests.
 *
 * @param what is waited for, for the message if it does not come within {@link WAIT_LIMIT_MS}
 */
export async function eventually<T>(what: string, probe: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
    const end = Date.now() + WAIT_LIMIT_MS;
    for (;;) {
        const found = await probe();
        if (found !== undefined && found !== false) {
            return found;
        }
        if (Date.now() > end) {
            throw new Error(`Waited ${WAIT_LIMIT_MS / 1000} s in vain for ${what}`);
        }
        await new Promise(resolve => setTimeout(resolve, 20));
    }
}
