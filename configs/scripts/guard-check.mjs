// SPDX-License-Identifier: Apache-2.0
// npm run guard-check [-- NAME …]: takes one guard after the other out of a copy of the compiled code and looks whether a test fails.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE, Problem, readGuards, ROOT, run, runScript, say, tool } from './script.mjs';

const MOCHA = [NODE, tool('mocha/bin/mocha.js'), '--config', join(ROOT, 'configs', 'mocharc.cjs'), '--exit', '--bail', '--reporter', 'dot'];

await runScript(async () => {
    const chosen = process.argv.slice(2);
    const guards = readGuards().filter(({ name }) => chosen.length === 0 || chosen.includes(name));
    const copy = mkdtempSync(join(tmpdir(), 'guard-check-'));
    try {
        await check(guards, copy);
    } finally {
        rmSync(copy, { recursive: true, force: true });
    }
});

async function check(guards, copy) {
    // A copy of the package that finds the same dependencies.
    for (const part of ['package.json', 'lib']) {
        cpSync(join(ROOT, 'companion-extension', part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const test = specs => run([...MOCHA, ...specs], { cwd: copy, stdout: 'pipe', stderr: 'pipe' });
    const whole = await test([...new Set(guards.flatMap(guard => guard.specs))]);
    if (whole.exitCode !== 0) {
        throw new Problem(`The tests fail with every guard in place:\n${whole.all.split('\n').slice(-20).join('\n')}`);
    }
    const unnoticed = [];
    for (const { name, file, guard, without, specs } of guards) {
        const path = join(copy, 'lib', file);
        const code = readFileSync(path, 'utf8');
        if (code.split(guard).length !== 2) {
            throw new Problem(`The guard "${name}" is not found once in lib/${file}: correct configs/conformance/guards.json.`);
        }
        writeFileSync(path, code.split(guard).join(without));
        const { exitCode, all } = await test(specs);
        writeFileSync(path, code);
        if (exitCode === 0) {
            unnoticed.push(name);
        }
        const failure = /^ +1\) (.*\n.*)/m.exec(all)?.[1].replace(/\s+/g, ' ') ?? 'the tests do not run';
        say(exitCode === 0 ? `UNNOTICED  ${name}` : `noticed  ${name}: ${failure}`);
    }
    if (unnoticed.length > 0) {
        throw new Problem(`No test notices that these guards are gone: ${unnoticed.join(', ')}.`);
    }
}
