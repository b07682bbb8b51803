// SPDX-License-Identifier: Apache-2.0
// npm run soak -- MINUTES

import { join } from 'node:path';
import { compilePackage } from './compile.mjs';
import { installDependencies } from './install.mjs';
import { runVisibly } from './processes.mjs';
import { NODE, ROOT } from './project.mjs';
import { Problem, runScript } from './script.mjs';

await runScript(async () => {
    await installDependencies();
    await compilePackage('companion-extension');
    const soak = join(ROOT, 'companion-extension', 'lib', 'node', 'test', 'soak', 'soak.js');
    if ((await runVisibly([NODE, soak, ...process.argv.slice(2)])) !== 0) {
        throw new Problem('The soak has failed: see above.');
    }
});
