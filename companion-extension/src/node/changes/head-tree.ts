// SPDX-License-Identifier: Apache-2.0

import { GitMoves } from './git-moves';
import { Entry, isSameEntry, splitOutput } from './index-entry';
import { IndexRow, isOfIndex } from './index-row';
import { PrivateGit } from './private-git';
import { WorkTree } from './work-tree';

/** With more names all of the tree is read: a command line has a limit. */
const MAX_NAMED = 200;

/** What the commit that HEAD names has for files. */
export class HeadTree {
    protected head: string | undefined;
    protected readonly entries = new Map<string, Entry>();

    constructor(
        protected readonly git: PrivateGit,
        protected readonly tree: Pick<WorkTree, 'entry'>,
        protected readonly moves: Pick<GitMoves, 'aliases'>
    ) {}

    /** Says of rows which of them, and which bases, are as HEAD has them. */
    async mark(rows: Map<string, IndexRow>): Promise<void> {
        const ofIndex = this.git.repository ? [...rows.values()].filter(isOfIndex) : [];
        const entries = ofIndex.length > 0 ? await this.read(ofIndex.map(({ name }) => name)) : new Map<string, Entry>();
        for (const row of ofIndex) {
            const committed = entries.get(row.name);
            const [equalsHead, isHeadBase] = [row.now, row.base].map(entry => this.isHeads(row.name, committed, entry));
            rows.set(row.name, { ...row, equalsHead, isHeadBase });
        }
        for (const row of this.git.repository ? rows.values() : []) {
            if (row.files) {
                rows.set(row.name, { ...row, equalsHead: await this.hasAll(row.files) });
            }
        }
    }

    /** Of a new folder. */
    protected async hasAll(names: readonly string[]): Promise<boolean> {
        const [first] = names;
        // Most are not committed as a whole, and may have thousands of files.
        const entries = (await this.read([first])).get(first) ? await this.read(names) : undefined;
        for (const name of entries ? names : []) {
            if (!this.isHeads(name, entries?.get(name), await this.tree.entry(name))) {
                return false;
            }
        }
        return entries !== undefined;
    }

    /** @param committed `undefined` if there is no commit */
    protected isHeads(name: string, committed: Entry | undefined, entry: Entry): boolean {
        // Of a file that a filter converts, the repository has other bytes.
        const alias = this.moves.aliases.get(name);
        const isAlias = committed?.oid === alias?.user && entry?.oid === alias?.own && committed?.mode === entry?.mode;
        return committed !== undefined && (isSameEntry(committed, entry) || (alias !== undefined && isAlias));
    }

    /** @returns by the names; empty if there is no commit */
    protected async read(names: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
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
