// SPDX-License-Identifier: Apache-2.0

import { WebSocket } from '@theia/core/shared/ws';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SocketTransport } from '../claude/socket-transport';
import { ClaudeFamily } from '../discovery/claude-family';
import { FoundFile } from '../discovery/found-files';
import { MCP_PATH } from '../mcp/http-gate';
import { PROBE, PROBE_HEADER } from '../mcp/mcp-sessions';

/** In milliseconds. The server is on this machine. */
const LIMIT = 5_000;

/**
 * Connects as a CLI does, with what it found, and ends the session. Rejects if it fails.
 *
 * @param own whether the server is one of this backend's, which then tells nobody. Others learn nothing by which they could do the same
 * @param family of the CLI, if it does not come by HTTP
 * @returns the tools that are offered
 */
export async function shakeHands(
    { port, token }: Pick<FoundFile, 'port' | 'token'>,
    own: boolean,
    family?: ClaudeFamily
): Promise<string[]> {
    const probe: Record<string, string> = own ? { [PROBE_HEADER]: PROBE } : {};
    const transport = family
        ? await openSocket(port, { [family.tokenHeader]: token, ...probe })
        : new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}${MCP_PATH}`), {
              requestInit: { headers: { Authorization: `Bearer ${token}`, ...probe } }
          });
    const client = new Client({ name: 'theia-cli-companion-doctor', version: '1.0.0' });
    try {
        await client.connect(transport, { timeout: LIMIT });
        const { tools } = await client.listTools(undefined, { timeout: LIMIT });
        return tools.map(({ name }) => name);
    } finally {
        if (transport instanceof StreamableHTTPClientTransport) {
            await transport.terminateSession().catch(() => undefined);
        }
        await client.close();
    }
}

async function openSocket(port: number, headers: Record<string, string>): Promise<SocketTransport> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, 'mcp', { headers, handshakeTimeout: LIMIT });
    await new Promise<void>((resolve, reject) => {
        socket.once('open', resolve);
        // As an error of the HTTP client has it.
        socket.once('unexpected-response', (_, { statusCode = 0 }) => {
            socket.terminate();
            reject(Object.assign(new Error(`Status ${statusCode}`), { code: statusCode }));
        });
        socket.once('error', reject);
    });
    return new SocketTransport(socket);
}
