// SPDX-License-Identifier: Apache-2.0
// npm run release -- --dry-run|--publish: makes the tarball and the bill of materials of both packages, and with --publish publishes them.
// The addresses of the project are only in release.json. A dry run does without them.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NODE, Problem, ROOT, run, runScript, say } from './script.mjs';

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
            'dry-run': { type: 'boolean' },
            publish: { type: 'boolean' },
            addresses: { type: 'string', default: 'release.json' },
            out: { type: 'string', default: 'lib-release' }
        }
    });
    if (values['dry-run'] === values.publish) {
        throw new Problem('Say either --dry-run or --publish.');
    }
    const addresses = readAddresses(resolve(ROOT, values.addresses), values.publish);
    const out = resolve(ROOT, values.out);
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    const tarballs = [];
    for (const folder of FOLDERS) {
        const tarball = await pack(join(ROOT, folder), out);
        await describe(folder, tarball.replace(/\.tgz$/, '.cdx.json'));
        tarballs.push(tarball);
        if (addresses) {
            await addAddresses(tarball, folder, addresses);
        }
    }
    if (!values.publish) {
        say(`Nothing is published. The tarballs and bills of materials are in ${out}.`);
        return;
    }
    for (const tarball of tarballs) {
        if ((await run(['npm', 'publish', tarball], { stdin: 'inherit' })).failed) {
            throw new Problem(`${relative(ROOT, tarball)} was not published: see above.`);
        }
    }
    say('Published.');
});

/** The addresses of the project; none where a dry run has no file for them. */
function readAddresses(file, isNeeded) {
    if (!isNeeded && !existsSync(file)) {
        say(`${file} is not there: the packages get no addresses of the project.`);
        return undefined;
    }
    const addresses = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    const missing = Object.keys(ADDRESSES).filter(name => !URL.canParse(addresses[name]));
    if (missing.length > 0) {
        const words = missing.map(name => `"${name}" (${ADDRESSES[name]})`).join(', ');
        throw new Problem(`A release needs to know where the project is. Write these addresses into ${file}: ${words}.`);
    }
    return addresses;
}

/** Packs what is in a folder. @returns the tarball */
async function pack(folder, out) {
    const packed = await run(['npm', 'pack', '--json', '--pack-destination', out], { cwd: folder, stdout: 'pipe' });
    if (packed.failed) {
        throw new Problem(`${folder} could not be packed: see above.`);
    }
    const [{ filename }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n')));
    return join(out, filename);
}

/** Writes the bill of materials of a package. */
async function describe(folder, file) {
    const bill = await run([NODE, join(import.meta.dirname, 'sbom.mjs'), folder], { stdout: 'pipe' });
    if (bill.failed) {
        throw new Problem(`${folder} has no bill of materials: see above.`);
    }
    writeFileSync(file, `${bill.stdout}\n`);
}

/** Packs a tarball again, with the addresses. */
async function addAddresses(tarball, folder, { repository, homepage, bugs, files }) {
    const out = join(tarball, '..');
    const unpacked = join(out, 'package');
    await run(['tar', '-xzf', tarball], { cwd: out });
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
    // What they call is not in the package.
    delete manifest.scripts;
    const added = { repository: { type: 'git', url: repository, directory: folder }, homepage, bugs: { url: bugs } };
    writeFileSync(join(unpacked, 'package.json'), `${JSON.stringify({ ...manifest, ...added }, undefined, 2)}\n`);
    const readme = join(unpacked, 'README.md');
    writeFileSync(readme, readFileSync(readme, 'utf8').replaceAll('](../', `](${files.replace(/\/$/, '')}/`));
    await pack(unpacked, out);
    rmSync(unpacked, { recursive: true });
}
