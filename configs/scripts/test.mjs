// SPDX-License-Identifier: Apache-2.0
// npm test: runs every kind of test, also after one has failed; fails at the end if any did.

import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem, run, runScript, say } from './script.mjs';
import { joinRuns } from './set-up.cjs';

/** Of the names of scripts in `package.json` this one has two workers. */
const BROWSER = 'test:e2e';
/**
 * Each list runs beside the others: the browser's and the integration tests wait a good part of their time, for processes and limits. The
 * latter are `test:integration` in parts: a process of git costs the more the larger the process is that starts it, so the specs that start
 * thousands have one of their own. The lists take about as long as each other.
 */
const BESIDE = [
    [BROWSER],
    ['test:changes', 'test:scripts', 'format:check', 'test:daemon'],
    ['lint', 'test:unit', 'test:fuzz', 'test:mcp', 'lock-check', 'requirements:check', 'test:servers']
];
/** The longest that one of them may take. The slowest takes ten minutes on two cores. */
const TEST_LIMIT_MS = 40 * 60_000;

await runScript(async () => {
    joinRuns();
    const notes = mkdtempSync(join(tmpdir(), 'companion-tests-'));
    const results = [];
    try {
        const runAll = async names => {
            for (const name of names) {
                results.push(await test(name, notes));
            }
        };
        await Promise.all(BESIDE.map(runAll));
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

async function test(name, notes) {
    const isLive = name === BROWSER;
    if (isLive) {
        say(`\n== ${name}`);
    }
    const since = Date.now();
    const failuresFile = join(notes, `${name.replace(':', '-')}.txt`);
    const outputFile = join(notes, `${name.replace(':', '-')}.log`);
    // A file, not a pipe: a process that a test left behind would hold the pipe open after its end.
    const output = isLive ? 'inherit' : openSync(outputFile, 'w');
    const result = await run(['npm', 'run', '--silent', name], {
        env: { TEST_FAILURES_FILE: failuresFile },
        stdout: output,
        stderr: output,
        timeout: TEST_LIMIT_MS
    });
    if (!isLive) {
        closeSync(output);
        // Steps at the same time would mix what they print; mocha's workers print a file at a time.
        say(`\n== ${name}\n${readFileSync(outputFile, 'utf8')}`);
    }
    const failures = existsSync(failuresFile) ? readFileSync(failuresFile, 'utf8').trimEnd().split('\n') : [];
    if (result.timedOut) {
        failures.push(`It did not end within ${TEST_LIMIT_MS / 60_000} minutes.`);
    }
    return { name, passed: result.exitCode === 0, seconds: Math.round((Date.now() - since) / 1000), failures };
}
