// SPDX-License-Identifier: Apache-2.0
// npm run mcp-suite: the official MCP conformance suite against a live server, behind a proxy that adds the token.

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { compilePackage } from './compile.mjs';
import { runVisibly, start } from './processes.mjs';
import { NODE, ROOT } from './project.mjs';
import { atEnd, Problem, runScript } from './script.mjs';

await runScript(async () => {
    await compilePackage('companion-extension');
    const program = join(ROOT, 'companion-extension', 'lib', 'node', 'test', 'conformance-server.js');
    const server = start([NODE, program], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [url] = await Promise.race([
        new Promise(found => createInterface(server.child.stdout).once('line', line => found([line]))),
        server.exited.then(() => {
            throw new Problem('The server for the conformance suite has ended by itself.');
        })
    ]);
    const results = mkdtempSync(join(tmpdir(), 'mcp-suite-'));
    atEnd(() => rmSync(results, { recursive: true, force: true }));
    const suite = join(
        dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
        'dist',
        'index.js'
    );
    const expected = join(ROOT, 'configs', 'conformance', 'mcp-suite-expected-failures.yml');
    const args = ['server', '--url', url, '--suite', 'all', '--expected-failures', expected, '-o', results];
    const code = await runVisibly([NODE, suite, ...args], { cwd: results });
    if (code !== 0) {
        throw new Problem('The conformance suite has found something unexpected: see above.');
    }
});
