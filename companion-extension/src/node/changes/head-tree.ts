// SPDX-License-Identifier: Apache-2.0

import { Entry, splitOutput } from './index-entry';
import { PrivateGit } from './private-git';

/** With more names all of the tree is read: a command line has a limit. */
const MAX_NAMED = 200;

/** What the commit that HEAD names has for files. */
export class HeadTree {
    protected head: string | undefined;
    protected readonly entries = new Map<string, Entry>();

    constructor(protected readonly git: PrivateGit) {}

    /** @returns by the names; empty if there is no commit */
    async read(names: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
        const head = await this.git.repository?.head();
        if (head !== this.head) {
            this.entries.clear();
            this.head = head;
        }
        const missing = names.filter(name => !this.entries.has(name));
        if (head === undefined || missing.length === 0) {
            return this.entries;
        }
        const named = missing.length > MAX_NAMED ? [] : ['--', ...missing];
        const args = ['ls-tree', '-r', '-z', '--full-tree', head, ...named];
        // The tree may be missing, as in a partial clone.
        const output = await this.git.run(args, { env: this.git.readingObjects }).catch(() => '');
        missing.forEach(name => this.entries.set(name, null));
        for (const line of splitOutput(output)) {
            const [, mode, oid, name] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
            if (this.entries.has(name)) {
                this.entries.set(name, { mode, oid });
            }
        }
        return this.entries;
    }
}
