// SPDX-License-Identifier: Apache-2.0
// npm run mcp-suite: the official MCP conformance suite against a live server, behind a proxy that adds the token.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineOf, NODE, Problem, ROOT, run, runScript, start, tool } from './script.mjs';

await runScript(async () => {
    const server = start([NODE, 'companion-extension/lib/node/test/conformance-server.js'], { stdin: 'pipe', buffer: false });
    const url = await lineOf(server, /^http:.*/);
    if (!url) {
        throw new Problem('The server for the conformance suite has ended by itself.');
    }
    const results = mkdtempSync(join(tmpdir(), 'mcp-suite-'));
    const expected = join(ROOT, 'configs', 'conformance', 'mcp-suite-expected-failures.yml');
    const args = ['server', '--url', url[0], '--suite', 'all', '--expected-failures', expected, '-o', results];
    try {
        const { exitCode } = await run([NODE, tool('@modelcontextprotocol/conformance/dist/index.js'), ...args], { cwd: results });
        if (exitCode !== 0) {
            throw new Problem('The conformance suite has found something unexpected: see above.');
        }
    } finally {
        rmSync(results, { recursive: true, force: true });
    }
});
