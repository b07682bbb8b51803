// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import { mainCheckoutOf } from './main-checkout';

describe('The main checkout of a worktree', () => {
    let folder: string;

    beforeEach(() => {
        folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'worktrees-')));
    });

    afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

    function git(...args: string[]): void {
        const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
        execFileSync('git', [...author, ...args], { cwd: path.join(folder, 'main'), stdio: 'ignore' });
    }

    it('is found from any folder in it, as git makes it', async () => {
        fs.mkdirSync(path.join(folder, 'main'));
        git('init');
        git('commit', '--allow-empty', '--message', 'first');
        git('worktree', 'add', path.join(folder, 'beside'));
        fs.mkdirSync(path.join(folder, 'beside', 'src'));
        expect(await mainCheckoutOf(path.join(folder, 'beside', 'src'))).to.equal(path.join(folder, 'main'));
        expect(await mainCheckoutOf(path.join(folder, 'main')), 'it is no worktree').to.equal(undefined);
    });

    it('is none of a submodule, of a file that says nothing, and where there is no repository', async () => {
        const file = path.join(folder, '.git');
        expect(await mainCheckoutOf(folder)).to.equal(undefined);
        for (const text of ['gitdir: ../.git/modules/part', 'nothing', 'x'.repeat(10_000)]) {
            fs.writeFileSync(file, text);
            expect(await mainCheckoutOf(folder)).to.equal(undefined);
        }
    });
});
