// SPDX-License-Identifier: Apache-2.0
// npm run guard-check [-- NAME …]: takes one guard after the other out of a copy of the compiled code and looks whether a test fails.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compilePackage } from './compile.mjs';
import { lastLines, runLogged } from './processes.mjs';
import { NODE, readJson, ROOT, setUpFile } from './project.mjs';
import { atEnd, Problem, runScript, say } from './script.mjs';

const PACKAGE = join(ROOT, 'companion-extension');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

/** A copy of the package that finds the same dependencies. */
function copyPackage() {
    const copy = mkdtempSync(join(tmpdir(), 'guard-check-'));
    atEnd(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(join(PACKAGE, 'package.json'), join(copy, 'package.json'));
    cpSync(join(PACKAGE, 'lib'), join(copy, 'lib'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    return copy;
}

async function testsPass(copy, specs) {
    const command = [NODE, MOCHA, '--config', join(ROOT, 'configs', 'mocharc.cjs'), '--exit', '--bail', '--reporter', 'dot', ...specs];
    return runLogged(command, setUpFile('guard-check.log'), { cwd: copy });
}

await runScript(async () => {
    const chosen = process.argv.slice(2);
    const guards = readJson(join(ROOT, 'configs', 'conformance', 'guards.json')).filter(
        ({ name }) => chosen.length === 0 || chosen.includes(name)
    );
    await compilePackage('companion-extension');
    const copy = copyPackage();
    const specs = [...new Set(guards.flatMap(guard => guard.specs))];
    const whole = await testsPass(copy, specs);
    if (whole.code !== 0) {
        throw new Problem(`The tests fail with every guard in place:\n${lastLines(whole.output, 20)}`);
    }
    const unnoticed = [];
    for (const { name, file, guard, without, specs: own } of guards) {
        const path = join(copy, 'lib', file);
        const code = readFileSync(path, 'utf8');
        if (code.split(guard).length !== 2) {
            throw new Problem(`The guard "${name}" is not found once in lib/${file}: correct configs/conformance/guards.json.`);
        }
        writeFileSync(
            path,
            code.replace(guard, () => without)
        );
        const { code: exit, output } = await testsPass(copy, own);
        writeFileSync(path, code);
        const [, failure] = /^ +1\) (.*\n.*)/m.exec(output) ?? [];
        say(
            `${exit === 0 ? 'UNNOTICED' : 'noticed'}  ${name}${exit === 0 ? '' : `: ${failure?.replace(/\s+/g, ' ') ?? 'the tests do not run'}`}`
        );
        if (exit === 0) {
            unnoticed.push(name);
        }
    }
    if (unnoticed.length > 0) {
        throw new Problem(`No test notices that these guards are gone: ${unnoticed.join(', ')}.`);
    }
});
