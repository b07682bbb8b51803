// SPDX-License-Identifier: Apache-2.0

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { leftOut, whyFailed, whyUnusable } from './install.mjs';

describe('an installation', () => {
    let folder;

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'install-'))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('lacks what npm was told to omit, but not the optional packages of other platforms', () => {
        const wanted = { 'node_modules/a': {}, 'node_modules/mocha': { dev: true }, 'node_modules/for-windows': { optional: true } };
        expect(leftOut(wanted, { 'node_modules/a': {} })).to.deep.equal(['node_modules/mocha']);
        expect(leftOut(wanted, { 'node_modules/a': {}, 'node_modules/mocha': {} })).to.deep.equal([]);
    });

    it('that fails names the network, a compiler, or what npm says first', () => {
        const offline = 'npm error code ENOTFOUND\nnpm error network request failed\n';
        expect(whyFailed(offline, 1, '/clone')).to.contain('cannot reach its registry (ENOTFOUND)');
        const gyp = `npm error prebuild-install warn install getaddrinfo ENOTFOUND host\nnpm error x.hpp:20:10: fatal error: napi.h: No such file\nnpm error gyp ERR! not ok\n`;
        expect(whyFailed(gyp, 1, '/clone')).to.contain('could not be compiled: x.hpp:20:10: fatal error: napi.h');
        expect(whyFailed(gyp, 1, '/my clone')).to.contain('a space in its name (/my clone)');
        expect(whyFailed('npm error code EUSAGE\nnpm error no lock file\n', 1, '/clone')).to.equal('npm ci failed: no lock file.');
    });

    it('is usable where its Node starts', () => {
        expect(whyUnusable(process.execPath)).to.equal(undefined);
    });

    it('names install scripts that npm did not run', () => {
        expect(whyUnusable(join(folder, 'node'))).to.contain('ignore-scripts');
    });

    it('names a system library that is missing', () => {
        // What the kernel says of a missing interpreter is what it says of a missing loader.
        expect(whyUnusable(executable('#!/lib/ld-musl-missing.so.1\n'))).to.contain('glibc');
    });

    it('names a Node that is there and does not start', () => {
        expect(whyUnusable(executable('#!/bin/sh\necho broken >&2\nexit 1\n'))).to.match(/does not start here \(broken\)/);
    });

    function executable(content) {
        const file = join(folder, 'node');
        writeFileSync(file, content, { mode: 0o755 });
        return file;
    }
});
