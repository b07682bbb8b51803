#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Stands in for a CLI with a model: "write FILE TEXT" proposes a text for a file, and writes what comes back.

import { readFileSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join, resolve } from 'path';
import { createInterface } from 'readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { NotificationSchema } from '@modelcontextprotocol/sdk/types.js';

interface Discovered {
    port: number;
    authToken: string;
    ideInfo: { displayName: string };
}

interface OpenFile {
    path: string;
    isActive?: boolean;
}

function say(line: string): void {
    process.stdout.write(`${line}\n`);
}

function told(method: string, params: Record<string, unknown> = {}): void {
    if (method === 'ide/contextUpdate') {
        const { openFiles = [] } = (params['workspaceState'] ?? {}) as { openFiles?: OpenFile[] };
        const active = openFiles.find(({ isActive }) => isActive);
        say(active ? `You look at ${active.path}` : 'You look at no file');
    } else if (method === 'ide/diffAccepted') {
        writeFileSync(String(params['filePath']), String(params['content']));
        say(`Wrote ${params['filePath']}`);
    } else if (method === 'ide/diffRejected') {
        say(`Wrote nothing into ${params['filePath']}`);
    }
}

async function main(): Promise<void> {
    const file = join(tmpdir(), 'acme-agent', 'ide', `${process.env['ACME_AGENT_IDE_PORT']}.json`);
    const { port, authToken, ideInfo } = JSON.parse(readFileSync(file, 'utf8')) as Discovered;
    const client = new Client({ name: 'acme-agent', version: '1.0.0' });
    client.fallbackNotificationHandler = async notification => {
        const { method, params } = NotificationSchema.parse(notification);
        told(method, params);
    };
    await client.connect(
        new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
            requestInit: { headers: { Authorization: `Bearer ${authToken}` } }
        })
    );
    say(`Connected to ${ideInfo.displayName}. Type: write FILE TEXT`);
    for await (const line of createInterface({ input: process.stdin })) {
        const [, name, newContent] = /^write (\S+) (.*)$/.exec(line.trim()) ?? [];
        if (name) {
            const filePath = resolve(name);
            const { isError, content } = await client.callTool({
                name: 'openDiff',
                arguments: { filePath, newContent: `${newContent}\n` }
            });
            if (isError) {
                say(JSON.stringify(content));
            }
        }
    }
    await client.close();
}

main().catch((error: Error) => {
    say(error.message);
    process.exit(1);
});
