// SPDX-License-Identifier: Apache-2.0
// npm run fuzz [-- RUNS [SECONDS [SEED]]]: so many tries of each property, or so many seconds, whichever ends first.

import { join } from 'node:path';
import { compilePackage } from './compile.mjs';
import { runVisibly } from './processes.mjs';
import { NODE, ROOT } from './project.mjs';
import { Problem, runScript } from './script.mjs';

await runScript(async () => {
    const [runs = '20000', seconds = '60', seed = ''] = process.argv.slice(2);
    if (![runs, seconds].every(text => Number(text) > 0) || !/^-?\d*$/.test(seed)) {
        throw new Problem('Usage: npm run fuzz [-- RUNS [SECONDS [SEED]]]');
    }
    await compilePackage('companion-extension');
    const mocha = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const options = ['--config', join(ROOT, 'configs', 'mocharc.cjs'), '--exit', 'lib/**/*.fuzz-spec.js'];
    const env = { ...process.env, FUZZ_RUNS: runs, FUZZ_SECONDS: seconds, FUZZ_SEED: seed };
    const code = await runVisibly([NODE, '--expose-gc', mocha, ...options], { cwd: join(ROOT, 'companion-extension'), env });
    if (code !== 0) {
        throw new Problem('A property does not hold. Its message above has the seed: npm run fuzz -- RUNS SECONDS SEED tries it again.');
    }
});
