// SPDX-License-Identifier: Apache-2.0

import { Entry, isSameEntry } from './index-entry';
import { IndexRow, isOfIndex, RowNote, rowOf } from './index-row';
import { KnownNames, noNames } from './known-names';
import { UndoneFile, UndoneFiles } from './undone-files';
import { DiskEntry } from './work-tree';

/** So many names are remembered of what was kept. */
const MAX_KEPT = 1_000;

/** What the last look saw, and what is known beside the index. */
export class IndexRows {
    /** By their names. */
    all = new Map<string, IndexRow>();
    known: KnownNames = noNames();
    /** By the names of rows. */
    notes = new Map<string, RowNote>();
    undone = new UndoneFiles();
    /** Those of which Keep has left nothing, by their names, the oldest first. A backend that is restarted does not know them. */
    protected readonly kept = new Set<string>();

    /** Those that stand for entries of the index. */
    get ofIndex(): IndexRow[] {
        return [...this.all.values()].filter(isOfIndex);
    }

    get(name: string): IndexRow | undefined {
        return this.all.get(name) ?? this.all.get(`${name}/`);
    }

    /** Nothing is left of a row, for the user has kept it. */
    noteKept(name: string): void {
        this.kept.delete(name);
        this.kept.add(name);
        [...this.kept].slice(0, -MAX_KEPT).forEach(oldest => this.kept.delete(oldest));
    }

    /** It has changed again after the user kept it. */
    isAgain({ name }: IndexRow): boolean {
        return this.kept.has(name);
    }

    /** What an undo took away is there again: the agents that had changed it are those of the row. */
    bringBack({ name, row = name, note }: UndoneFile): void {
        if (note) {
            this.notes.set(row, note);
        }
    }

    /** The row goes when the disk is as its base. */
    update({ name, kind, now: before, equalsHead }: IndexRow, base: Entry, now: DiskEntry | null): void {
        if (isSameEntry(base, now)) {
            this.all.delete(name);
        } else {
            const entry = now && { mode: now.mode, oid: now.oid, ...(now.isNameOnly && { isNameOnly: now.isNameOnly }) };
            const row = rowOf(name, base, entry, kind === 'unknown');
            this.all.set(name, isSameEntry(before, now) ? { ...row, equalsHead } : row);
        }
    }
}
