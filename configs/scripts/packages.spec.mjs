// SPDX-License-Identifier: Apache-2.0

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { NODE, readJson, ROOT } from './script.mjs';

const PUBLISHED = ['companion-extension', 'daemon-extension'];
const COMPILED = ['lib/*.d.ts', 'lib/*.d.ts.map', 'lib/*.js', 'lib/*.js.map'];
const TEXTS = ['LICENSE', 'README.md', 'i18n/*.json'];
/** All that the tarballs have, by kinds. */
const CONTENTS = {
    'companion-extension': [...TEXTS, ...COMPILED, 'package.json', 'src/*.css', 'src/*.ts', 'src/*.tsx'],
    'daemon-extension': [...TEXTS, ...COMPILED, 'package.json', 'src/*.css', 'src/*.d.ts', 'src/*.ts', 'src/*.tsx']
};
/** One service of each side. */
const SERVICES = { common: 'prompt-protocol', node: 'server/window-servers', browser: 'status/companion-status' };
const OF_TESTS = /(^|\/)(test|fuzz)\/|[.-]spec\./;

const packed = new Map();

/** What npm would put into the tarball of what is compiled now; npm is asked once. */
function packedFiles(folder) {
    if (!packed.has(folder)) {
        packed.set(folder, pack(folder));
    }
    return packed.get(folder);
}

function pack(folder) {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const output = execFileSync('npm', args, { cwd: resolve(ROOT, folder), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return JSON.parse(output)[0].files.map(({ path }) => path);
}

describe('what is published', function () {
    // npm takes its time on a busy machine.
    this.timeout(300_000);
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

            it('is its texts, its languages, and what is compiled beside its sources', () => {
                const kinds = files.map(file => file.replace(/^(i18n|lib|src)\/.*?((?:\.d)?\.\w+(?:\.map)?)$/, '$1/*$2'));
                expect([...new Set(kinds)].sort()).to.deep.equal(CONTENTS[folder]);
            });

            it('has no tests', () => {
                expect(files.filter(file => OF_TESTS.test(file))).to.deep.equal([]);
            });

            it('has the sources that its source maps name', () => {
                const maps = files.filter(file => file.endsWith('.map'));
                const sources = maps.flatMap(file => {
                    const { sourceRoot, sources } = JSON.parse(readFileSync(join(ROOT, folder, file), 'utf8'));
                    return sources.map(source => posix.join(posix.dirname(file), sourceRoot ?? '', source));
                });
                expect(sources).not.to.have.length(0);
                expect(sources.filter(source => !files.includes(source))).to.deep.equal([]);
            });

            it('contains every own file that it needs', () => {
                const missing = files
                    .filter(file => /^lib\/.*\.js$/.test(file))
                    .flatMap(file => requiredBy(folder, file).filter(wanted => !files.includes(wanted)));
                expect(missing).to.deep.equal([]);
            });
        });
    }

    it('can be imported by its entries, by the modules that Theia loads, and below `internal`, and not otherwise', () => {
        const require = createRequire(join(ROOT, 'examples', 'custom-ide', 'package.json'));
        const { name, exports, theiaExtensions } = readJson('companion-extension/package.json');
        const files = packedFiles('companion-extension');
        const entries = Object.keys(exports).map(entry =>
            entry.replace(/(\w+)\/internal\/\*$/, (_, side) => `${side}/internal/${SERVICES[side]}`)
        );
        const resolved = entries.map(entry => require.resolve(posix.join(name, entry)));
        const folder = dirname(require.resolve(`${name}/package.json`));
        expect(resolved.map(file => relative(folder, file)).filter(file => !files.includes(file))).to.deep.equal([]);
        expect(Object.keys(exports)).to.include.members(
            theiaExtensions.flatMap(entry => Object.values(entry)).map(module => `./${module}`)
        );
        expect(() => require.resolve(`${name}/lib/node/server/window-servers`)).to.throw('not defined by "exports"');
    });

    it('is two tarballs and their bills of materials, with the addresses of the project from one file; without it, nothing is published', () => {
        const folder = mkdtempSync(join(tmpdir(), 'companion-release-'));
        try {
            const [addresses, out] = ['release.json', 'out'].map(name => join(folder, name));
            const release = option => {
                const args = [join(import.meta.dirname, 'release.mjs'), option, '--addresses', addresses, '--out', out];
                return spawnSync(NODE, args, { encoding: 'utf8', env: { ...process.env, npm_config_ignore_scripts: 'true' } });
            };
            const { status, stderr } = release('--publish');
            expect([status, stderr]).to.deep.equal([1, stderr]);
            expect(stderr).to.match(/^\nA release needs to know where the project is\. Write these addresses into .*"repository".*\.\n$/);
            const at = name => `https://example.com/${name}`;
            writeFileSync(addresses, JSON.stringify({ repository: at('a.git'), homepage: at('a'), bugs: at('bugs'), files: at('raw/') }));
            expect(release('--dry-run').stdout).to.contain('Nothing is published');
            const released = PUBLISHED.map(published => {
                const { name, version } = readJson(`${published}/package.json`);
                return [published, name, `${name}-${version}`];
            });
            expect(readdirSync(out).sort()).to.deep.equal(released.flatMap(([, , file]) => [`${file}.cdx.json`, `${file}.tgz`]).sort());
            for (const [published, name, file] of released) {
                const bill = JSON.parse(readFileSync(join(out, `${file}.cdx.json`), 'utf8'));
                const theia = bill.components.map(one => one['bom-ref']).filter(ref => ref.startsWith('@theia/'));
                expect([bill.metadata.component.name, theia]).to.deep.equal([name, []]);
                execFileSync('tar', ['-xzf', `${file}.tgz`], { cwd: out });
                const unpacked = join(out, 'package');
                const { repository, homepage, bugs, scripts } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
                expect([repository.url, repository.directory, homepage, bugs.url, scripts]).to.deep.equal([
                    at('a.git'),
                    published,
                    at('a'),
                    at('bugs'),
                    undefined
                ]);
                const readme = readFileSync(join(unpacked, 'README.md'), 'utf8');
                expect(readme)
                    .to.contain(`](${at('raw/docs/images/')}`)
                    .and.not.to.contain('](../');
                const contents = execFileSync('tar', ['-tzf', `${file}.tgz`], { cwd: out, encoding: 'utf8' })
                    .trim()
                    .split('\n');
                expect(contents).to.have.members(packedFiles(published).map(path => `package/${path}`));
                rmSync(unpacked, { recursive: true });
            }
        } finally {
            rmSync(folder, { recursive: true, force: true });
        }
    });

    it('is built with the same overrides in the example', () => {
        const { keytar, 'node-pty': pty } = readJson('package.json').overrides;
        expect(readJson('examples/custom-ide/package.json').overrides).to.deep.equal({ keytar, 'node-pty': pty });
    });

    it('is what the example asks for', () => {
        const example = ['', 'acme-companion/'].map(folder => readJson(`examples/custom-ide/${folder}package.json`));
        const { version } = readJson('companion-extension/package.json');
        expect(example.map(({ dependencies }) => dependencies['theia-cli-companion'])).to.deep.equal([version, version]);
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
    return [...code.matchAll(/\brequire\(["'](\.{1,2}\/[^"']+)["']\)/g)].map(([, path]) => {
        const wanted = posix.join(posix.dirname(file), path);
        return /\.(js|css|json)$/.test(wanted) ? wanted : `${wanted}.js`;
    });
}
