// SPDX-License-Identifier: Apache-2.0

import { toName } from './index-entry';
import { IndexParts } from './index-parts';
import { IndexRows } from './index-rows';
import { GitPosition } from './user-repository';

/** What was when the IDE began to write a file. */
export interface SaveBegin {
    /** Where the user's git was; `undefined` without a repository. */
    readonly position: GitPosition | undefined;
    /** Of what stood there, as `keyOf` has it; `undefined` for nothing. */
    readonly key?: string;
}

/** More are folded at once: while git does not answer, nothing is looked at. */
const MAX_WAITING = 100;

/** The IDE has written a file for the user. */
export interface Save {
    readonly file: string;
    /** What stood there; `null` for nothing, `undefined` if that is not known. */
    readonly from: Buffer | null | undefined;
    /** Likewise. */
    readonly to: Buffer | null | undefined;
    readonly begin: SaveBegin;
}

/**
 * Saves that are in no baseline yet, in their order. A save and what git does go into it one after the other, as they happened: otherwise a
 * stash takes lines of the user along that the baseline has not got yet, and brings them back as an agent's.
 */
export class IndexSaves {
    protected readonly saves: Save[] = [];

    constructor(protected readonly rows: IndexRows) {}

    get isEmpty(): boolean {
        return this.saves.length === 0;
    }

    add(save: Save): void {
        this.saves.push(save);
    }

    /** Folds those before which git has done nothing that no look has seen. Without looks it folds all. */
    async foldReached(parts: IndexParts, tracking: boolean): Promise<void> {
        const reached = JSON.stringify(parts.moves.position);
        const isReached = ({ begin }: Save): boolean => !tracking || JSON.stringify(begin.position) === reached;
        while (this.saves.length > 0 && (isReached(this.saves[0]) || this.saves.length > MAX_WAITING)) {
            await this.foldFirst(parts, tracking);
        }
    }

    /** A look has seen all that git did. */
    async foldAll(parts: IndexParts): Promise<void> {
        while (this.saves.length > 0) {
            await this.foldFirst(parts, true);
        }
    }

    protected async foldFirst({ fold, moves, objects, turns, prefix }: IndexParts, tracking: boolean): Promise<void> {
        const save = this.saves.shift();
        if (!save) {
            return;
        }
        const { from, to, begin } = save;
        const name = prefix + toName(save.file);
        if (to === undefined || this.rows.known.large.has(name)) {
            await fold.foldLarge(name, from, to, begin.key);
            return;
        }
        const [left, taken] = [from, to].map(bytes => bytes && objects.idOf(bytes));
        const back = from === undefined ? undefined : this.rows.undone.takeBack(name, left ?? undefined, taken ?? undefined);
        if (back) {
            await fold.see(name);
            this.rows.bringBack(back);
            return;
        }
        const before = this.rows.all.get(name);
        if (from !== undefined) {
            await turns.noteSave(name, from, to);
        }
        if (tracking || before) {
            await fold.foldSave(name, from, to);
        }
        moves.updateMemory(this.rows.all.get(name));
        this.rows.keepNote(before);
    }
}
