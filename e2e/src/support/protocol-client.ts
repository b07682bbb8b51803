// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResult, NotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { DiscoveryFile, DiscoveryFiles } from './discovery-files';
import { eventually } from './eventually';
import { IdeFixture } from './ide-fixture';

export interface ReceivedNotification {
    readonly method: string;
    readonly params: Record<string, unknown>;
}

export interface ContextFile {
    readonly path: string;
    readonly timestamp: number;
    readonly isActive?: boolean;
    readonly cursor?: { line: number; character: number };
    readonly selectedText?: string;
}

/** The official MCP client, connected the way the CLIs connect: with what a discovery file says. */
export class ProtocolClient {
    readonly received: ReceivedNotification[] = [];
    readonly errors: Error[] = [];
    /** Called as each notification arrives, for those who take the time of it. */
    onReceive: ((notification: ReceivedNotification) => void) | undefined;
    private readonly client = new Client({ name: 'streamable-http-client', version: '1.0.0' });

    private constructor(
        /** Of the server. */
        readonly port: number
    ) {
        this.client.onerror = error => this.errors.push(error);
        this.client.fallbackNotificationHandler = async notification => {
            const { method, params } = NotificationSchema.parse(notification);
            const received = { method, params: params ?? {} };
            this.received.push(received);
            this.onReceive?.(received);
            if (method === 'ide/diffAccepted') {
                await write(received.params);
            }
        };
    }

    static async connect(ide: IdeFixture, kind: 'gemini' | 'qwen-lock' = 'gemini'): Promise<ProtocolClient> {
        const file = (await new DiscoveryFiles(ide).published()).find(candidate => candidate.kind === kind);
        if (!file) {
            throw new Error(`There is no discovery file of the kind ${kind}`);
        }
        return this.connectTo(file);
    }

    static async connectTo(file: DiscoveryFile): Promise<ProtocolClient> {
        const client = new ProtocolClient(file.port);
        const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${file.content.port}/mcp`), {
            requestInit: { headers: { Authorization: `Bearer ${file.content.authToken}` } }
        });
        await client.client.connect(transport);
        return client;
    }

    /** Names of the tools that the session is offered. */
    async tools(): Promise<string[]> {
        return (await this.client.listTools()).tools.map(({ name }) => name);
    }

    openDiff(filePath: string, newContent: string): Promise<CallToolResult> {
        return this.client.callTool({ name: 'openDiff', arguments: { filePath, newContent } }) as Promise<CallToolResult>;
    }

    closeDiff(filePath: string, suppressNotification?: boolean): Promise<CallToolResult> {
        return this.client.callTool({ name: 'closeDiff', arguments: { filePath, suppressNotification } }) as Promise<CallToolResult>;
    }

    /** Outcomes of the reviews of a file, in the order in which they came. */
    outcomes(filePath: string): ReceivedNotification[] {
        return this.received.filter(({ method, params }) => /^ide\/diff/.test(method) && params.filePath === filePath);
    }

    async waitForOutcome(filePath: string): Promise<ReceivedNotification> {
        return eventually(`the outcome of the review of ${filePath}`, () => this.outcomes(filePath)[0], {
            state: () => JSON.stringify(this.received, undefined, 1)
        });
    }

    /**
     * What has come by the time that the server has answered one more request: nothing that it sent earlier is still on its way. What a
     * page says may be still on its way to the server: see `settled-outcomes.ts`.
     */
    async settledOutcomes(filePath: string): Promise<ReceivedNotification[]> {
        await this.client.ping();
        return this.outcomes(filePath);
    }

    /** Every context so far, as its list of files. */
    get contexts(): ContextFile[][] {
        return this.received
            .filter(({ method }) => method === 'ide/contextUpdate')
            .map(({ params }) => (params.workspaceState as { openFiles?: ContextFile[] } | undefined)?.openFiles ?? []);
    }

    get newestContext(): ContextFile[] | undefined {
        return this.contexts.at(-1);
    }

    /** What the newest context says of the workspace's trust; `undefined` where it says nothing. */
    get trusted(): unknown {
        const newest = this.received.filter(({ method }) => method === 'ide/contextUpdate').at(-1);
        return (newest?.params.workspaceState as { isTrusted?: unknown } | undefined)?.isTrusted;
    }

    /** Waits for the newest context to be as wanted. */
    async waitForContext(what: string, isWanted: (files: ContextFile[]) => boolean): Promise<ContextFile[]> {
        return eventually(
            what,
            () => {
                const files = this.newestContext;
                return files && isWanted(files) ? files : undefined;
            },
            { state: () => `The contexts so far:\n${this.contexts.map(files => JSON.stringify(files)).join('\n')}` }
        );
    }

    /** Ends as the CLIs do: the sockets close. */
    disconnect(): Promise<void> {
        return this.client.close();
    }
}

/** As the CLIs do. A test proposes changes to what cannot be written, too. */
async function write({ filePath, content }: Record<string, unknown>): Promise<void> {
    await fs.mkdir(path.dirname(String(filePath)), { recursive: true }).catch(() => undefined);
    await fs.writeFile(String(filePath), String(content)).catch(() => undefined);
}
