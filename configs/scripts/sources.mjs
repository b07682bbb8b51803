// SPDX-License-Identifier: Apache-2.0

import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What is neither ours nor written by hand, wherever the clone itself lies. */
const NOT_SOURCES = /^(node_modules|lib(-.*)?)$/;

/** The TypeScript and JavaScript modules that people wrote below a folder. */
export function sourcesBelow(folder) {
    return readdirSync(folder, { recursive: true })
        .filter(file => /\.(ts|mts|mjs)$/.test(file) && !file.split(sep).some(name => NOT_SOURCES.test(name)))
        .sort()
        .map(file => join(folder, file));
}
