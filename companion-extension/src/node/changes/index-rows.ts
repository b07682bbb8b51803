// SPDX-License-Identifier: Apache-2.0

import { Entry, isSameEntry } from './index-entry';
import { IndexRow, isOfIndex, RowNote, rowOf, versionOf } from './index-row';
import { KnownNames, noNames } from './known-names';
import { TurnRecords } from './turn-records';
import { UndoneFile, UndoneFiles } from './undone-files';
import { DiskEntry } from './work-tree';

/** What the last look saw, and what is known beside the index. */
export class IndexRows {
    /** By their names. */
    all = new Map<string, IndexRow>();
    known: KnownNames = noNames();
    /** By the names of rows. */
    notes = new Map<string, RowNote>();
    undone = new UndoneFiles();
    turns = new TurnRecords();

    /** Those that stand for entries of the index. */
    get ofIndex(): IndexRow[] {
        return [...this.all.values()].filter(isOfIndex);
    }

    get(name: string): IndexRow | undefined {
        return this.all.get(name) ?? this.all.get(`${name}/`);
    }

    /** What an undo took away is there again: the agents that had changed it are those of the row, and their turns have it. */
    bringBack({ name, row = name, note, edits = [] }: UndoneFile): void {
        if (note) {
            this.notes.set(row, note);
        }
        this.turns.putBack(edits);
    }

    /** It is one of many in a row. */
    isInFolder(name: string): boolean {
        return [...this.all.values()].some(({ files }) => files?.includes(name));
    }

    /** What the user makes of a row is still its agents'. @param before the row before that */
    keepNote(before: IndexRow | undefined): void {
        const [after, note] = before ? [this.all.get(before.name), this.notes.get(before.name)] : [];
        if (before && after && note?.version === versionOf(before)) {
            this.notes.set(before.name, { ...note, version: versionOf(after) });
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
