// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { LineHunk } from '../../common/diff/line-hunks';
import { MoveToTrash } from './index-answers';
import { Entry, fromName, parseStaged, splitOutput, toName } from './index-entry';
import { INDEX_LIMITS, IndexLimits } from './index-limits';
import { LineCount } from './index-lines';
import { IndexParts } from './index-parts';
import { IndexRow, isOfIndex, RowNote, versionOf } from './index-row';
import { IndexRows, ListedRow } from './index-rows';
import { IndexSaves, Save, SaveBegin } from './index-saves';
import { IndexState, knownIn, memoryIn } from './index-state';
import { IndexTurns } from './index-turns';
import { ListedTurn } from './turn-records';
import { ListedUndone, TakenText, UndoneFiles } from './undone-files';
import { keyOf } from './work-tree';

/** Another format gets a folder of its own. */
const FORMAT = 1;
/** A backend that was away for longer does not know who changed what meanwhile. */
const RESUME_MS = 300_000;

export interface IndexOptions {
    /** Whether a file is never read. @param file relative to the root */
    readonly isSecret: (file: string) => boolean;
    readonly limits?: Partial<IndexLimits>;
    /** git */
    readonly program?: string;
}

/**
 * The baselines of a root: what stood at each path before agents changed it, in an index of git in a directory of our own. A row is a path
 * where the disk is other than its baseline. All calls run one after the other. Tried before with real git: what it does with 66 cases stands
 * in `private-index.integration-spec.ts`.
 */
export class PrivateIndex {
    /** Changes are looked for. */
    tracking = false;
    protected readonly rows = new IndexRows();
    protected readonly saves = new IndexSaves(this.rows);
    protected parts: IndexParts | undefined;
    protected last: Promise<unknown> = Promise.resolve();
    protected storing: Promise<void> | undefined;
    protected readonly limits: IndexLimits;
    protected readonly state: IndexState;
    readonly folder: string;

    /**
     * @param root a real path
     * @param home the folder with all private git directories
     */
    constructor(
        protected readonly root: string,
        protected readonly home: string,
        protected options: IndexOptions
    ) {
        this.limits = { ...INDEX_LIMITS, ...options.limits };
        this.folder = path.join(home, `${createHash('sha1').update(root).digest('hex').slice(0, 20)}-${FORMAT}`);
        this.state = new IndexState(this.folder);
    }

    /**
     * Takes what stands on disk now for the baseline, but for rows.
     *
     * @param isUnknown whether an agent may have written a file that was written last at this time, in milliseconds since the epoch
     */
    start(isUnknown: (file: string, modifiedAt: number) => boolean = () => false): Promise<void> {
        return this.enqueue(() => this.seed(isUnknown));
    }

    /** @returns what differs now */
    look(): Promise<ListedRow[]> {
        return this.enqueue(async () => {
            await this.lookNow();
            return this.list();
        });
    }

    list(): ListedRow[] {
        return this.rows.listed(this.parts?.prefix ?? '');
    }

    /** The repositories within the root, by their paths. */
    get nested(): string[] {
        const { prefix = '' } = this.parts ?? {};
        return [...this.rows.known.nested].map(name => fromName(name.slice(prefix.length)));
    }

    /** A repository within the root is gone. */
    forgetNested(folder: string): void {
        this.rows.known.nested.delete(this.nameOf(folder));
    }

    /** What can be put back. */
    get undone(): ListedUndone[] {
        const { prefix = '' } = this.parts ?? {};
        return this.rows.undone.listed(prefix);
    }

    /** What agents did in their last turns, the oldest first. */
    get turns(): ListedTurn[] {
        const { prefix = '' } = this.parts ?? {};
        return this.rows.turns.listed(prefix);
    }

    /** Another number after each look that has found commits. */
    get commits(): number {
        return this.parts?.moves.commits ?? 0;
    }

    /** @param files of rows whose content differs. @returns by the files */
    async countLines(files: readonly string[]): Promise<Map<string, LineCount>> {
        const rows = files.flatMap(file => this.rows.get(this.nameOf(file)) ?? []);
        if (rows.length === 0) {
            return new Map();
        }
        const { lines, prefix } = await this.locate();
        const found = await this.enqueue(() => lines.count(rows));
        return new Map([...found].map(([name, count]) => [fromName(name.slice(prefix.length)), count]));
    }

