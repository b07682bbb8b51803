// SPDX-License-Identifier: Apache-2.0

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { FoundFile } from '../discovery/found-files';
import { MCP_PATH } from '../mcp/http-gate';
import { PROBE, PROBE_HEADER } from '../mcp/mcp-sessions';

/** In milliseconds. The server is on this machine. */
const LIMIT = 5_000;

/**
 * Connects as a CLI does, with what it found, and ends the session. Rejects if it fails.
 *
 * @param own whether the server is one of this backend's, which then tells nobody. Others learn nothing by which they could do the same
 * @returns the tools that are offered
 */
export async function shakeHands({ port, token }: Pick<FoundFile, 'port' | 'token'>, own: boolean): Promise<string[]> {
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}${MCP_PATH}`), {
        requestInit: { headers: { Authorization: `Bearer ${token}`, ...(own && { [PROBE_HEADER]: PROBE }) } }
    });
    const client = new Client({ name: 'theia-cli-companion-doctor', version: '1.0.0' });
    try {
        await client.connect(transport, { timeout: LIMIT });
        const { tools } = await client.listTools(undefined, { timeout: LIMIT });
        return tools.map(({ name }) => name);
    } finally {
        await transport.terminateSession().catch(() => undefined);
        await client.close();
    }
}
