// SPDX-License-Identifier: Apache-2.0

import { Entry, isSameEntry } from './index-entry';
import { IndexRow, isOfIndex, rowOf } from './index-row';
import { KnownNames, noNames } from './known-names';
import { UndoneFiles } from './undone-files';
import { DiskEntry } from './work-tree';

/** Who changed a row, and when. */
export interface RowNote {
    /** Of the row: another content is another note. */
    readonly version: string;
    /** The agents that worked when it was changed; empty if none did. */
    readonly agents: readonly string[];
    /** In milliseconds since the epoch. */
    readonly changedAt: number;
    /** It was committed while an agent worked. */
    readonly isCommitted?: true;
}

/** What the last look saw, and what is known beside the index. */
export class IndexRows {
    /** By their names. */
    all = new Map<string, IndexRow>();
    known: KnownNames = noNames();
    /** By the names of rows. */
    notes = new Map<string, RowNote>();
    undone = new UndoneFiles();

    /** Those that stand for entries of the index. */
    get ofIndex(): IndexRow[] {
        return [...this.all.values()].filter(isOfIndex);
    }

    get(name: string): IndexRow | undefined {
        return this.all.get(name) ?? this.all.get(`${name}/`);
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
