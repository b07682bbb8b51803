// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';

/** What git writes into the file `.git` of a worktree (git-worktree(1), "Details"). */
const GITDIR = /^gitdir: (.+)[/\\]\.git[/\\]worktrees[/\\][^/\\]+$/;
const MAX_FILE_BYTES = 8192;

/** @returns the folder of the repository whose worktree this folder is in; `undefined` if it is in none */
export async function mainCheckoutOf(folder: string): Promise<string | undefined> {
    const file = path.join(folder, '.git');
    const stat = await fs.lstat(file).catch(() => undefined);
    if (!stat) {
        const parent = path.dirname(folder);
        return parent === folder ? undefined : mainCheckoutOf(parent);
    }
    const text = stat.isFile() && stat.size <= MAX_FILE_BYTES ? await fs.readFile(file, 'utf8').catch(() => '') : '';
    const [, main] = GITDIR.exec(text.trim()) ?? [];
    return main === undefined ? undefined : path.resolve(folder, main);
}
