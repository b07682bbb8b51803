// SPDX-License-Identifier: Apache-2.0
// The lock file: no address of a registry, a checksum for everything, one version of what must not be there twice.

import { join } from 'node:path';
import { readJson, ROOT } from './project.mjs';
import { Problem, runScript, say } from './script.mjs';

/** A second copy breaks dependency injection, React's hooks, or what one exact version was chosen for. */
const SINGLE = /^(@theia\/.*|inversify|react|react-dom|@modelcontextprotocol\/sdk|zod|monaco-editor-core)$/;

function nameOf(folder, entry) {
    return entry.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

await runScript(() => {
    const { packages } = readJson(join(ROOT, 'package-lock.json'));
    const installed = Object.entries(packages).filter(([folder, entry]) => folder.includes('node_modules/') && !entry.link);
    const problems = [];
    const versions = new Map();
    for (const [folder, entry] of installed) {
        if (entry.resolved !== undefined) {
            problems.push(`${folder} names where it comes from (${entry.resolved}): run npm with omit-lockfile-registry-resolved=true`);
        }
        if (!/^sha512-/.test(entry.integrity ?? '') && !entry.inBundle) {
            problems.push(`${folder} has no SHA-512 checksum`);
        }
        const name = nameOf(folder, entry);
        if (SINGLE.test(name)) {
            versions.set(name, new Set([...(versions.get(name) ?? []), entry.version]));
        }
    }
    for (const [name, found] of versions) {
        if (found.size > 1) {
            problems.push(`${name} is there in ${found.size} versions: ${[...found].join(', ')}`);
        }
    }
    if (problems.length > 0) {
        throw new Problem(problems.join('\n'));
    }
    say(`${installed.length} packages with checksums; one version of each of ${versions.size} that must not be there twice.`);
});
