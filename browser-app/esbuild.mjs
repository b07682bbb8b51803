// SPDX-License-Identifier: Apache-2.0
// How Theia bundles this application: its own settings, and a list of what is in each bundle, for the budgets of `npm test`.

import { writeFileSync } from 'node:fs';
import { build, context } from 'esbuild';
import { browserOptions, watch } from './gen-esbuild.browser.mjs';
import { nodeOptions } from './gen-esbuild.node.mjs';

const bundles = { frontend: browserOptions, backend: nodeOptions };

if (watch) {
    for (const options of Object.values(bundles)) {
        await (await context(options)).watch();
    }
} else {
    for (const [name, options] of Object.entries(bundles)) {
        const { metafile } = await build({ ...options, metafile: true });
        // Not into lib/frontend: Theia serves what is there.
        writeFileSync(`lib/${name}.meta.json`, JSON.stringify(metafile));
    }
}
