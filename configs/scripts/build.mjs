// SPDX-License-Identifier: Apache-2.0
// Compiles what has changed, and bundles the IDE where that is in it. With --compile-only it does not bundle.

import { existsSync, globSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP, NODE, Problem, ROOT, run, runScript, say, tool } from './script.mjs';
import { demandAlone } from './set-up.cjs';

const TSC = [NODE, tool('typescript/bin/tsc'), '--build'];
/** Written when the bundle is complete. */
const STAMP = join(ROOT, '.setup', 'bundled');
const BUNDLED = [
    '{,browser-app/}*-extension/lib/**/*.js',
    '{,browser-app/}*-extension/src/**/*.{css,svg,json}',
    '{,browser-app/}*-extension/i18n/*.json',
    '{*-extension,browser-app,browser-app/*-extension}/package.json',
    'browser-app/esbuild.mjs',
    'package-lock.json'
];
const NOT_BUNDLED = ['**/*{.,-}spec.js', '**/test/**'];
/** After this silence (ms), a line shows that the bundler is still working. */
const PROGRESS = 15_000;

await runScript(async () => {
    // An IDE has loaded its bundle; tests load what is compiled one after the other.
    const { stdout: plan } = await run([...TSC, '--dry'], { stdout: 'pipe' });
    const hasChanged = plan.includes('would build');
    if (hasChanged) {
        demandAlone('the sources have changed', ({ name }) => name === 'npm test');
    }
    removeStaleOutput();
    if (hasChanged && (await run(TSC)).exitCode !== 0) {
        throw new Problem('The sources do not compile: see above.');
    }
    if (!process.argv.includes('--compile-only') && !isBundled()) {
        await bundle();
    }
});

/**
 * Removes what was compiled from a source that is no longer there: the compiler leaves it, where a renamed spec would still be run and a
 * removed file still be published.
 */
function removeStaleOutput() {
    for (const file of globSync('{*-extension,browser-app/*-extension,examples/*/*,e2e,tools}/lib/**/*.{js,d.ts,map}', { cwd: ROOT })) {
        const source = file.replace(/([\\/])lib\1/, '$1src$1').replace(/(\.d\.ts|\.js)(\.map)?$/, '');
        if (!['.ts', '.tsx'].some(extension => existsSync(join(ROOT, source + extension)))) {
            rmSync(join(ROOT, file));
        }
    }
}

function isBundled() {
    const made = ['backend/main.js', 'frontend/bundle.js', 'backend.meta.json'].map(file => join(APP, 'lib', file));
    if (![...made, STAMP].every(existsSync)) {
        return false;
    }
    const { mtimeMs } = statSync(STAMP);
    return globSync(BUNDLED, { cwd: ROOT, exclude: NOT_BUNDLED }).every(file => statSync(join(ROOT, file)).mtimeMs <= mtimeMs);
}

async function bundle() {
    demandAlone('the IDE has to be bundled again');
    say('Bundling the IDE …');
    const since = new Date();
    rmSync(STAMP, { force: true });
    const file = join(ROOT, '.setup', 'bundle.log');
    mkdirSync(join(ROOT, '.setup'), { recursive: true });
    const progress = setInterval(() => say(`  … ${Math.round((Date.now() - since) / 1000)} s`), PROGRESS);
    const command = [NODE, tool('@theia/cli/bin/theia.js'), 'build', '--mode', 'production'];
    const output = ['pipe', { file }];
    const { exitCode, all } = await run(command, { cwd: APP, preferLocal: true, stdout: output, stderr: output });
    clearInterval(progress);
    if (exitCode !== 0) {
        process.stderr.write(`${all.split('\n').slice(-20).join('\n')}\n`);
        throw new Problem('The IDE could not be bundled: see above, or all of it in .setup/bundle.log.');
    }
    writeFileSync(STAMP, '');
    // What has changed meanwhile may not be in it.
    utimesSync(STAMP, since, since);
}
