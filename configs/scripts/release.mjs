// SPDX-License-Identifier: Apache-2.0
// npm run release -- [--publish]: packs both packages with the addresses of the project, and publishes them, or shows what would be published.
// The addresses are only in release.json.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Problem, ROOT, run, runScript, say } from './script.mjs';

const FOLDERS = ['companion-extension', 'daemon-extension'];
const ADDRESSES = {
    repository: 'what git clones',
    homepage: 'where to read about the project',
    bugs: 'where to report bugs',
    files: 'where a browser finds the files of this release, such as docs/images/diff-review.png, as they are'
};

await runScript(async () => {
    const { values } = parseArgs({
        options: {
            publish: { type: 'boolean' },
            addresses: { type: 'string', default: 'release.json' },
            out: { type: 'string', default: 'lib-release' }
        }
    });
    const addresses = readAddresses(resolve(ROOT, values.addresses));
    const out = resolve(ROOT, values.out);
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    for (const folder of FOLDERS) {
        const packed = await unpacked(folder, out);
        addAddresses(packed, folder, addresses);
        const publish = ['publish', '--ignore-scripts', ...(values.publish ? [] : ['--dry-run'])];
        if ((await run(['npm', ...publish], { cwd: packed, stdin: 'inherit' })).failed) {
            throw new Problem(`${folder} was not published: see above.`);
        }
    }
    say(values.publish ? 'Published.' : 'Nothing is published yet: add --publish.');
});

function readAddresses(file) {
    const addresses = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    const missing = Object.keys(ADDRESSES).filter(name => !URL.canParse(addresses[name]));
    if (missing.length > 0) {
        const words = missing.map(name => `"${name}" (${ADDRESSES[name]})`).join(', ');
        throw new Problem(`A release needs to know where the project is. Write these addresses into ${file}: ${words}.`);
    }
    return addresses;
}

/** What npm packs of a package, in a folder. */
async function unpacked(folder, out) {
    const pack = await run(['npm', 'pack', '--json', '--pack-destination', out], { cwd: join(ROOT, folder), stdout: 'pipe' });
    if (pack.failed) {
        throw new Problem(`${folder} could not be packed: see above.`);
    }
    const [{ filename }] = JSON.parse(pack.stdout.slice(pack.stdout.indexOf('[\n')));
    await run(['tar', '-xzf', filename], { cwd: out });
    const target = join(out, folder);
    cpSync(join(out, 'package'), target, { recursive: true });
    rmSync(join(out, 'package'), { recursive: true });
    return target;
}

function addAddresses(packed, folder, { repository, homepage, bugs, files }) {
    const manifest = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
    // What they call is not in the package.
    delete manifest.scripts;
    const added = { repository: { type: 'git', url: repository, directory: folder }, homepage, bugs: { url: bugs } };
    writeFileSync(join(packed, 'package.json'), `${JSON.stringify({ ...manifest, ...added }, undefined, 2)}\n`);
    const readme = join(packed, 'README.md');
    writeFileSync(readme, readFileSync(readme, 'utf8').replaceAll('](../', `](${files.replace(/\/$/, '')}/`));
}
