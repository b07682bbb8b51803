// SPDX-License-Identifier: Apache-2.0
// npm run --silent sbom: a CycloneDX bill of materials of the extension package, on standard output.

import { Problem, readJson, run, runScript, say } from './script.mjs';

await runScript(async () => {
    const { exitCode, stdout, stderr } = await run(['npm', 'sbom', '--sbom-format', 'cyclonedx'], { stdout: 'pipe', stderr: 'pipe' });
    if (exitCode !== 0) {
        throw new Problem(`npm sbom has failed: ${stderr.trim().split('\n').pop()}`);
    }
    const all = JSON.parse(stdout);
    const { name, version, dependencies } = readJson('companion-extension/package.json');
    const own = `${name}@${version}`;
    const edges = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn ?? []]));
    // npm's own choice of a workspace has the package alone (npm 11). Theia comes from the application that embeds the extension, and what
    // we build with is not in it.
    const direct = edges.get(own).filter(ref => ref.slice(0, ref.lastIndexOf('@')) in dependencies);
    const reached = new Set(direct);
    for (const ref of reached) {
        edges.get(ref)?.forEach(next => reached.add(next));
    }
    const isIn = ref => reached.has(ref);
    const component = { ...all.components.find(one => one['bom-ref'] === own), name };
    const bill = {
        ...all,
        metadata: { ...all.metadata, component },
        components: all.components.filter(one => isIn(one['bom-ref'])),
        dependencies: [{ ref: own, dependsOn: direct }, ...all.dependencies.filter(({ ref }) => isIn(ref))]
    };
    say(JSON.stringify(bill, undefined, 2));
});
