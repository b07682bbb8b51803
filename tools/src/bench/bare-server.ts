// SPDX-License-Identifier: Apache-2.0
// The protocol's floor, in its own process: the official SDK on express, with two tools that do nothing. See `floors.ts`.

import { randomUUID } from 'crypto';
import { AddressInfo } from 'net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as express from '@theia/core/shared/express';
import { sampleText } from '../../../e2e/lib/support/sample-text';

const sessions = new Map<string, { server: Server; transport: StreamableHTTPServerTransport }>();
const proposals = new Map<string, string>();
const texts = new Map<number, string>();

function startSession(): StreamableHTTPServerTransport {
    const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given } }) => {
        const { filePath, newContent } = given as { filePath: string; newContent: string };
        if (name === 'openDiff') {
            proposals.set(filePath, newContent);
            return { content: [] };
        }
        return { content: [{ type: 'text', text: JSON.stringify({ content: proposals.get(filePath) }) }] };
    });
    const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => void sessions.set(id, { server, transport })
    });
    void server.connect(transport);
    return transport;
}

const app = express();
app.use(express.json({ limit: '20mb' }));
app.all('/mcp', (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    void (known?.transport ?? startSession()).handleRequest(request, response, request.body);
});
const listener = app.listen(0, '127.0.0.1', () => process.send?.((listener.address() as AddressInfo).port));

/** Sends every session a notification with a text of so many bytes. */
process.on('message', (bytes: number) => {
    const content = texts.get(bytes) ?? sampleText(bytes);
    texts.set(bytes, content);
    sessions.forEach(({ server }) => void server.notification({ method: 'bare', params: { bytes, content } }));
});
process.on('disconnect', () => process.exit());
