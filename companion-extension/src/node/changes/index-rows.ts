// SPDX-License-Identifier: Apache-2.0

import { Entry, fromName, isSameEntry } from './index-entry';
import { canUndo, IndexRow, isOfIndex, RowNote, rowOf, versionOf } from './index-row';
import { KnownNames, noNames } from './known-names';
import { TurnRecords } from './turn-records';
import { UndoneFile, UndoneFiles } from './undone-files';
import { DiskEntry } from './work-tree';

/** So many names are remembered of what was kept. */
const MAX_KEPT = 1_000;

/** A row, by its path in the root. */
export interface ListedRow {
    readonly path: string;
    readonly row: IndexRow;
    readonly version: string;
    readonly canUndo: boolean;
    readonly note: RowNote | undefined;
    /** The file is as HEAD has it, and its base is only what the user kept or accepted: Undo would move it away from HEAD. */
    readonly isAsCommitted: boolean;
    /** The user has kept it before. */
    readonly isAgain: boolean;
}

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
    turns = new TurnRecords();

    /** Those that stand for entries of the index. */
    get ofIndex(): IndexRow[] {
        return [...this.all.values()].filter(isOfIndex);
    }

    /** The bases of all files that are listed: a start leaves them. */
    get bases(): Map<string, Entry> {
        const inFolders = [...this.all.values()].flatMap(({ files = [] }) => files.map(name => [name, null] as const));
        return new Map<string, Entry>([...inFolders, ...this.ofIndex.map(({ name, base }) => [name, base] as const)]);
    }

    /** A start has found what is known beside the index. What is listed stays so. */
    renew(found: KnownNames): void {
        const { kept, unknown, secret, large, before } = this.known;
        for (const { name, kind } of this.all.values()) {
            if (kept.has(name)) {
                found.kept.add(name);
            }
            if (unknown.has(name)) {
                found.unknown.add(name);
            }
            if (!isOfIndex({ kind })) {
                restore(name, secret, found.secret);
                restore(name, large, found.large);
                restore(name, before, found.before);
                found.nested.delete(name);
            }
        }
        this.known = found;
    }

    get(name: string): IndexRow | undefined {
        return this.all.get(name) ?? this.all.get(`${name}/`);
    }

    /** @param prefix of the root in the names of its rows */
    listed(prefix: string): ListedRow[] {
        return [...this.all.values()].map(row => ({
            path: fromName(row.name.slice(prefix.length)),
            row,
            version: versionOf(row),
            canUndo: canUndo(row),
            note: this.notes.get(row.name),
            isAsCommitted: row.equalsHead === true && this.known.kept.has(row.name),
            isAgain: this.kept.has(row.name)
        }));
    }

    /** Nothing is left of a row, for the user has kept it. */
    noteKept(name: string): void {
        this.kept.delete(name);
        this.kept.add(name);
        [...this.kept].slice(0, -MAX_KEPT).forEach(oldest => this.kept.delete(oldest));
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

function restore<T>(name: string, from: ReadonlyMap<string, T>, to: Map<string, T>): void {
    const value = from.get(name);
    if (value === undefined) {
        to.delete(name);
    } else {
        to.set(name, value);
    }
}
