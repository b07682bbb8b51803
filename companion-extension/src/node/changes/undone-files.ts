// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { FileText } from '../../common/diff/line-hunks';
import { Entry, fromName } from './index-entry';
import { RowNote } from './index-row';
import { TurnEdits } from './turn-records';

const KEPT_MS = 14 * 24 * 3_600_000;
const MAX_SETS = 50;

/** A file that an undo changed. */
export interface UndoneFile {
    readonly name: string;
    /** What it took away. */
    readonly taken: Entry;
    /** What it left. */
    readonly left: Entry;
    /** The row in which it was, and who changed that. */
    readonly row?: string;
    readonly note?: RowNote;
    /** What of turns it took away. */
    readonly edits?: readonly TurnEdits[];
}

/** The same for a list, by its path in the root. */
export interface ListedUndone {
    readonly id: string;
    readonly path: string;
    /** In milliseconds since the epoch. */
    readonly at: number;
    /** As `RowNote.agents`; absent if none worked. */
    readonly authors?: string[];
}

/** The text that an undo took away, and the one that it left; `null` for no file. */
export interface TakenText {
    readonly taken: FileText;
    readonly left: FileText;
}

/** What one undo did: Put Back has all of it. */
export interface UndoneSet {
    readonly id: string;
    /** In milliseconds since the epoch. */
    readonly at: number;
    readonly files: readonly UndoneFile[];
}

/** The undos that can be put back: the last fifty, for 14 days. Their objects are needed. */
export class UndoneFiles {
    protected sets: UndoneSet[];

    constructor(stored: readonly UndoneSet[] = []) {
        this.sets = [...stored];
    }

    /** The oldest first. */
    get stored(): readonly UndoneSet[] {
        return this.sets;
    }

    /** @param prefix of the root in the names of its files */
    listed(prefix: string): ListedUndone[] {
        return this.sets.flatMap(({ id, at, files }) =>
            files.map(({ name, note: { agents = [] } = {} }) => ({
                id,
                at,
                path: fromName(name.slice(prefix.length)),
                ...(agents.length > 0 && { authors: [...agents] })
            }))
        );
    }

    find(id: string, name: string): UndoneFile | undefined {
        return this.get(id)?.files.find(file => file.name === name);
    }

    /** An editor's own undo may bring back what an undo took away. @returns what it brings back */
    takeBack(name: string, left: string | undefined, taken: string | undefined): UndoneFile | undefined {
        const isMeant = (file: UndoneFile): boolean => file.name === name && file.left?.oid === left && file.taken?.oid === taken;
        const found = this.sets.find(({ files }) => files.some(isMeant));
        if (found) {
            this.remove(found.id, name);
        }
        return found?.files.find(isMeant);
    }

    /** @param id of the set that an undo of several files makes */
    add(file: UndoneFile, id: string = randomUUID()): void {
        const set = this.get(id) ?? { id, at: Date.now(), files: [] };
        const others = this.sets.filter(other => other !== set && Date.now() - other.at < KEPT_MS);
        this.sets = [...others, { ...set, files: [...set.files, file] }].slice(-MAX_SETS);
    }

    /** @param name of one file of the set; all if it is left out */
    remove(id: string, name?: string): void {
        this.filter(({ name: other }, set) => set.id !== id || (name !== undefined && other !== name));
    }

    /** Drops the files that are not wanted, and sets without any. */
    filter(isWanted: (file: UndoneFile, set: UndoneSet) => boolean): void {
        this.sets = this.sets
            .map(set => ({ ...set, files: set.files.filter(file => isWanted(file, set)) }))
            .filter(({ files }) => files.length > 0);
    }

    protected get(id: string): UndoneSet | undefined {
        return this.sets.find(set => set.id === id);
    }

    /** The objects by which files are put back. */
    get oids(): string[] {
        const entriesOf = ({ taken, left, edits = [] }: UndoneFile): Entry[] => [
            taken,
            left,
            ...edits.flatMap(each => each.edits).flatMap(({ before, after }) => [before, after])
        ];
        return this.sets.flatMap(({ files }) => files.flatMap(entriesOf)).flatMap(entry => entry?.oid ?? []);
    }
}
