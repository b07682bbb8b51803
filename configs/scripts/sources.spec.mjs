// SPDX-License-Identifier: Apache-2.0

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { sourcesBelow } from './sources.mjs';

describe('the sources of a package', () => {
    let root;

    beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'sources-'))));
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    it('are found where the clone lies below folders named lib or node_modules', () => {
        const folder = join(root, 'lib', 'node_modules', 'clone');
        const wanted = ['a.ts', 'library/b.mts', 'node/c.spec.mjs'];
        for (const file of [...wanted, 'lib/a.ts', 'lib-old/a.ts', 'node_modules/x/a.ts', 'node/c.js']) {
            mkdirSync(dirname(join(folder, file)), { recursive: true });
            writeFileSync(join(folder, file), '');
        }
        expect(sourcesBelow(folder)).to.deep.equal(wanted.map(file => join(folder, file)));
    });
});
