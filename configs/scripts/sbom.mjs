// SPDX-License-Identifier: Apache-2.0
// npm run --silent sbom [-- FOLDER]: a CycloneDX bill of materials of a package, by default the companion's, on standard output.

import { Problem, readJson, run, runScript, say } from './script.mjs';

await runScript(async () => {
    const { exitCode, stdout, stderr } = await run(['npm', 'sbom', '--sbom-format', 'cyclonedx'], { stdout: 'pipe', stderr: 'pipe' });
    if (exitCode !== 0) {
        throw new Problem(`npm sbom has failed: ${stderr.trim().split('\n').pop()}`);
    }
    const all = JSON.parse(stdout);
    const published = ['companion-extension', 'daemon-extension'].map(folder => readJson(`${folder}/package.json`));
    const wanted = new Map(published.map(({ name, version, dependencies }) => [`${name}@${version}`, dependencies]));
    // npm's own choice of a workspace has the package alone (npm 11). Theia comes from the application that embeds the extension, and what
    // we build with is not in it.
    const isOf = (ref, next) => !wanted.has(ref) || next.slice(0, next.lastIndexOf('@')) in wanted.get(ref);
    const edges = new Map(all.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn.filter(next => isOf(ref, next))]));
    const { name, version } = readJson(`${process.argv[2] ?? 'companion-extension'}/package.json`);
    const own = `${name}@${version}`;
    const reached = new Set([own]);
    for (const ref of reached) {
        edges.get(ref)?.forEach(next => reached.add(next));
    }
    const components = all.components.filter(one => reached.has(one['bom-ref']));
    const component = { ...components.find(one => one['bom-ref'] === own), name };
    const bill = {
        ...all,
        metadata: { ...all.metadata, component },
        components: components.filter(one => one['bom-ref'] !== own),
        dependencies: [...reached].map(ref => ({ ref, dependsOn: edges.get(ref) ?? [] }))
    };
    say(JSON.stringify(bill, undefined, 2));
});
