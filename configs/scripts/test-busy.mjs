// SPDX-License-Identifier: Apache-2.0
// npm run test:busy -- N: the browser and integration tests N times (5 by default), beside two busy loops. Lists each case that was ever red.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE, Problem, run, runScript, say, start } from './script.mjs';
import { joinRuns } from './set-up.cjs';

const SUITES = ['test:e2e', 'test:integration'];
const BUSY_LOOPS = 2;
/** The longest that a suite may take beside the loops. */
const SUITE_LIMIT_MS = 90 * 60_000;

await runScript(async () => {
    const times = Number(process.argv[2] ?? 5);
    if (!Number.isInteger(times) || times < 1) {
        throw new Problem(`How often? "${process.argv[2]}" is not a number of runs.`);
    }
    joinRuns();
    for (let loop = 0; loop < BUSY_LOOPS; loop++) {
        start([NODE, '-e', 'for (;;) {}'], { stdout: 'ignore', stderr: 'ignore', all: false });
    }
    const notes = mkdtempSync(join(tmpdir(), 'companion-busy-'));
    /** In how many runs a case was red, by its first line. */
    const red = new Map();
    try {
        for (let time = 1; time <= times; time++) {
            for (const suite of SUITES) {
                say(`\n== ${suite}, run ${time} of ${times}`);
                const file = join(notes, `${suite.replace(':', '-')}-${time}.txt`);
                const { exitCode } = await run(['npm', 'run', '--silent', suite], {
                    env: { TEST_FAILURES_FILE: file },
                    timeout: SUITE_LIMIT_MS
                });
                const failures = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
                if (exitCode !== 0 && failures.length === 0) {
                    failures.push(`${suite}: it ended with ${exitCode ?? 'its limit of time'}, and no case is red`);
                }
                failures.forEach(failure => red.set(failure, (red.get(failure) ?? 0) + 1));
            }
        }
    } finally {
        rmSync(notes, { recursive: true, force: true });
    }
    say(`\n== ever red in ${times} runs: ${red.size}`);
    red.forEach((count, failure) => say(`${count} of ${times}  ${failure}`));
    if (red.size > 0) {
        throw new Problem('Mend the product or the test, whichever is wrong.');
    }
});
