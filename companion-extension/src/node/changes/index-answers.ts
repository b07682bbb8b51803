// SPDX-License-Identifier: Apache-2.0

import { keepHunk, LineHunk } from '../../common/diff/line-hunks';
import { encodeRaw } from '../../common/diff/raw-text';
import { Entry, isSameEntry } from './index-entry';
import { IndexFold } from './index-fold';
import { IndexJournal } from './index-journal';
import { canUndo, IndexRow, isOfIndex } from './index-row';
import { IndexRows } from './index-rows';
import { GitMoves } from './git-moves';
import { HeadTree } from './head-tree';
import { IndexTurns } from './index-turns';
import { ObjectStore } from './object-store';
import { TakenText, UndoneFile } from './undone-files';
import { WorkTree } from './work-tree';

/** @param file absolute. Rejects if it cannot be done */
export type MoveToTrash = (file: string) => Promise<void>;

/** What a user answers to a row: Keep moves the baseline, Undo takes the change back. */
export class IndexAnswers {
    constructor(
        protected readonly tree: WorkTree,
        protected readonly objects: ObjectStore,
        protected readonly journal: IndexJournal,
        protected readonly moves: GitMoves,
        protected readonly fold: IndexFold,
        protected readonly head: HeadTree,
        protected readonly turns: Pick<IndexTurns, 'foldKept'>,
        protected readonly rows: IndexRows
    ) {}

    /** @param hunk of the row; all of it if it is left out. @returns false if the disk is other than the row */
    async keep(row: IndexRow, hunk?: LineHunk): Promise<boolean> {
        const { name } = row;
        if (!isOfIndex(row)) {
            this.keepName(row);
            return true;
        }
        const now = await this.tree.read(name);
        if (!isSameEntry(row.now, now)) {
            return false;
        }
        let base: Entry = now && { mode: now.mode, oid: now.oid };
        if (hunk) {
            const [before, disk] = [await this.fold.textOf(row.base), now?.bytes && this.fold.decode(now.bytes)];
            if (before === undefined || (disk === undefined && now)) {
                return false;
            }
            const kept = keepHunk(before, disk ?? null, hunk);
            const mode = row.base?.mode ?? now?.mode ?? '';
            base = kept === null ? null : { mode, oid: await this.objects.put(Buffer.from(encodeRaw(kept))) };
            await this.turns.foldKept(name, { base: before, disk: disk ?? null, hunk, kept });
        } else if (now?.bytes) {
            await this.objects.put(now.bytes);
        }
        if (row.isHeadBase) {
            this.rows.known.kept.add(name);
        } else if (row.equalsHead && !hunk) {
            this.rows.known.kept.delete(name);
        }
        this.moves.memory.delete(name);
        if (row.equalsHead && !hunk) {
            this.head.noteBase(name, base);
        }
        await this.journal.set(name, base);
        this.rows.known.unknown.delete(name);
        this.rows.update({ ...row, kind: 'file' }, base, now);
        if (!this.rows.all.has(name)) {
            this.rows.notes.delete(name);
            if (!row.equalsHead) {
                this.rows.noteKept(name);
            }
        }
        return true;
    }

    /**
     * Takes it back as a whole: bytes, mode, link. Rejects with the system's error if it cannot be written.
     *
     * @param keptIn the set of the undo, for Put Back; or the trash, for what is new; `undefined` if what it takes away is not kept
     * @returns false if the disk is other than the row, or the text before is nowhere
     */
    async undo(row: IndexRow, keptIn: string | MoveToTrash | undefined): Promise<boolean> {
        if (!canUndo(row)) {
            return false;
        }
        const note = this.rows.notes.get(row.name);
        for (const name of row.files ?? [row.name]) {
            const now = await this.tree.read(name);
            const bytes = row.base ? await this.objects.bytesOf(row.base.oid) : undefined;
            if ((!row.files && !isSameEntry(row.now, now)) || (row.base && !bytes)) {
                return false;
            }
            if (now?.bytes && typeof keptIn === 'string') {
                await this.objects.put(now.bytes);
            }
            const bornAt = (await this.tree.stat(name))?.birthtimeMs ?? Infinity;
            if (typeof keptIn === 'function') {
                await this.tree.moveToTrash(name, keptIn);
            } else {
                await this.tree.write(name, row.base, bytes, now);
            }
            if (!row.base) {
                await this.tree.removeFoldersMadeFor(name, bornAt);
            }
            const edits = this.rows.turns.take(name);
            if (typeof keptIn === 'string') {
                const taken = now && { mode: now.mode, oid: now.oid };
                this.rows.undone.add({ name, taken, left: row.base, row: row.name, note, edits }, keptIn);
            }
        }
        if (row.files) {
            await this.tree.removeEmptyFolders(row.name.slice(0, -1));
        }
        this.rows.all.delete(row.name);
        // Whoever changes it from now on did that, and not this agent.
        this.rows.notes.delete(row.name);
        return true;
    }

    /**
     * An editor takes the row, or a change of it, back.
     *
     * @param left what it leaves; `null` for no file, `undefined` if the user saves it later
     * @returns false if the disk is other than the row
     */
    async noteUndo(row: IndexRow, left: Buffer | null | undefined): Promise<boolean> {
        const now = await this.tree.read(row.name);
        if (!isSameEntry(row.now, now)) {
            return false;
        }
        if (left !== undefined) {
            const mode = row.base?.mode ?? now?.mode ?? '100644';
            const taken = now?.bytes ? { mode: now.mode, oid: await this.objects.put(now.bytes) } : null;
            const note = this.rows.notes.get(row.name);
            this.rows.undone.add({ name: row.name, taken, left: left && { mode, oid: this.objects.idOf(left) }, note });
        }
        return true;
    }

    /**
     * Puts back what an undo took away of a file.
     *
     * @returns false if the disk is other than it left it
     */
    async putBack(id: string, file: UndoneFile): Promise<boolean> {
        const { name, taken, left } = file;
        const now = await this.tree.entry(name);
        const bytes = taken ? await this.objects.bytesOf(taken.oid) : undefined;
        if (now?.oid !== left?.oid || (taken && !bytes)) {
            return false;
        }
        const bornAt = (await this.tree.stat(name))?.birthtimeMs ?? Infinity;
        await this.tree.write(name, taken, bytes, now);
        if (!taken) {
            await this.tree.removeFoldersMadeFor(name, bornAt);
        }
        this.rows.undone.remove(id, name);
        await this.fold.see(name);
        this.rows.bringBack(file);
        return true;
    }

    /** @returns `undefined` for what is no text */
    async textsOf(undone: UndoneFile): Promise<TakenText | undefined> {
        const [taken, left] = [await this.fold.textOf(undone.taken), await this.fold.textOf(undone.left)];
        return taken === undefined || left === undefined ? undefined : { taken, left };
    }

    /** Of what only the name is known. What was written since the last look stays listed: nobody has seen it. */
    protected keepName({ kind, name, now, files, lookedAt }: IndexRow): void {
        const { known } = this.rows;
        this.rows.all.delete(name);
        this.rows.notes.delete(name);
        if (kind === 'repository') {
            known.nested.add(name);
        } else if (kind === 'ignored') {
            known.before.delete(name);
        } else if (files) {
            // Known by name: a flood is not stored.
            known.before.set(name, lookedAt ?? Date.now());
        } else if (!now) {
            (kind === 'large' ? known.large : known.secret).delete(name);
        } else if (kind === 'large') {
            known.large.set(name, { key: now.oid });
        } else {
            known.secret.set(name, now.oid);
        }
    }
}
