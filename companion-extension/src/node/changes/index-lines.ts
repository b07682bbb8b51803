// SPDX-License-Identifier: Apache-2.0

import { hunksOf } from '../../common/diff/line-hunks';
import { decodeRaw } from '../../common/diff/raw-text';
import { isSameEntry, splitOutput } from './index-entry';
import { IndexJournal } from './index-journal';
import { hasHunks, IndexLimits } from './index-limits';
import { IndexRow } from './index-row';
import { ObjectStore } from './object-store';
import { PrivateGit } from './private-git';
import { WorkTree } from './work-tree';

/** With more names all is compared: a command line has a limit. */
const MAX_NAMED = 200;
/** Entries of the journal are compared one by one, each by a process. More go into the index before. */
const MAX_COMPARED = 10;
const LINE_END = 10;
/** git looks for a NUL in so many bytes. */
const BINARY_BYTES = 8_000;
/** What git diffs as text. The private directory has no such bound: see `PrivateGit`. */
const AS_TEXT = ['-c', 'core.bigFileThreshold=512m'];
/** A line that only ends otherwise is no other line. */
const NUMBERS = ['--numstat', '-z', '--no-renames', '--ignore-cr-at-eol'];

/** How many lines a change adds and removes. */
export interface LineCount {
    readonly added: number;
    readonly removed: number;
    /** It has no lines. */
    readonly isBinary: boolean;
    /** It has no single changes: no lines are told apart. */
    readonly isWhole?: true;
}

/** Counts the lines of rows, by git: a diff of a large file would stop the backend. */
export class IndexLines {
    constructor(
        protected readonly git: PrivateGit,
        protected readonly tree: WorkTree,
        protected readonly objects: ObjectStore,
        protected readonly journal: IndexJournal,
        protected readonly limits: IndexLimits
    ) {}

    /** @param rows whose content differs. @returns by their names */
    async count(rows: readonly IndexRow[]): Promise<Map<string, LineCount>> {
        const counts = new Map<string, LineCount>();
        if (rows.filter(({ name, base }) => base && this.journal.entries.has(name)).length > MAX_COMPARED) {
            await this.journal.flush(true);
        }
        const indexed = rows.filter(({ name, base }) => base && !this.journal.entries.has(name)).map(({ name }) => name);
        if (indexed.length > 0) {
            const named = indexed.length > MAX_NAMED ? [] : ['--', ...indexed];
            this.take(await this.run(['diff-files', ...NUMBERS, ...named]), counts);
            // A line end alone may have no line there.
            indexed.filter(name => !counts.has(name)).forEach(name => counts.set(name, { added: 0, removed: 0, isBinary: false }));
        }
        for (const { name, base, now } of rows.filter(row => !row.base || this.journal.entries.has(row.name))) {
            const count = base && now ? await this.compare(base.oid, name) : await this.countAll(base?.oid, name);
            if (count) {
                counts.set(name, count);
            }
        }
        for (const row of rows.filter(({ name }) => counts.get(name)?.isBinary)) {
            const count = await this.compareTexts(row);
            if (count) {
                counts.set(row.name, count);
            }
        }
        for (const { name, now } of rows) {
            if (!isSameEntry(now, await this.tree.entry(name))) {
                // What was counted is another text: a stash may have it.
                counts.delete(name);
            }
        }
        for (const name of await this.findWhole(rows)) {
            const count = counts.get(name);
            if (count) {
                counts.set(name, { ...count, isWhole: true });
            }
        }
        return counts;
    }

    /** Those in which no lines are told apart. Of most the size says it. */
    protected async findWhole(rows: readonly IndexRow[]): Promise<string[]> {
        const based = rows.filter(({ base }) => base);
        const input = based.map(({ base }) => `${base?.oid}\n`).join('');
        const sizes = based.length > 0 ? (await this.run(['cat-file', '--batch-check=%(objectsize)', '--buffer'], input)).split('\n') : [];
        const baseSizes = new Map(based.map(({ name }, index) => [name, Number(sizes[index])]));
        const found: string[] = [];
        for (const { name, base } of rows) {
            const isLong = async (size: number, read: () => Promise<Buffer | null | undefined>): Promise<boolean> => {
                const bytes = size > this.limits.textLines && size <= this.limits.textBytes ? await read() : undefined;
                return size > this.limits.textBytes || (bytes ? !hasHunks(bytes, this.limits) : false);
            };
            const size = (await this.tree.stat(name))?.size ?? 0;
            if (
                (await isLong(size, async () => (await this.tree.read(name))?.bytes)) ||
                (base && (await isLong(baseSizes.get(name) ?? 0, () => this.objects.bytesOf(base.oid))))
            ) {
                found.push(name);
            }
        }
        return found;
    }

    /** UTF-16 is no text for git. */
    protected async compareTexts({ name, base, now }: IndexRow): Promise<LineCount | undefined> {
        const bytes = [base && (await this.objects.bytesOf(base.oid)), now && (await this.tree.read(name))?.bytes];
        const [before, after] = bytes.map(each =>
            each && hasHunks(each, this.limits) ? decodeRaw(each) : each === null ? null : undefined
        );
        if (before === undefined || after === undefined) {
            return undefined;
        }
        const hunks = hunksOf(before, after);
        return {
            added: hunks.reduce((sum, { diskStart, diskEnd }) => sum + diskEnd - diskStart, 0),
            removed: hunks.reduce((sum, { baseStart, baseEnd }) => sum + baseEnd - baseStart, 0),
            isBinary: false
        };
    }

    protected run(args: readonly string[], input?: string): Promise<string> {
        return this.git.run([...AS_TEXT, ...args], { env: this.git.readingObjects, ...(input !== undefined && { input }) });
    }

    protected take(output: string, counts: Map<string, LineCount>): void {
        for (const line of splitOutput(output)) {
            const [added, removed, name] = line.split('\t');
            counts.set(name, { added: Number(added) || 0, removed: Number(removed) || 0, isBinary: added === '-' });
        }
    }

    /** With a base that is not in the index yet. */
    protected async compare(oid: string, name: string): Promise<LineCount | undefined> {
        const counts = new Map<string, LineCount>();
        this.take(await this.run(['diff', ...NUMBERS, oid, '--', name]), counts);
        return counts.get(name) ?? { added: 0, removed: 0, isBinary: false };
    }

    /** Of what is new, or gone. */
    protected async countAll(oid: string | undefined, name: string): Promise<LineCount | undefined> {
        const now = oid === undefined ? await this.tree.read(name) : undefined;
        const bytes = oid === undefined ? now?.bytes : Buffer.from(await this.run(['cat-file', 'blob', oid]), 'latin1');
        if (!bytes || bytes.length > this.limits.fileBytes) {
            return undefined;
        }
        let lines = bytes.length > 0 && bytes[bytes.length - 1] !== LINE_END ? 1 : 0;
        for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) {
            lines++;
        }
        const isBinary = bytes.subarray(0, BINARY_BYTES).includes(0);
        return { added: oid === undefined ? lines : 0, removed: oid === undefined ? 0 : lines, isBinary };
    }
}