    /** Says who changed rows. On disk at once: a backend that is killed must not leave them to nobody. @param notes by the files */
    async setNotes(notes: ReadonlyMap<string, RowNote>): Promise<void> {
        for (const [file, note] of notes) {
            const row = this.rows.get(this.nameOf(file));
            if (row) {
                this.rows.notes.set(row.name, note);
            }
        }
        if (notes.size > 0) {
            await this.storeAnswers();
        }
    }

    /** The exact bytes before; `null` if there was no file, `undefined` if they are not known. */
    async bytesBefore(file: string): Promise<Buffer | null | undefined> {
        const row = this.rows.all.get(this.nameOf(file));
        if (!row || !this.parts || row.kind === 'unknown' || !isOfIndex(row)) {
            return undefined;
        }
        return row.base && this.parts.objects.bytesOf(row.base.oid);
    }

    /**
     * Takes a file, or one change of it, for seen.
     *
     * @returns false if anything has changed since the version
     */
    keep(file: string, version: string, hunk?: LineHunk): Promise<boolean> {
        return this.answer(file, version, (row, answers) => answers.keep(row, hunk));
    }

    /**
     * Takes a whole file back: bytes, mode, link. Rejects with the system's error if it cannot be written.
     *
     * @param keptIn as `IndexAnswers.undo` has it
     * @returns false if anything has changed since the version
     */
    undo(file: string, version: string, keptIn: string | MoveToTrash | undefined): Promise<boolean> {
        return this.answer(file, version, (row, answers) => answers.undo(row, keptIn));
    }

    /** An editor takes a row, or a change of it, back. @param left as `IndexAnswers.noteUndo` has it */
    noteUndo(file: string, version: string, left: Buffer | null | undefined): Promise<boolean> {
        return this.answer(file, version, (row, answers) => answers.noteUndo(row, left));
    }

    /** Puts back what an undo took away of a file. @returns false if the disk is not as the undo left it, or it is not kept any more */
    async putBack(id: string, file: string): Promise<boolean> {
        const isDone = await this.enqueue(async () => {
            const { answers } = await this.locate();
            const undone = this.rows.undone.find(id, this.nameOf(file));
            return undone !== undefined && answers.putBack(id, undone);
        });
        await this.storeAnswers();
        return isDone;
    }

    /** @returns `undefined` for what is not kept any more, or is no text */
    readUndone(id: string, file: string): Promise<TakenText | undefined> {
        return this.enqueue(async () => {
            const undone = this.rows.undone.find(id, this.nameOf(file));
            return undone && (await this.locate()).answers.textsOf(undone);
        });
    }

    /** Forgets what can be put back. */
    async clearUndone(): Promise<void> {
        await this.enqueue(async () => this.rows.undone.filter(() => false));
        await this.storeAnswers();
    }

    /** In bytes: how much more can be kept of what undos take away. */
    roomLeft(): Promise<number> {
        return this.enqueue(async () => (await this.locate()).room.left(new Set(this.rows.undone.oids)));
    }

    /** What agents did in turns. Whatever is done to it is on disk when it resolves. @param use gets the file's name in the index */
    async withTurns<T>(file: string, use: (turns: IndexTurns, name: string) => T | Promise<T>): Promise<T> {
        const result = await this.enqueue(async () => use((await this.locate()).turns, this.nameOf(file)));
        await this.storeAnswers();
        return result;
    }

    /** A CLI has written what the user accepted. */
    foldAccepted(file: string, from: Buffer | null, to: Buffer): Promise<void> {
        return this.enqueue(async () => {
            const { fold, turns } = await this.locate();
            await turns.noteAccepted(this.nameOf(file), from, to);
            await fold.foldAccepted(this.nameOf(file), from, to);
        });
    }

    /** Something was written that is of no turn yet. */
    get hasWritten(): boolean {
        return this.rows.turns.pending.length > 0;
    }

    /** The IDE is about to write a file. */
    async beginSave(file: string): Promise<SaveBegin> {
        const [stat, position] = await Promise.all([this.parts?.tree.stat(this.nameOf(file)), this.parts?.git.repository?.position()]);
        return { position, ...(stat && { key: keyOf(stat) }) };
    }

    /** The IDE has written a file. The save waits for nothing of this. If git has done something before it, the next look folds it. */
    foldSave(file: string, from: Save['from'], to: Save['to'], begin: SaveBegin = { position: this.parts?.moves.position }): Promise<void> {
        this.saves.add({ file, from, to, begin });
        return this.enqueue(() => this.foldSaves());
    }

