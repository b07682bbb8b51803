// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

const STEPS = `
import { runVisibly } from ${JSON.stringify(new URL('./processes.mjs', import.meta.url).href)};
import { runScript, say } from ${JSON.stringify(new URL('./script.mjs', import.meta.url).href)};
const step = code => runVisibly([process.execPath, '-e', code]);
await runScript(async () => {
    await step("console.log('first'); setInterval(() => {}, 1000)");
    await step("console.log('second')");
    say('third');
});
`;

describe('a script of several steps', () => {
    let folder;

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'script-'))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('begins none of them after Ctrl+C', async () => {
        const file = join(folder, 'steps.mjs');
        writeFileSync(file, STEPS);
        const script = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
        let output = '';
        for (const stream of [script.stdout, script.stderr]) {
            stream.setEncoding('utf8').on('data', chunk => {
                output += chunk;
                if (chunk.includes('first')) {
                    script.kill('SIGINT');
                }
            });
        }
        const [code] = await once(script, 'close');
        expect({ code, output }).to.deep.equal({ code: 130, output: 'first\n' });
    });
});
