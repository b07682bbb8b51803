// SPDX-License-Identifier: Apache-2.0
// Lays out what the image's second stage takes over: the bundled IDE, both CLIs with their Node, and the system's defaults.
// Usage: node browser-app/image/collect.mjs OUTPUT_FOLDER

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const APP = join(ROOT, 'browser-app');
const CLIS = { qwen: '@qwen-code/qwen-code', gemini: '@google/gemini-cli' };
const IDE = '/opt/ide';

const output = process.argv[2];
const ide = join(output, IDE);
const copied = new Set();

rmSync(output, { recursive: true, force: true });
cpSync(join(import.meta.dirname, 'files'), output, { recursive: true });
cpSync(join(APP, 'lib'), join(ide, 'lib'), { recursive: true, filter: file => !/\.(map|meta\.json)$/.test(file) });
for (const file of ['package.json', 'image/prepare.sh', 'image/start.sh', 'image/health.mjs']) {
    cpSync(join(APP, file), join(ide, file.replace('image/', '')));
}
cpSync(join(ROOT, 'node_modules/node/bin/node'), join(ide, 'bin/node'), { dereference: true });
for (const [command, name] of Object.entries(CLIS)) {
    const folder = copyPackage(name, APP);
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const script = join(IDE, relative(ROOT, folder), typeof bin === 'string' ? bin : bin[command]);
    // A login shell, which resets PATH, finds it here.
    const file = join(output, 'usr/local/bin', command);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\nexec ${IDE}/bin/node ${script} "$@"\n`, { mode: 0o755 });
}

/** Copies a package with what it needs, optional native parts included where npm has installed them. Returns where it was found. */
function copyPackage(name, from) {
    const folder = find(name, from);
    if (!folder || copied.has(folder)) {
        return folder;
    }
    copied.add(folder);
    const nested = join(folder, 'node_modules');
    const isOwn = file => file !== nested && !file.startsWith(nested + sep);
    cpSync(folder, join(ide, relative(ROOT, folder)), { recursive: true, dereference: true, filter: isOwn });
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
        copyPackage(dependency, folder);
    }
    return folder;
}

/** As Node looks for it. */
function find(name, from) {
    for (let folder = from; folder.startsWith(ROOT); folder = dirname(folder)) {
        const candidate = join(folder, 'node_modules', name);
        if (existsSync(candidate)) {
            return candidate;
        }
    }
    return undefined;
}
