// SPDX-License-Identifier: Apache-2.0

import { once } from 'events';
import { readdirSync, readFileSync } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { WebSocket } from '@theia/core/shared/ws';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResult, ListRootsRequestSchema, NotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { SocketTransport } from '../claude/socket-transport';
import { eventually, ReceivedNotification } from './test-cli';

export interface ClaudeLock {
    readonly port: number;
    readonly pid: number;
    readonly workspaceFolders: string[];
    readonly ideName: string;
    readonly transport: string;
    readonly authToken: string;
}

/** The locks of a HOME, as Claude Code reads them. */
export function readLocks(home: string): ClaudeLock[] {
    const folder = path.join(home, '.claude', 'ide');
    return readdirSync(folder)
        .filter(name => name.endsWith('.lock'))
        .map(name => ({ port: parseInt(name, 10), ...JSON.parse(readFileSync(path.join(folder, name), 'utf8')) }));
}

/** Claude Code as the server sees it: the official MCP client over a WebSocket. */
export class ClaudeClient {
    readonly received: ReceivedNotification[] = [];
    readonly client: Client;
    closed = false;
    /** Why the server has closed the connection. */
    reason = '';

    private constructor(
        readonly socket: WebSocket,
        name: string,
        folder: string
    ) {
        // OpenCode does not say its folder (1.18).
        const saysFolder = name !== 'opencode';
        this.client = new Client({ name, version: '1.0.0' }, { capabilities: saysFolder ? { roots: {} } : {} });
        if (saysFolder) {
            this.client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: FileUri.create(folder).toString() }] }));
        }
        this.client.fallbackNotificationHandler = async notification => {
            this.received.push(NotificationSchema.parse(notification) as ReceivedNotification);
        };
        socket.on('close', (_code, reason) => {
            this.closed = true;
            this.reason = String(reason);
        });
    }

    static async connect(
        { port, authToken }: Pick<ClaudeLock, 'port' | 'authToken'>,
        name = 'claude-code',
        folder = process.cwd(),
        pid = process.pid
    ): Promise<ClaudeClient> {
        const headers = { 'X-Claude-Code-Ide-Authorization': authToken };
        const socket = new WebSocket(`ws://127.0.0.1:${port}`, 'mcp', { headers, maxPayload: 0 });
        const cli = new ClaudeClient(socket, name, folder);
        await once(socket, 'open');
        await cli.client.connect(new SocketTransport(socket));
        await cli.client.notification({ method: 'ide_connected', params: { pid } });
        return cli;
    }

    /** Settles when the user has answered. */
    openDiff(filePath: string, newContent: string, tabName = `tab of ${filePath}`): Promise<string[]> {
        const paths = { old_file_path: filePath, new_file_path: filePath };
        return this.call('openDiff', { ...paths, new_file_contents: newContent, tab_name: tabName });
    }

    closeTab(tabName: string): Promise<string[]> {
        return this.call('close_tab', { tab_name: tabName });
    }

    /** @returns the texts of the result, after `error` if the tool failed */
    async call(name: string, args: Record<string, unknown> = {}): Promise<string[]> {
        const result = (await this.client.callTool({ name, arguments: args })) as CallToolResult;
        const texts = result.content.map(item => (item.type === 'text' ? item.text : item.type));
        return result.isError ? ['error', ...texts] : texts;
    }

    /** Waits for the first notification of this method that was not waited for yet. */
    async next(method: string): Promise<ReceivedNotification> {
        const found = await eventually(`${method} to arrive`, () => this.received.find(notification => notification.method === method));
        this.received.splice(this.received.indexOf(found), 1);
        return found;
    }

    /** As a CLI that is killed. */
    kill(): void {
        this.socket.terminate();
    }
}