    /** The IDE has renamed a file or a folder, or deleted it (`to` is `null`): the baselines go with the files. @param hasFailed not all is deleted */
    move(file: string, to: string | null, hasFailed = false): Promise<void> {
        return this.enqueue(async () => {
            if (!this.saves.isEmpty) {
                // They have the old name, and wait for a look at what git did.
                await this.lookNow();
            }
            const { fold } = await this.locate();
            await fold.move(this.nameOf(file), to === null ? undefined : this.nameOf(to), hasFailed);
        });
    }

    /** The IDE has made the file, or all in the folder, for the user: copies, uploads. */
    adopt(file: string): Promise<void> {
        return this.enqueue(async () => (await this.locate()).fold.adopt(this.nameOf(file)));
    }

    /** The last agent has ended. Texts of rows are stored, so that what the user does from now on can be told from them. */
    stop(): Promise<void> {
        return this.enqueue(async () => {
            if (this.tracking) {
                await this.lookNow();
                const { tree, objects } = await this.locate();
                for (const { name, now: before } of this.rows.ofIndex) {
                    const now = before && !before.isNameOnly ? await tree.read(name) : null;
                    if (now?.bytes && now.bytes.length <= this.limits.textBytes) {
                        await objects.put(now.bytes);
                    }
                }
            }
            this.tracking = false;
            await this.store();
        });
    }

    /** A backend has started: the list is as it was. What happened meanwhile is an agent's only if that was short. */
    resume(withinMs = RESUME_MS): Promise<void> {
        return this.enqueue(async () => {
            const stored = await this.state.load();
            if (!stored || !(await this.hasIndex())) {
                return;
            }
            const { rows } = this;
            rows.known = knownIn(stored);
            rows.undone = new UndoneFiles(stored.undone);
            rows.all = new Map(stored.rows.map(row => [row.name, row]));
            rows.notes = new Map(Object.entries(stored.notes));
            rows.turns.load(stored.turns);
            const { moves, journal, git } = await this.locate();
            moves.position = stored.position;
            moves.memory = memoryIn(stored);
            moves.aliases = new Map(Object.entries(stored.aliases));
            this.tracking = stored.tracking && Date.now() - stored.aliveAt < withinMs;
            await journal.flush();
            // Another backend may have kept some.
            const entries = rows.all.size > 0 ? parseStaged(await git.run(['ls-files', '-s', '-z'])) : new Map<string, Entry>();
            for (const row of rows.ofIndex) {
                const waiting = journal.entries.get(row.name);
                rows.update(row, waiting !== undefined ? waiting : (entries.get(row.name) ?? null), row.now);
            }
            await this.lookNow();
        });
    }

    /** Which files are never read has changed. What was stored of them goes at once. */
    purge(isSecret: (file: string) => boolean): Promise<void> {
        return this.enqueue(async () => {
            this.options = { ...this.options, isSecret };
            if (!(await this.hasIndex())) {
                return;
            }
            const { git, journal, tree, moves } = await this.locate();
            await journal.flush(true);
            const indexed = splitOutput(await git.run(['ls-files', '-z'])).filter(name => this.isSecret(name));
            for (const { name, stat } of await tree.stats(indexed)) {
                await journal.set(name, null);
                moves.memory.delete(name);
                if (stat) {
                    // One that is listed stays so, by its name.
                    this.rows.known.secret.set(name, this.rows.all.has(name) ? '' : keyOf(stat));
                }
            }
            const { known } = this.rows;
            const shared = [...known.secret.keys()].filter(name => !this.isSecret(name));
            for (const { name, stat } of await tree.stats(shared)) {
                // It is read from now on. What stood there before nobody knows.
                if (stat && keyOf(stat) === known.secret.get(name)) {
                    known.before.set(name, Date.now());
                } else {
                    known.unknown.add(name);
                }
                known.secret.delete(name);
            }
            [...this.rows.all.keys()].filter(name => this.isSecret(name)).forEach(name => this.rows.all.delete(name));
            this.rows.undone.filter(({ name }) => !this.isSecret(name));
            const { turns } = this.rows;
            const recorded = turns.oids.length;
            turns.map(edit => (this.isSecret(edit.name) ? undefined : edit));
            if (indexed.length > 0 || turns.oids.length < recorded) {
                await this.collectNow();
            }
        });
    }

    /** Removes what is needed no longer. */
    collect(): Promise<void> {
        return this.enqueue(() => this.collectNow());
    }

    /** Nothing of it is left. */
    async forget(): Promise<void> {
        this.close();
        await fs.rm(this.folder, { recursive: true, force: true });
    }

    close(): void {
        this.parts?.objects.end();
    }

    // --- one after the other

    protected enqueue<T>(task: () => Promise<T>): Promise<T> {
        const running = this.last.then(task);
        this.last = running.catch(() => undefined);
        return running;
    }

