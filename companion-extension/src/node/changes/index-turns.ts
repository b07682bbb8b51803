// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { foldEdit, LineHunk, linesOf, undoHunk } from '../../common/diff/line-hunks';
import { canMix, encodeRaw } from '../../common/diff/raw-text';
import { undoEdit } from '../../common/diff/undo-edit';
import { Entry, isSameEntry, LINK_MODE } from './index-entry';
import { IndexFold } from './index-fold';
import { IndexJournal } from './index-journal';
import { IndexRow, isOfIndex, rowOf, versionOf } from './index-row';
import { IndexRows } from './index-rows';
import { ObjectStore } from './object-store';
import { Turn, TurnEdit, TurnEdits } from './turn-records';
import { DiskEntry, WorkTree } from './work-tree';

/** A file without what turns did to it. */
export interface FileWithoutTurns {
    /** Of the file that stands there, and of what is to be written: another one if either changes. */
    readonly version: string;
    /** What it would be; `null` for no file. */
    readonly left: Entry;
    /** There is nothing to write. */
    readonly isSame: boolean;
    /** Something of the turns stays: somebody has changed it since, or it cannot be told from what others did. */
    readonly isPartial: boolean;
}

/** A change of a row that the user has kept. */
interface KeptChange {
    readonly base: string | null;
    readonly disk: string | null;
    readonly hunk: LineHunk;
    /** The base with the change. */
    readonly kept: string | null;
}

interface Content {
    readonly mode: string;
    readonly oid: string;
    readonly bytes?: Buffer;
}

/** What agents wrote in a work tree, and takes it back file by file. */
export class IndexTurns {
    constructor(
        protected readonly tree: Pick<WorkTree, 'read' | 'stat' | 'write' | 'removeFoldersMadeFor'>,
        protected readonly objects: Pick<ObjectStore, 'put' | 'idOf' | 'bytesOf'>,
        protected readonly journal: Pick<IndexJournal, 'set'>,
        protected readonly fold: Pick<IndexFold, 'decode' | 'textOf' | 'baseOf' | 'see'>,
        protected readonly rows: IndexRows
    ) {}

    /**
     * A look has found what was written since the last one, by nobody in this IDE. Its texts are stored: once they are written over, they are
     * nowhere.
     *
     * @param before the rows of the look before, as saves have left them
     * @param moved the files that git has moved since
     */
    async noteLook(before: ReadonlyMap<string, IndexRow>, moved: ReadonlySet<string>): Promise<void> {
        const [was, is] = [filesOf(before), filesOf(this.rows.all)];
        const changed = [...new Set([...was.keys(), ...is.keys()])].filter(
            name => !moved.has(name) && differs(was.get(name), is.get(name))
        );
        for (const name of changed) {
            if (this.rows.turns.isFull) {
                return;
            }
            const [old, row] = [was.get(name), is.get(name)];
            const from = old ? old.now : (row?.base ?? null);
            const now = row ? await this.tree.read(name) : (old?.base ?? null);
            if (row && row.kind !== 'folder' && !isSameEntry(row.now, now)) {
                // It has changed again. The next look begins with this.
                this.rows.update(row, row.base, now && entryOf(now));
            }
            await this.note(name, from, now);
        }
    }

    /** The user has saved a file. Somebody may have written it since the last look. @param from what stood there. @param to what stands there */
    async noteSave(name: string, from: Buffer | null, to: Buffer | null): Promise<void> {
        const row = this.rows.all.get(name);
        if (!row || !isOfIndex(row)) {
            return;
        }
        const before = from && { mode: row.now?.mode ?? '100644', oid: this.objects.idOf(from), bytes: from };
        if (row.now?.oid === (to ? this.objects.idOf(to) : undefined)) {
            // A look was faster than the news of the save.
            this.rows.turns.takeBackFrom(name, row.now, before && { mode: before.mode, oid: before.oid });
        } else {
            await this.note(name, row.now, before);
        }
    }

    /** An editor has taken a change back, and saved that: no agent did it. */
    noteUndone(name: string): Promise<void> {
        return this.fold.see(name);
    }

    /** A CLI has written what the user accepted: that was kept. @param from what stood there */
    async noteAccepted(name: string, from: Buffer | null, to: Buffer): Promise<void> {
        const [left, accepted] = [from && this.objects.idOf(from), this.objects.idOf(to)];
        const oid = from ? await this.objects.put(from) : undefined;
        this.rows.turns.pending = this.rows.turns.pending.flatMap(edit => {
            const isIt = edit.name === name && edit.after?.oid === accepted;
            const after = oid === undefined ? null : { mode: edit.after?.mode ?? '', oid };
            return !isIt ? edit : (edit.before?.oid ?? null) === left ? [] : { ...edit, after };
        });
    }

