// SPDX-License-Identifier: Apache-2.0
// npm run lock-check: no address of a registry, a checksum for everything, one version of what must not be there twice.

import { Problem, readJson, runScript, say } from './script.mjs';

/** A second copy breaks dependency injection, React's hooks, or what one exact version was chosen for. */
const SINGLE = /^(@theia\/.*|inversify|react|react-dom|@modelcontextprotocol\/sdk|zod|monaco-editor-core)$/;

await runScript(() => {
    const { packages } = readJson('package-lock.json');
    const installed = Object.entries(packages).filter(([folder, entry]) => folder.includes('node_modules/') && !entry.link);
    const problems = installed.flatMap(([folder, { resolved, integrity, inBundle }]) => [
        ...(resolved ? [`${folder} names where it comes from (${resolved}): run npm with omit-lockfile-registry-resolved=true`] : []),
        ...(inBundle || integrity?.startsWith('sha512-') ? [] : [`${folder} has no SHA-512 checksum`])
    ]);
    const nameOf = ([folder, { name }]) => name ?? folder.split('node_modules/').pop();
    const single = Object.entries(Object.groupBy(installed, nameOf)).filter(([name]) => SINGLE.test(name));
    for (const [name, entries] of single) {
        const versions = new Set(entries.map(([, { version }]) => version));
        if (versions.size > 1) {
            problems.push(`${name} is there in ${versions.size} versions: ${[...versions].join(', ')}`);
        }
    }
    if (problems.length > 0) {
        throw new Problem(problems.join('\n'));
    }
    say(`${installed.length} packages with checksums; one version of each of ${single.length} that must not be there twice.`);
});