    protected async seed(isUnknown: (file: string, modifiedAt: number) => boolean): Promise<void> {
        if (this.tracking) {
            return;
        }
        const { git, journal, moves, fold, seed, prefix } = await this.locate(true);
        await fold.foldRows();
        const seeded = await seed.make(this.rows.bases, (name, modifiedAt) => isUnknown(fromName(name.slice(prefix.length)), modifiedAt));
        await seeded.publish();
        // The rows' are in it; all others are as on disk.
        await journal.clear();
        this.rows.renew(seeded.known);
        moves.aliases = new Map(seeded.aliases);
        moves.position = await git.repository?.position();
        this.tracking = true;
        await this.store();
    }

    protected async lookNow(): Promise<void> {
        const parts = await this.locate();
        const { look, git, fold, moves, head, turns } = parts;
        if (!(await this.hasIndex())) {
            return;
        }
        const before = this.rows.all;
        if (this.tracking) {
            this.rows.all = await look.look(before, this.rows.known, () => this.foldSaves());
            await turns.noteLook(before, moves.moved);
            await this.saves.foldAll(parts);
            if (await git.repository?.isGone()) {
                await this.locate(true);
            }
        } else {
            await fold.foldRows();
            await moves.steps(() => this.foldSaves());
        }
        // What comes back has the agents that it had.
        const mayReturn = new Set([...this.rows.all.keys(), ...moves.memory.keys()]);
        [...this.rows.notes.keys()].filter(name => !mayReturn.has(name)).forEach(name => this.rows.notes.delete(name));
        await head.mark(this.rows.all, before);
        await this.store();
    }

    /** On disk before anybody sees it done. */
    protected async answer(
        file: string,
        version: string,
        use: (row: IndexRow, answers: IndexParts['answers']) => Promise<boolean>
    ): Promise<boolean> {
        const isDone = await this.enqueue(async () => {
            const { answers } = await this.locate();
            const row = this.rows.get(this.nameOf(file));
            return row !== undefined && versionOf(row) === version && (await use(row, answers));
        });
        if (isDone) {
            await this.storeAnswers();
        }
        return isDone;
    }

    /** Once for all that wait in the queue. */
    protected storeAnswers(): Promise<void> {
        this.storing ??= this.enqueue(() => {
            this.storing = undefined;
            return this.store();
        });
        return this.storing;
    }

    protected async foldSaves(): Promise<void> {
        await this.saves.foldReached(await this.locate(), this.tracking);
    }

    protected async collectNow(): Promise<void> {
        const { room, journal, moves } = await this.locate();
        await journal.flush(true);
        const { undone, turns } = this.rows;
        await room.limitTurns(turns, undone.oids);
        const rows = [...this.rows.all.values()];
        const remembered = [...moves.memory.values()].flatMap(texts => [...texts.values()]);
        const bases = [...rows.map(({ base }) => base), ...remembered].flatMap(entry => entry?.oid ?? []);
        const onDisk = rows.flatMap(({ now }) => now?.oid ?? []);
        await room.collect(new Set([...undone.oids, ...turns.oids, ...bases]), onDisk);
        await this.store();
    }

    protected async store(): Promise<void> {
        const { moves, room } = await this.locate();
        await this.state.store(this.tracking, moves, this.rows);
        if (room.isFull) {
            await this.collectNow();
        }
    }

    protected async hasIndex(): Promise<boolean> {
        return (await fs.lstat(path.join(this.folder, 'index')).catch(() => undefined)) !== undefined;
    }

    // --- where things are

    /** @param again the user's repository may have come or gone */
    protected async locate(again = false): Promise<IndexParts> {
        const before = this.parts;
        if (before && !again) {
            return before;
        }
        const { root, folder, limits } = this;
        const isSecret = (name: string, prefix: string): boolean => this.isSecret(name, prefix);
        const parts = await IndexParts.find({ root, folder, limits, program: this.options.program, isSecret }, this.rows);
        before?.objects.end();
        if (before) {
            parts.moves.memory = before.moves.memory;
            parts.moves.aliases = before.moves.aliases;
            parts.moves.commits = before.moves.commits;
            parts.moves.position = await parts.git.repository?.position();
        }
        return (this.parts = parts);
    }

    protected nameOf(file: string): string {
        return (this.parts?.prefix ?? '') + toName(file);
    }

    protected isSecret(name: string, prefix = this.parts?.prefix ?? ''): boolean {
        return this.options.isSecret(fromName(name.slice(prefix.length)));
    }
}