    /** Makes what was written since the last look a part of a turn. @param turn `undefined` if no agent worked */
    record(turn: Turn | undefined): void {
        const { turns, all, notes } = this.rows;
        // Of what is as it was before, nobody says who did it.
        const isAgents = ({ name }: TurnEdit): boolean => !all.has(name) || (notes.get(name)?.agents.length ?? 0) > 0;
        const edits = turns.pending.filter(isAgents);
        const { isFull } = turns;
        turns.pending = [];
        if (turn && edits.length > 0) {
            turns.record(isFull ? { ...turn, isCut: true } : turn, edits);
        }
    }

    /** The user has kept a file, or a folder: what turns did to it is undone no more. */
    end(name: string): void {
        const file = name.replace(/\/$/, '');
        this.rows.turns.map(edit => (edit.name === file || edit.name.startsWith(`${file}/`) ? undefined : edit));
    }

    /**
     * The user has kept a change of a row: as if it had been there before any turn. Where that is not so with each turn, and without all of
     * them, nobody can tell their lines from what others did since, and they end in the file.
     */
    async foldKept(name: string, { base, disk, hunk, kept }: KeptChange): Promise<void> {
        const from = undoHunk(base, disk, hunk);
        const made = linesOf(disk).slice(hunk.diskStart, hunk.diskEnd);
        const left = new Set(linesOf(kept));
        const gone = linesOf(base)
            .slice(hunk.baseStart, hunk.baseEnd)
            .filter(line => !left.has(line));
        const fold = async (content: Content | null): Promise<Entry | undefined> => {
            const text = content && this.fold.decode(content.bytes ?? Buffer.of());
            const now = text === undefined ? undefined : foldEdit(text, from, disk);
            const lines = new Set(linesOf(now));
            if (now === undefined || gone.some(line => lines.has(line)) || !made.every(line => lines.has(line))) {
                return undefined;
            }
            return now === null ? null : { mode: content?.mode ?? '100644', oid: await this.objects.put(Buffer.from(encodeRaw(now))) };
        };
        const folded: TurnEdits[] = [];
        let content: Content | null = await this.tree.read(name);
        let after = await fold(content);
        // On what stands there now, each as one edit.
        for (const { turn, edits } of this.rows.turns.take(name).toReversed()) {
            for (const edit of edits.toReversed()) {
                const without = await this.withoutEdit(content, edit);
                if (!without || without.isPartial) {
                    return;
                }
                content = without.content;
            }
            const before = await fold(content);
            if (before === undefined || after === undefined) {
                return;
            }
            if (!isSameEntry(before, after)) {
                folded.push({ turn, edits: [{ name, before, after }] });
            }
            after = before;
        }
        if (after?.oid === (kept === null ? undefined : this.objects.idOf(encodeRaw(kept)))) {
            this.rows.turns.putBack(folded);
        }
    }

    /** @param turns their ids */
    async without(name: string, turns: ReadonlySet<string>): Promise<FileWithoutTurns> {
        return (await this.find(name, turns)).file;
    }

    /**
     * Takes what turns did to a file back. Rejects with the system's error if it cannot be written.
     *
     * @param turns their ids
     * @param version as {@link without} has it
     * @param set of the undo, for Put Back
     * @returns false if anything has changed since the version
     */
    async undo(name: string, turns: ReadonlySet<string>, version: string, set: string): Promise<boolean> {
        const { file, now, bytes } = await this.find(name, turns);
        const { left } = file;
        if (file.version !== version || file.isSame) {
            return file.version === version;
        }
        const { rows } = this;
        const [row, note] = [rows.all.get(name), rows.notes.get(name)];
        if (now?.bytes) {
            await this.objects.put(now.bytes);
        }
        if (left && bytes) {
            await this.objects.put(bytes);
        }
        const bornAt = (await this.tree.stat(name))?.birthtimeMs ?? Infinity;
        await this.tree.write(name, left, bytes, now);
        if (!left) {
            await this.tree.removeFoldersMadeFor(name, bornAt);
        }
        const edits = rows.turns.take(name, turns);
        rows.undone.add({ name, taken: now && { mode: now.mode, oid: now.oid }, left, row: name, ...(note && { note }), edits }, set);
        if (!row && !rows.isInFolder(name) && !isSameEntry(await this.fold.baseOf(name), left)) {
            // It was kept, or committed: that the user takes it back is the user's doing.
            await this.journal.set(name, left);
        }
        await this.fold.see(name);
        this.keepNote(name, rows.turns.agentsOf(name));
        return true;
    }

