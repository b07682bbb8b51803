// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect } from 'chai';
import { NODE, readJson, ROOT } from './script.mjs';

const PUBLISHED = ['companion-extension', 'daemon-extension'];
const OF_TESTS = /(^|\/)(test|fuzz)\/|[.-]spec\./;
const EMBEDDING = join(ROOT, 'docs', 'embedding.md');

/** What npm would put into the tarball of what is compiled now. */
function packedFiles(folder) {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const output = execFileSync('npm', args, { cwd: join(ROOT, folder), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return JSON.parse(output)[0].files.map(({ path }) => path);
}

describe('what is published', function () {
    // npm takes its time on a busy machine.
    this.timeout(120_000);
    for (const folder of PUBLISHED) {
        describe(folder, () => {
            const manifest = readJson(`${folder}/package.json`);
            let files;

            before(() => (files = packedFiles(folder)));

            it('has its license, what npm shows, and the modules that Theia loads', () => {
                const modules = manifest.theiaExtensions.flatMap(entry => Object.values(entry)).map(module => `${module}.js`);
                const texts = ['LICENSE', 'README.md'];
                expect([...texts, ...modules].filter(file => !files.includes(file))).to.deep.equal([]);
                expect(manifest.keywords).to.include('theia-extension');
            });

            it('has no tests', () => {
                expect(files.filter(file => OF_TESTS.test(file))).to.deep.equal([]);
            });

            it('misses nothing that it needs of itself', () => {
                const missing = files
                    .filter(file => /^lib\/.*\.js$/.test(file))
                    .flatMap(file => requiredBy(folder, file).filter(wanted => !files.includes(wanted)));
                expect(missing).to.deep.equal([]);
            });
        });
    }

    it('has what the guide for embedders imports', () => {
        const guide = readFileSync(EMBEDDING, 'utf8');
        const inTables = [...guide.matchAll(/^\| ((?:`\w+`(?:, )?)+) +\| `((?:common|node|browser)\/[\w/-]+)` +\|/gm)];
        const inCode = [...guide.matchAll(/import \{ ([\w, ]+) \} from 'theia-cli-companion\/lib\/([\w/-]+)'/g)];
        expect(inTables, 'rows').not.to.have.length(0);
        expect(inCode, 'imports').not.to.have.length(0);
        const files = packedFiles('companion-extension');
        for (const [, names, module] of [...inTables, ...inCode]) {
            expect(files.includes(`lib/${module}.js`), module).to.equal(true);
            const declarations = readFileSync(join(ROOT, 'companion-extension', 'lib', `${module}.d.ts`), 'utf8');
            for (const [name] of names.matchAll(/\w+/g)) {
                expect(declarations, module).to.match(
                    new RegExp(`^export (?:declare )?(?:abstract )?(?:const|class|interface) ${name}\\b`, 'm')
                );
            }
        }
    });

    it('has a bill of materials with every dependency in its version, with its address, its licence and what it needs, and no Theia', () => {
        const output = execFileSync(NODE, [join(import.meta.dirname, 'sbom.mjs')], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
        const { bomFormat, specVersion, metadata, components, dependencies } = JSON.parse(output);
        const { name, dependencies: wanted } = readJson('companion-extension/package.json');
        expect([bomFormat, specVersion.slice(0, 2), metadata.component.name]).to.deep.equal(['CycloneDX', '1.', name]);
        const described = components.filter(({ purl, licenses }) => purl && licenses?.length > 0).map(one => one['bom-ref']);
        expect(described).to.include.members(Object.entries(wanted).map(([dependency, version]) => `${dependency}@${version}`));
        expect(components.map(one => one['bom-ref'])).to.include.members(dependencies.flatMap(({ dependsOn = [] }) => dependsOn));
        expect(described.filter(ref => ref.startsWith('@theia/'))).to.deep.equal([]);
    });
});

/** The files of the package that a compiled one requires, such as `lib/node/a.js`. */
function requiredBy(folder, file) {
    const code = readFileSync(join(ROOT, folder, file), 'utf8');
    return [...code.matchAll(/\brequire\("(\.{1,2}\/[^"]+)"\)/g)].map(([, path]) => {
        const wanted = posix.join(posix.dirname(file), path);
        return /\.(js|css|json)$/.test(wanted) ? wanted : `${wanted}.js`;
    });
}
