// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import * as fc from 'fast-check';
import { checkReviewPath, isOutside } from '../../review/review-path';
import { fuzzBounds, fuzzTimeout } from './fuzz-bounds';

describe('Fuzz: paths of proposals', function () {
    this.timeout(fuzzTimeout());

    let base: string;
    let workspace: string;

    before(() => {
        base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'companion-paths-')));
        workspace = path.join(base, 'ws');
        fs.mkdirSync(path.join(workspace, 'folder', 'deep'), { recursive: true });
        fs.mkdirSync(path.join(base, 'outside'));
        fs.writeFileSync(path.join(workspace, 'file'), '');
        fs.writeFileSync(path.join(base, 'outside', 'file'), '');
        fs.symlinkSync('../outside', path.join(workspace, 'link'));
        fs.symlinkSync('folder/deep', path.join(workspace, 'inner-link'));
        fs.symlinkSync('../ws', path.join(base, 'outside', 'back'));
        fs.symlinkSync('nowhere', path.join(workspace, 'dangling'));
        execFileSync('mkfifo', [path.join(workspace, 'pipe')]);
    });

    after(() => fs.rmSync(base, { recursive: true }));

    /** Where a program writes that makes the missing folders first, as the system sees it. What it made is taken away again. */
    function whereItWrites(filePath: string): string | undefined {
        const made: string[] = [];
        try {
            let folder = '/';
            for (const name of path.dirname(filePath).split('/')) {
                const next = `${folder}/${name}`;
                if (!fs.existsSync(next) && !next.endsWith('/..')) {
                    fs.mkdirSync(next);
                    made.push(next);
                }
                folder = fs.realpathSync(next);
                if (folder !== base && !folder.startsWith(`${base}/`) && !base.startsWith(folder)) {
                    return folder;
                }
            }
            const target = `${folder}/${path.basename(filePath)}`;
            return fs.existsSync(target) ? fs.realpathSync(target) : target;
        } catch {
            return undefined;
        } finally {
            made.reverse().forEach(folder => fs.rmdirSync(folder));
        }
    }

    it('a path counts as inside only if it leads there for the system and for a program that removes `..` from the text', async () => {
        const down = fc.constantFrom('missing', 'new', 'folder', 'deep', 'link', 'inner-link', 'back', 'file', 'pipe', 'dangling', 'ws');
        // Not above the base: what the oracle makes must not lie among the files of others.
        const names = fc.array(fc.oneof(down, fc.constantFrom('..', '.', '')), { minLength: 1, maxLength: 8 });
        const property = fc.asyncProperty(names, async list => {
            const filePath = `${workspace}/${list.join('/')}`;
            const result = await checkReviewPath(filePath, [workspace]);
            if ('problem' in result) {
                return;
            }
            for (const spelling of [filePath, path.normalize(filePath)]) {
                const target = whereItWrites(spelling);
                expect(target, spelling).not.to.equal(undefined);
                const isInside = (target ?? '').startsWith(`${workspace}/`);
                expect(isInside || isOutside(result.file.realPath, [workspace]), `${spelling} leads to ${target}`).to.equal(true);
                expect(fs.existsSync(target ?? '') ? fs.statSync(target ?? '').isFile() : true, target).to.equal(true);
            }
        });
        await fc.assert(property, fuzzBounds());
    });
});