    /** What is left in the row is of the turns that are left. */
    protected keepNote(name: string, agents: readonly string[]): void {
        const [row, note] = [this.rows.all.get(name), this.rows.notes.get(name)];
        if (!row) {
            this.rows.notes.delete(name);
        } else if (note) {
            this.rows.notes.set(name, { ...note, version: versionOf(row), agents: agents.length > 0 ? agents : note.agents });
        }
    }

    protected async note(name: string, before: Entry, now: DiskEntry | null): Promise<void> {
        if (isSameEntry(before, now) || now?.isNameOnly || (before && !/^[0-9a-f]+$/.test(before.oid))) {
            return;
        }
        if (now?.bytes) {
            try {
                await this.objects.put(now.bytes);
            } catch {
                // The disk may be full. The look goes on, and this is not undone.
                return;
            }
        }
        const [from, after] = [before, now].map(entry => entry && { mode: entry.mode, oid: entry.oid });
        this.rows.turns.note({ name, before: from, after });
    }

    protected async find(
        name: string,
        turns: ReadonlySet<string>
    ): Promise<{ file: FileWithoutTurns; now: DiskEntry | null; bytes: Buffer | undefined }> {
        const now = await this.tree.read(name);
        let content: Content | null = now;
        let isPartial = false;
        for (const edit of this.rows.turns.editsOf(name, turns)) {
            const without = await this.withoutEdit(content, edit);
            isPartial ||= without === undefined || without.isPartial;
            content = without ? without.content : content;
        }
        const left = content && { mode: content.mode, oid: content.oid };
        const version = createHash('sha1')
            .update(JSON.stringify([now && [now.mode, now.oid], left && [left.mode, left.oid]]))
            .digest('hex')
            .slice(0, 12);
        return { file: { version, left, isSame: isSameEntry(now, left), isPartial }, now, bytes: content?.bytes };
    }

    /** @returns `undefined` if it stays */
    protected async withoutEdit(
        content: Content | null,
        { before, after }: TurnEdit
    ): Promise<{ content: Content | null; isPartial: boolean } | undefined> {
        if (isSameEntry(content, before)) {
            return { content, isPartial: false };
        }
        const bytes = before ? await this.objects.bytesOf(before.oid) : undefined;
        if (before && !bytes) {
            return undefined;
        }
        if (isSameEntry(content, after)) {
            return { content: before && { ...before, bytes }, isPartial: false };
        }
        // A file that was made, deleted or replaced by a link is not mixed with what others made of it.
        if (!content?.bytes || !bytes || !before || !after || [content, before, after].some(({ mode }) => mode === LINK_MODE)) {
            return undefined;
        }
        const [text, old, made] = [this.fold.decode(content.bytes), this.fold.decode(bytes), await this.fold.textOf(after)];
        if (text === undefined || old === undefined || typeof made !== 'string' || !canMix(old, text) || !canMix(made, text)) {
            return undefined;
        }
        const without = undoEdit(text, old, made);
        const left = Buffer.from(encodeRaw(without.text));
        const mode = content.mode === after.mode ? before.mode : content.mode;
        return { content: { mode, oid: this.objects.idOf(left), bytes: left }, isPartial: without.isPartial };
    }
}

function entryOf({ mode, oid, isNameOnly }: DiskEntry): DiskEntry {
    return { mode, oid, ...(isNameOnly && { isNameOnly }) };
}

/** The files that rows stand for: each in a new folder, too, of which only the name is known. */
function filesOf(rows: ReadonlyMap<string, IndexRow>): Map<string, IndexRow> {
    const files = new Map<string, IndexRow>();
    for (const row of rows.values()) {
        if (row.files) {
            row.files.forEach(name => files.set(name, { ...rowOf(name, null, null), kind: 'folder' }));
        } else if (isOfIndex(row) && row.kind !== 'unknown') {
            files.set(row.name, row);
        }
    }
    return files;
}

/** Whether something was written. What becomes of the files in a new folder no look sees. */
function differs(old: IndexRow | undefined, row: IndexRow | undefined): boolean {
    const isInFolder = (of: IndexRow | undefined): boolean => of?.kind === 'folder';
    return !isInFolder(old) && (isInFolder(row) ? old === undefined : !isSameEntry(old ? old.now : row?.base, row ? row.now : old?.base));
}
