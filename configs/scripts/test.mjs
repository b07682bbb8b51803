// SPDX-License-Identifier: Apache-2.0
// npm test: runs every kind of test, also after one has failed; fails at the end if any did.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem, run, runScript, say } from './script.mjs';
import { joinRuns } from './set-up.cjs';

/** The names of scripts in `package.json`. This one has two workers. */
const BROWSER = 'test:e2e';
/** These run beside it, one after the other: its workers wait for each other's processes a part of the time. */
const QUICK = [
    'lint',
    'test:unit',
    'test:integration',
    'test:scripts',
    'format:check',
    'test:fuzz',
    'test:mcp',
    'lock-check',
    'requirements:check'
];

await runScript(async () => {
    joinRuns();
    const notes = mkdtempSync(join(tmpdir(), 'companion-tests-'));
    const results = [];
    try {
        const quick = async () => {
            for (const name of QUICK) {
                results.push(await test(name, notes, { stdout: 'pipe', stderr: 'pipe' }));
            }
        };
        const browser = async () => results.push(await test(BROWSER, notes, {}));
        await Promise.all([quick(), browser()]);
    } finally {
        rmSync(notes, { recursive: true, force: true });
    }
    say('\n== summary');
    for (const { name, passed, seconds, failures } of results) {
        say(`${passed ? 'passed' : 'FAILED'}  ${name} (${seconds} s)`);
        // Named here again: what a CI shows of a long log is its end.
        failures.forEach(failure => say(`          ${failure}`));
    }
    const failed = results.filter(({ passed }) => !passed).map(({ name }) => name);
    if (failed.length > 0) {
        throw new Problem(`Failed: ${failed.join(', ')}.`);
    }
});

async function test(name, notes, output) {
    const isLive = output.stdout === undefined;
    if (isLive) {
        say(`\n== ${name}`);
    }
    const since = Date.now();
    const file = join(notes, `${name.replace(':', '-')}.txt`);
    const { exitCode, all } = await run(['npm', 'run', '--silent', name], { env: { TEST_FAILURES_FILE: file }, ...output });
    if (!isLive) {
        // Steps at the same time would mix what they print; mocha's workers print a file at a time.
        say(`\n== ${name}\n${all}`);
    }
    const failures = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    return { name, passed: exitCode === 0, seconds: Math.round((Date.now() - since) / 1000), failures };
}
