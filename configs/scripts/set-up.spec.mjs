// SPDX-License-Identifier: Apache-2.0

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { execa } from 'execa';
import { NODE, tool } from './script.mjs';
import { whyFailed, whyUnusable } from './set-up.cjs';

const REFERENCE = JSON.stringify({ files: [], references: [{ path: 'x-extension' }] });
/** Without the declarations of browsers, which are most of what the compiler would read each time. */
const COMPILER_OPTIONS = { composite: true, rootDir: 'src', outDir: 'lib', types: [], lib: ['es5'], skipLibCheck: true };
const PROJECT = JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['src'] });
const LOCK = {
    packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/for-windows': { version: '1.0.0', optional: true } }
};
/** Counts what it is asked for, and writes down that it has installed. */
const NPM = `
const fs = require('fs');
fs.appendFileSync('npm-calls', process.pid + '\\n');
const end = () => fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
const timer = setInterval(() => fs.existsSync('hold') || (end(), clearInterval(timer)), 20);
`;
const BUNDLER = `
const fs = require('fs');
fs.appendFileSync('../bundles', 'one\\n');
for (const file of ['lib/backend/main.js', 'lib/frontend/bundle.js', 'lib/backend.meta.json']) {
    fs.mkdirSync(require('path').dirname(file), { recursive: true });
    fs.writeFileSync(file, '');
}
`;
const IDE = `require('./set-up.cjs').joinRuns({ sample: process.argv[2] }); console.log('joined'); setInterval(() => {}, 1000);`;

describe('the set-up of a clone', function () {
    // Each case compiles.
    this.timeout(120_000);
    let clone;
    let started;

    beforeEach(() => {
        clone = mkdtempSync(join(tmpdir(), 'set-up-'));
        started = [];
        for (const file of ['set-up.cjs', 'build.mjs', 'script.mjs']) {
            write(`configs/scripts/${file}`, '');
            copyFileSync(join(import.meta.dirname, file), join(clone, 'configs', 'scripts', file));
        }
        for (const name of ['typescript', 'execa']) {
            mkdirSync(join(clone, 'node_modules'), { recursive: true });
            symlinkSync(tool(name), join(clone, 'node_modules', name));
        }
        write('node_modules/@theia/cli/bin/theia.js', BUNDLER);
        write('node_modules/node/bin/node', `#!/bin/sh\nexec '${NODE}' "$@"\n`, 0o755);
        write('configs/scripts/ide.cjs', IDE);
        write('npm.js', NPM);
        write('package-lock.json', JSON.stringify(LOCK));
        write('tsconfig.json', REFERENCE);
        write('x-extension/tsconfig.json', PROJECT);
        write('x-extension/src/a.ts', 'export const a = 1;\n');
        write('x-extension/src/a.spec.ts', 'export const spec = 1;\n');
        write('x-extension/src/style/a.css', 'a {}\n');
        write('browser-app/package.json', '{}');
    });
    afterEach(async () => {
        started.forEach(one => one.kill('SIGKILL'));
        await Promise.all(started);
        rmSync(clone, { recursive: true, force: true });
    });

    it('installs, compiles and bundles once', async () => {
        expect(await setUp())
            .to.include('Installing')
            .and.include('Bundling');
        expect(readFileSync(join(clone, 'x-extension/lib/a.js'), 'utf8')).to.include('a = 1');
        expect(await setUp()).to.equal('');
    });

    it('installs again if the lock file has changed', async () => {
        await setUp();
        write('package-lock.json', JSON.stringify({ packages: { ...LOCK.packages, 'node_modules/b': { version: '1.0.0' } } }));
        expect(await setUp()).to.include('Installing');
    });

    it('bundles again if a source, a style or a part of the IDE has changed', async () => {
        await setUp();
        for (const file of ['x-extension/src/a.ts', 'x-extension/src/style/a.css', 'browser-app/package.json']) {
            write(file, file.endsWith('.ts') ? 'export const a = 2;\n' : '{ }');
            expect(await setUp(), file).to.include('Bundling');
        }
        expect(await setUp()).to.equal('');
    });

    it('compiles a test that has changed, bundles nothing for it, and leaves nothing of one that is gone', async () => {
        await setUp();
        write('x-extension/src/a.spec.ts', 'export const spec = 2;\n');
        expect(await setUp()).to.equal('');
        expect(readFileSync(join(clone, 'x-extension/lib/a.spec.js'), 'utf8')).to.include('spec = 2');
        rmSync(join(clone, 'x-extension/src/a.spec.ts'));
        await setUp();
        expect(readdirSync(join(clone, 'x-extension/lib')).filter(name => name.startsWith('a.'))).to.have.members(['a.js', 'a.d.ts']);
    });

    it('recovers from an interrupted bundling', async () => {
        await setUp();
        write('x-extension/src/a.ts', 'export const a = 2;\n');
        write('node_modules/@theia/cli/bin/theia.js', `${BUNDLER}\nprocess.exit(1);`);
        expect(await setUp(1)).to.include('could not be bundled');
        write('node_modules/@theia/cli/bin/theia.js', BUNDLER);
        expect(await setUp()).to.include('Bundling');
    });

    it('names what does not compile', async () => {
        write('x-extension/src/a.ts', 'export const a: string = 1;\n');
        expect(await setUp(1)).to.match(/a\.ts.*TS2322[^]*do not compile/);
    });

    it('of a run waits for that of an earlier one, and finds everything done', async () => {
        write('hold', '');
        const first = start([join(clone, 'configs/scripts/set-up.cjs')]);
        await says(first, 'Installing');
        const second = start([join(clone, 'configs/scripts/set-up.cjs')]);
        await says(second, `(process ${first.pid}) is installing or building in this clone: waiting for it`);
        rmSync(join(clone, 'hold'));
        expect([(await first).exitCode, (await second).exitCode]).to.deep.equal([0, 0]);
        expect(npmCalls()).to.have.length(1);
    });

    it('changes nothing that an open IDE has loaded, and says which', async () => {
        await setUp();
        const ide = start([join(clone, 'configs/scripts/ide.cjs')], { npm_lifecycle_event: 'start' });
        await says(ide, 'joined');
        expect(await setUp()).to.equal('');
        write('x-extension/src/a.ts', 'export const a = 2;\n');
        expect(await setUp(1)).to.include(`npm start (process ${ide.pid}) is at work in this clone, and the IDE has to be bundled again`);
        ide.kill('SIGTERM');
        await ide;
        expect(await setUp()).to.include('Bundling');
    });

    it('removes the sample of an IDE that was killed', async () => {
        const sample = join(clone, 'companion-sample-x');
        mkdirSync(sample);
        await setUp();
        const ide = start([join(clone, 'configs/scripts/ide.cjs'), sample]);
        await says(ide, 'joined');
        await setUp();
        expect(existsSync(sample)).to.equal(true);
        ide.kill('SIGKILL');
        await ide;
        await setUp();
        expect(existsSync(sample)).to.equal(false);
        expect(readdirSync(join(clone, '.setup/runs'))).to.deep.equal([]);
    });

    it('ends with Ctrl+C, together with npm', async () => {
        write('hold', '');
        const run = start([join(clone, 'configs/scripts/set-up.cjs')]);
        await until(hasNpmBegun);
        run.kill('SIGINT');
        expect((await run).exitCode).to.equal(130);
        await until(() => !existsSync(`/proc/${npmCalls()[0]}`));
        expect(readdirSync(join(clone, '.setup/runs'))).to.deep.equal([]);
    });

    function write(file, content, mode) {
        mkdirSync(dirname(join(clone, file)), { recursive: true });
        writeFileSync(join(clone, file), content, { mode });
    }

    async function until(holds) {
        while (!holds()) {
            await delay(20);
        }
    }

    /** The file is empty for a moment. */
    function hasNpmBegun() {
        return existsSync(join(clone, 'npm-calls')) && npmCalls()[0] !== '';
    }

    function npmCalls() {
        return readFileSync(join(clone, 'npm-calls'), 'utf8').trim().split('\n');
    }

    function start(args, more) {
        const env = { ...process.env, npm_execpath: join(clone, 'npm.js'), npm_node_execpath: NODE, npm_lifecycle_event: 'build', ...more };
        const run = execa(NODE, args, { cwd: clone, env, all: true, reject: false });
        started.push(run);
        return run;
    }

    async function setUp(expected = 0) {
        const { exitCode, all } = await start([join(clone, 'configs/scripts/set-up.cjs')]);
        expect(exitCode, all).to.equal(expected);
        return all;
    }

    async function says(run, text) {
        for await (const chunk of run.all.iterator({ destroyOnReturn: false })) {
            if (String(chunk).includes(text)) {
                return;
            }
        }
        throw new Error(`It ended without saying: ${text}`);
    }
});

