// SPDX-License-Identifier: Apache-2.0

import { GitMoves } from './git-moves';
import { Entry, isSameEntry, nameIn, splitOutput } from './index-entry';
import { IndexRow, isOfIndex } from './index-row';
import { PrivateGit } from './private-git';
import { UsersIndex } from './users-index';
import { WorkTree } from './work-tree';

/** With more names all of the tree is read: a command line has a limit. */
const MAX_NAMED = 200;

/** What the commit that HEAD names has for files. */
export class HeadTree {
    protected head: string | undefined;
    protected readonly entries = new Map<string, Entry>();
    /** HEAD and the user's index, when files were compared with it. */
    protected compared = '';

    constructor(
        protected readonly git: PrivateGit,
        protected readonly tree: Pick<WorkTree, 'entry'>,
        protected readonly users: UsersIndex,
        protected readonly moves: Pick<GitMoves, 'aliases'>
    ) {}

    /** Says of rows which of them, and which bases, are as HEAD has them. @param before the rows of the last look */
    async mark(rows: Map<string, IndexRow>, before: ReadonlyMap<string, IndexRow>): Promise<void> {
        if (!this.git.repository) {
            return;
        }
        const all = [...rows.values()];
        const committed = await this.read(all.filter(isOfIndex).map(({ name }) => name));
        const converted: IndexRow[] = [];
        for (const row of all.filter(isOfIndex)) {
            const [equalsHead, isHeadBase] = [row.now, row.base].map(entry => this.isHeads(row.name, entry));
            rows.set(row.name, { ...row, equalsHead, isHeadBase });
            if (!equalsHead && row.now && committed.get(row.name)) {
                converted.push(row);
            }
        }
        await this.markConverted(converted, rows, before);
        for (const row of all) {
            if (row.files) {
                rows.set(row.name, { ...row, equalsHead: await this.hasAll(row.files) });
            }
        }
    }

    /** The base is HEAD's text now. */
    noteBase(name: string, base: Entry): void {
        const committed = this.entries.get(name);
        if (committed && base && committed.oid !== base.oid) {
            this.moves.aliases.set(name, { user: committed.oid, own: base.oid });
        }
    }

    /** A filter may convert them: the user's index says of which blob a file is made. It is read only after it has changed. */
    protected async markConverted(
        converted: readonly IndexRow[],
        rows: Map<string, IndexRow>,
        before: ReadonlyMap<string, IndexRow>
    ): Promise<void> {
        const now = `${this.head} ${await this.users.version()}`;
        const isMoved = now !== this.compared;
        this.compared = now;
        const entries = isMoved && converted.length > 0 ? await this.users.read(converted.map(({ name }) => name)) : undefined;
        for (const { name } of converted) {
            const [row, earlier] = [rows.get(name), before.get(name)];
            const equalsHead = entries
                ? await this.users.isWritten(name, this.entries.get(name), entries.get(name))
                : isSameEntry(earlier?.now, row?.now) && earlier?.equalsHead;
            if (row && equalsHead) {
                rows.set(name, { ...row, equalsHead });
            }
        }
    }

    /** Of a new folder. */
    protected async hasAll(names: readonly string[]): Promise<boolean> {
        const [first] = names;
        // Most are not committed as a whole, and may have thousands of files.
        const isThere = Boolean((await this.read([first])).get(first));
        const committed = isThere ? await this.read(names) : undefined;
        const entries = committed ? await this.users.read(names) : undefined;
        for (const name of committed ? names : []) {
            const isEqual = this.isHeads(name, await this.tree.entry(name));
            if (!isEqual && !(await this.users.isWritten(name, committed?.get(name), entries?.get(name)))) {
                return false;
            }
        }
        return isThere;
    }

    /** Byte for byte, or as a filter converts it. */
    protected isHeads(name: string, entry: Entry): boolean {
        const [committed, alias] = [this.entries.get(name), this.moves.aliases.get(name)];
        const isAlias = alias !== undefined && committed?.oid === alias.user && entry?.oid === alias.own;
        return committed !== undefined && (isSameEntry(committed, entry) || (isAlias && committed?.mode === entry?.mode));
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
        for (const line of splitOutput(output).filter(each => this.entries.has(nameIn(each)))) {
            const [mode, , oid] = line.split(/[ \t]/, 3);
            this.entries.set(nameIn(line), { mode, oid });
        }
        return this.entries;
    }
}
