// SPDX-License-Identifier: Apache-2.0
// npm run --silent sbom [-- --check]: a CycloneDX bill of materials of the extension package, on standard output, or a check of it.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { npmCommand, readJson, ROOT } from './project.mjs';
import { Problem, runScript, say } from './script.mjs';

const PACKAGE = 'companion-extension';

function billOfMaterials() {
    // npm's own choice of a workspace has the package alone, without what it depends on (npm 11).
    const [command, ...args] = npmCommand('sbom', '--sbom-format', 'cyclonedx');
    const { stdout, stderr, status } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    if (status !== 0) {
        throw new Problem(`npm sbom has failed: ${stderr.trim().split('\n').pop()}`);
    }
    const all = JSON.parse(stdout);
    const { name, version, dependencies } = readJson(join(ROOT, PACKAGE, 'package.json'));
    const edges = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn ?? []]));
    const own = `${name}@${version}`;
    // Theia comes from the application that embeds the extension, and what we build with is not in it.
    const direct = edges.get(own).filter(ref => ref.slice(0, ref.lastIndexOf('@')) in dependencies);
    const reached = new Set(direct);
    for (const ref of reached) {
        edges.get(ref)?.forEach(next => reached.add(next));
    }
    const component = all.components.find(one => one['bom-ref'] === own);
    return {
        ...all,
        metadata: { ...all.metadata, component: { ...component, name } },
        components: all.components.filter(one => reached.has(one['bom-ref'])),
        dependencies: [{ ref: own, dependsOn: direct }, ...all.dependencies.filter(({ ref }) => reached.has(ref) && ref !== own)]
    };
}

/** What a reader of such a bill looks for: every package that we depend on, in the version that we name, and what they need. */
function findProblems(bill) {
    const { name, dependencies } = readJson(join(ROOT, PACKAGE, 'package.json'));
    const { bomFormat, specVersion, metadata, components } = bill;
    const problems = [];
    if (bomFormat !== 'CycloneDX' || !/^1\.\d$/.test(specVersion) || metadata.component.name !== name) {
        problems.push(`It is no CycloneDX bill of ${name}.`);
    }
    for (const [dependency, version] of Object.entries(dependencies)) {
        const component = components.find(one => one['bom-ref'] === `${dependency}@${version}`);
        if (!component?.purl?.endsWith(`@${version}`) || !component.licenses?.length) {
            problems.push(`${dependency}@${version} is not in it, or without address or licence.`);
        }
    }
    const known = new Set(components.map(one => one['bom-ref']));
    for (const { ref, dependsOn = [] } of bill.dependencies) {
        problems.push(...dependsOn.filter(one => !known.has(one)).map(one => `${one}, which ${ref} needs, is not in it.`));
    }
    const theia = components.find(one => one['bom-ref'].startsWith('@theia/'));
    return theia ? [...problems, `${theia['bom-ref']} is in it, which the application brings.`] : problems;
}

await runScript(() => {
    const bill = billOfMaterials();
    if (!process.argv.includes('--check')) {
        say(JSON.stringify(bill, undefined, 2));
        return;
    }
    const problems = findProblems(bill);
    if (problems.length > 0) {
        throw new Problem(`The bill of materials is wrong:\n${problems.join('\n')}`);
    }
    say(`${bill.components.length} packages in the bill of materials.`);
});
