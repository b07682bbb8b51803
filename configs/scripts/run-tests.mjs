// SPDX-License-Identifier: Apache-2.0

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './browser.mjs';
import { runVisibly } from './processes.mjs';
import { NODE, npmCommand, packageFolders, readJson, ROOT, toolEnvironment } from './project.mjs';
import { atEnd, isEnding, Problem, say } from './script.mjs';
import { setUp } from './set-up.mjs';

/** Sets up and runs every kind of test, also after one has failed; fails at the end if any did. */
export async function runTests() {
    await setUp({ withTests: true, command: 'npm test' });
    const env = { ...toolEnvironment(), CHROME_PATH: await findBrowser() };
    const tool = (file, ...args) => [NODE, join(ROOT, 'node_modules', ...file.split('/')), ...args];
    const script = (file, ...args) => [NODE, join(ROOT, 'configs', 'scripts', file), ...args];
    const steps = [
        { name: 'lint', command: tool('eslint/bin/eslint.js', '.') },
        { name: 'format', command: tool('prettier/bin/prettier.cjs', '--check', '.') },
        { name: 'lock file', command: script('lock-check.mjs') },
        { name: 'bill of materials', command: script('sbom.mjs', '--check') },
        { name: 'requirements', command: script('requirements.mjs', '--check') },
        { name: 'test:unit of the scripts', command: npmCommand('run', '--silent', 'test:scripts') },
        ...packageScripts('test:unit'),
        ...packageScripts('test:integration'),
        { name: 'fuzz', command: script('fuzz.mjs', '200', '5') },
        { name: 'MCP conformance suite', command: script('mcp-suite.mjs') },
        ...packageScripts('test:e2e')
    ];
    const results = [];
    const notes = mkdtempSync(join(tmpdir(), 'companion-tests-'));
    atEnd(() => rmSync(notes, { recursive: true, force: true }));
    for (const { name, command } of steps) {
        say(`\n== ${name}`);
        const since = Date.now();
        const file = join(notes, `${results.length}.txt`);
        const code = await runVisibly(command, { cwd: ROOT, env: { ...env, TEST_FAILURES_FILE: file } });
        const failures = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
        if (isEnding()) {
            // The step has failed because Ctrl+C has ended it.
            return;
        }
        results.push({ name, passed: code === 0, seconds: Math.round((Date.now() - since) / 1000), failures });
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
}

function packageScripts(script) {
    return packageFolders()
        .filter(folder => readJson(join(ROOT, folder, 'package.json')).scripts?.[script])
        .map(folder => ({ name: `${script} of ${folder}`, command: npmCommand('run', '--silent', script, '--workspace', folder) }));
}
