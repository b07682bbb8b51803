// SPDX-License-Identifier: Apache-2.0

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { execa } from 'execa';
import { ROOT } from './script.mjs';

const FOLDER = join(ROOT, 'docs/theia-patches');
const WORKAROUNDS = readFileSync(join(ROOT, 'docs/theia-workarounds.md'), 'utf8');

describe('the patches for Theia', () => {
    for (const name of readdirSync(FOLDER)) {
        it(`${name} applies to the sources of the Theia that is built with, and its section links it`, async () => {
            const [, folder] = /^--- a\/packages\/([\w-]+)\/src\//m.exec(readFileSync(join(FOLDER, name), 'utf8'));
            // The paths of Theia's repository become those of the published package.
            await execa('git', ['apply', '--check', '-p3', join(FOLDER, name)], {
                cwd: join(ROOT, 'node_modules/@theia', folder),
                // Not as a part of this repository, which ignores that folder.
                env: { GIT_CEILING_DIRECTORIES: join(ROOT, 'node_modules/@theia') }
            });
            expect(WORKAROUNDS).to.include(`(theia-patches/${name})`);
        });
    }
});
