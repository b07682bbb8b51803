// SPDX-License-Identifier: Apache-2.0

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { execa } from 'execa';
import { ROOT } from './script.mjs';

const FOLDER = join(ROOT, 'docs/theia-patches');
const WORKAROUNDS = ['docs/theia-workarounds.md', 'daemon-extension/ARCHITECTURE.md']
    .map(file => readFileSync(join(ROOT, file), 'utf8'))
    .join();

describe('the patches for Theia', () => {
    for (const name of readdirSync(FOLDER).filter(file => file.endsWith('.patch'))) {
        it(`${name} changes the line that the issue beside it names`, () => {
            const issue = readFileSync(join(FOLDER, name.replace('.patch', '.md')), 'utf8');
            const patch = readFileSync(join(FOLDER, name), 'utf8');
            const [, file, line] = /^`(packages\/\S+):(\d+)`: /m.exec(issue);
            expect(patch).to.include(`--- a/${file}\n`);
            const hunks = [...patch.matchAll(/^@@ -(\d+),(\d+) /gm)].map(([, first, count]) => [
                Number(first),
                Number(first) + Number(count)
            ]);
            expect(hunks.some(([first, end]) => first <= Number(line) && Number(line) < end)).to.equal(true, `line ${line}`);
            expect(WORKAROUNDS).to.include(`theia-patches/${name.replace('.patch', '.md')})`);
        });

        it(`${name} applies to the sources of the Theia that is built with`, async () => {
            const [, folder] = /^--- a\/packages\/([\w-]+)\/src\//m.exec(readFileSync(join(FOLDER, name), 'utf8'));
            // The paths of Theia's repository become those of the published package.
            await execa('git', ['apply', '--check', '-p3', join(FOLDER, name)], {
                cwd: join(ROOT, 'node_modules/@theia', folder),
                // Not as a part of this repository, which ignores that folder.
                env: { GIT_CEILING_DIRECTORIES: join(ROOT, 'node_modules/@theia') }
            });
        });
    }
});
