// SPDX-License-Identifier: Apache-2.0

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { removeStaleOutput } from './stale-output.mjs';

describe('what was compiled from a source that is gone', () => {
    let folder;

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'stale-output-'))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('is removed, and nothing else', () => {
        const here = ['node/a.js', 'node/a.js.map', 'node/a.d.ts', 'node/a.d.ts.map', 'browser/b.js', 'node/c.spec.js', '.tsbuildinfo'];
        const gone = ['node/b.js', 'node/b.js.map', 'node/b.d.ts', 'node/b.d.ts.map', 'node/a.spec.js', 'old/folder/a.js'];
        write('src', 'node/a.ts', 'browser/b.tsx', 'node/c.spec.ts');
        write('lib', ...here, ...gone);
        removeStaleOutput(folder);
        const left = readdirSync(join(folder, 'lib'), { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
        expect(left.map(({ parentPath, name }) => join(parentPath, name))).to.have.members(here.map(file => join(folder, 'lib', file)));
    });

    it('may be nothing, before the first compilation', () => {
        write('src', 'a.ts');
        expect(() => removeStaleOutput(folder)).not.to.throw();
    });

    function write(below, ...files) {
        for (const file of files) {
            mkdirSync(dirname(join(folder, below, file)), { recursive: true });
            writeFileSync(join(folder, below, file), '');
        }
    }
});