describe('an installation', () => {
    let folder;

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'install-'))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('that fails names the network, a compiler, or what npm says first', () => {
        const offline = 'npm error code ENOTFOUND\nnpm error network request failed\n';
        expect(whyFailed(offline, 1, '/clone')).to.contain('cannot reach its registry (ENOTFOUND)');
        const gyp = `npm error prebuild-install warn install getaddrinfo ENOTFOUND host\nnpm error x.hpp:20:10: fatal error: napi.h: No such file\nnpm error gyp ERR! not ok\n`;
        expect(whyFailed(gyp, 1, '/clone')).to.contain('could not be compiled: x.hpp:20:10: fatal error: napi.h');
        expect(whyFailed(gyp, 1, '/my clone')).to.contain('a space in its name (/my clone)');
        const headers = `npm error gyp ERR! configure error
npm error gyp ERR! stack Error: This is most likely not a problem with node-gyp or the package itself and
npm error gyp ERR! stack is related to network connectivity. In most cases you are behind a proxy or have bad
npm error gyp ERR! stack network settings.
npm error gyp ERR! stack     at Request.<anonymous> (/lib/node-gyp/lib/install.js:243:11)
`;
        expect(whyFailed(headers, 1, '/clone'))
            .to.match(/^A native module could not be compiled: Error: .* have bad network settings\.$/)
            .and.not.to.include('install.js');
        expect(whyFailed('npm error code EUSAGE\nnpm error no lock file\n', 1, '/clone')).to.equal('npm ci failed: no lock file.');
    });

    it('names install scripts that npm did not run, a system library that is missing, or what the Node says that does not start', () => {
        expect(whyUnusable(process.execPath)).to.equal(undefined);
        expect(whyUnusable(join(folder, 'node'))).to.contain('ignore-scripts');
        // What the kernel says of a missing interpreter is what it says of a missing loader.
        writeFileSync(join(folder, 'musl'), '#!/lib/ld-musl-missing.so.1\n', { mode: 0o755 });
        expect(whyUnusable(join(folder, 'musl'))).to.contain('glibc');
        writeFileSync(join(folder, 'broken'), '#!/bin/sh\necho broken >&2\nexit 1\n', { mode: 0o755 });
        expect(whyUnusable(join(folder, 'broken'))).to.contain('does not start on this system (broken)');
    });
});
