// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readGuards, ROOT } from './script.mjs';

const PACKAGE = join(ROOT, 'companion-extension');

describe('the guards that guard-check removes', () => {
    for (const { name, file, guard, specs } of readGuards()) {
        it(`${name}: is in the code once, and has its tests`, () => {
            expect(readFileSync(join(PACKAGE, 'lib', file), 'utf8').split(guard)).to.have.length(2);
            expect(specs.filter(spec => readFileSync(join(PACKAGE, spec), 'utf8').includes('describe('))).to.deep.equal(specs);
        });
    }
});
