// SPDX-License-Identifier: Apache-2.0

import { readdirSync, readFileSync } from 'fs';
import * as http from 'http';
import * as path from 'path';
import { Readable } from 'stream';
import { ReadableStream } from 'stream/web';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResult, NotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { eventually, ReceivedNotification } from './test-cli';

export interface CopilotLock {
    readonly file: string;
    readonly socketPath: string;
    readonly scheme: string;
    readonly headers: { readonly Authorization: string };
    readonly pid: number;
    readonly ideName: string;
    readonly timestamp: number;
    readonly workspaceFolders: string[];
    readonly isTrusted?: boolean;
}

/** The locks of a HOME, as Copilot CLI reads them. */
export function readCopilotLocks(home: string): CopilotLock[] {
    const folder = path.join(home, '.copilot', 'ide');
    return readdirSync(folder)
        .filter(name => name.endsWith('.lock'))
        .map(name => path.join(folder, name))
        .map(file => ({ file, ...JSON.parse(readFileSync(file, 'utf8')) }));
}

export interface DiffAnswer {
    readonly success: boolean;
    readonly result: string;
}

/** Copilot CLI as the server sees it: the official MCP client over a socket, with bodies whose length it does not say. */
export class CopilotClient {
    readonly received: ReceivedNotification[] = [];
    readonly client = new Client({ name: 'copilot-cli', version: '1.0.102' });
    private readonly transport: StreamableHTTPClientTransport;
    private readonly agent = new http.Agent();

    private constructor({ socketPath, headers }: Pick<CopilotLock, 'socketPath' | 'headers'>, pid: number) {
        this.transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
            requestInit: { headers: { ...headers, 'X-Copilot-PID': String(pid) } },
            fetch: (_url, init) => this.fetch(socketPath, init)
        });
        this.client.fallbackNotificationHandler = async notification => {
            this.received.push(NotificationSchema.parse(notification) as ReceivedNotification);
        };
    }

    static async connect(lock: Pick<CopilotLock, 'socketPath' | 'headers'>, pid = process.pid): Promise<CopilotClient> {
        const cli = new CopilotClient(lock, pid);
        await cli.client.connect(cli.transport);
        return cli;
    }

    /** Settles when the user has answered. */
    openDiff(filePath: string, newContent: string, tabName = `tab of ${filePath}`): Promise<DiffAnswer> {
        return this.call('open_diff', {
            original_file_path: filePath,
            new_file_contents: newContent,
            tab_name: tabName
        }) as Promise<DiffAnswer>;
    }

    /** @returns the JSON of the result, or the text of an error */
    async call(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
        const result = (await this.client.callTool({ name, arguments: args })) as CallToolResult;
        const [item] = result.content;
        const text = item.type === 'text' ? item.text : '';
        return result.isError ? text : JSON.parse(text);
    }

    /** Waits for the first notification of this method that was not waited for yet. */
    async next(method: string): Promise<ReceivedNotification> {
        const found = await eventually(`${method} to arrive`, () => this.received.find(notification => notification.method === method));
        this.received.splice(this.received.indexOf(found), 1);
        return found;
    }

    /** Ends as the CLI does. */
    async end(): Promise<void> {
        await this.transport.terminateSession().catch(() => undefined);
        await this.kill();
    }

    async kill(): Promise<void> {
        await this.client.close();
        this.agent.destroy();
    }

    private fetch(socketPath: string, { method, headers, body, signal }: RequestInit = {}): Promise<Response> {
        return new Promise((resolve, reject) => {
            const options = { socketPath, path: '/mcp', method, agent: this.agent, ...(signal && { signal }) };
            const request = http.request(options, response => {
                const { statusCode: status = 0 } = response;
                const text = Readable.toWeb(response) as ReadableStream<Uint8Array> as BodyInit;
                const isEmpty = [202, 204].includes(status);
                resolve(new Response(isEmpty ? null : text, { status, headers: response.headers as Record<string, string> }));
                if (isEmpty) {
                    response.resume();
                }
            });
            new Headers(headers).forEach((value, name) => request.setHeader(name, value));
            request.on('error', reject);
            // In a piece of its own, so that Node says no length.
            request.flushHeaders();
            request.end(body);
        });
    }
}
