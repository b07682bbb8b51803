// SPDX-License-Identifier: Apache-2.0

import { promises as fs, Stats } from 'fs';
import * as path from 'path';
import { LineHunk } from '../../common/diff/line-hunks';
import { MoveToTrash } from './index-answers';
import { LineCount } from './index-lines';
import { RowNote } from './index-row';
import { ListedRow } from './index-rows';
import { Save, SaveBegin } from './index-saves';
import { IndexOptions, PrivateIndex } from './private-index';
import { IndexTurns } from './index-turns';
import { ListedTurn, MAX_TURNS, Turn } from './turn-records';
import { ListedUndone, TakenText } from './undone-files';

/** More repositories in one are not followed. */
const MAX_NESTED = 50;

/** The baselines of a root: a private index of its own, and one for each repository within it that it does not ignore. */
export class RootIndex {
    protected readonly own: PrivateIndex;
    /** By their paths in the root. */
    protected readonly nested = new Map<string, RootIndex>();
    protected isStarting = false;
    /** When the IDE wrote files that were not followed yet, in milliseconds since the epoch: these are the user's. */
    protected readonly saved = new Map<string, number>();

    /**
     * @param root a real path
     * @param home the folder with all private git directories
     */
    constructor(
        protected readonly root: string,
        protected readonly home: string,
        protected options: IndexOptions
    ) {
        this.own = new PrivateIndex(root, home, options);
    }

    /** Changes are looked for. */
    get tracking(): boolean {
        return this.own.tracking && !this.isStarting;
    }

    /** The private git directory of the root itself. */
    get folder(): string {
        return this.own.folder;
    }

    /** Another number after each look that has found commits. */
    get commits(): number {
        return [...this.nested.values()].reduce((sum, { commits }) => sum + commits, this.own.commits);
    }

    list(): ListedRow[] {
        return [...this.own.list(), ...this.ofNested(index => index.list())];
    }

    /** @param file a folder is one, too */
    find(file: string): ListedRow | undefined {
        return this.list().find(({ path: other }) => other === file || other === `${file}/`);
    }

    /** What can be put back, the oldest first. */
    get undone(): ListedUndone[] {
        return [...this.own.undone, ...this.ofNested(({ undone }) => undone)].sort((one, other) => one.at - other.at);
    }

    /** What agents did in their last turns, the oldest first. */
    get turns(): ListedTurn[] {
        const turns = new Map<string, ListedTurn>();
        const nested = [...this.nested].flatMap(([folder, index]) =>
            index.turns.map(turn => ({ ...turn, files: turn.files.map(file => `${folder}/${file}`) }))
        );
        for (const turn of [...this.own.turns, ...nested]) {
            turns.set(turn.id, { ...turn, files: [...(turns.get(turn.id)?.files ?? []), ...turn.files] });
        }
        return [...turns.values()].sort((one, other) => one.startedAt - other.startedAt).slice(-MAX_TURNS);
    }

    /** Something was written that is of no turn yet. */
    get hasWritten(): boolean {
        return this.own.hasWritten || [...this.nested.values()].some(({ hasWritten }) => hasWritten);
    }

    /** Makes what was written since the last look a part of a turn. @param turn `undefined` if no agent worked */
    async recordTurn(turn: Turn | undefined): Promise<void> {
        if (this.own.hasWritten) {
            await this.own.withTurns('', turns => turns.record(turn));
        }
        await this.forNested(index => index.recordTurn(turn));
    }

    /** As `PrivateIndex.withTurns` has it. */
    withTurns<T>(file: string, use: (turns: IndexTurns, name: string) => T | Promise<T>): Promise<T> {
        return this.at(file, (index, inside) => index.withTurns(inside, use));
    }

    /** @param agentSince when the agent began, in milliseconds since the epoch. What it has written since is not known from before */
    async start(agentSince = Infinity): Promise<void> {
        this.isStarting = true;
        try {
            await this.own.start((file, modifiedAt) => modifiedAt >= agentSince && this.saved.get(file) !== modifiedAt);
            await this.forNested(index => index.start(agentSince));
            this.saved.clear();
        } finally {
            this.isStarting = false;
        }
    }

    /** @returns what differs now */
    async look(): Promise<ListedRow[]> {
        await this.own.look();
        await this.forNested(index => index.look());
        return this.list();
    }

    async stop(): Promise<void> {
        await this.own.stop();
        await this.forNested(index => index.stop());
    }

    async resume(withinMs?: number): Promise<void> {
        await this.own.resume(withinMs);
        await this.forNested(index => index.resume(withinMs));
    }

    /** Which files are never read has changed. What was stored of them goes at once. */
    async purge(isSecret: (file: string) => boolean): Promise<void> {
        this.options = { ...this.options, isSecret };
        await this.own.purge(isSecret);
        await this.forNested((index, folder) => index.purge(file => isSecret(path.join(folder, file))));
    }

    /** Removes what is needed no longer. */
    async collect(): Promise<void> {
        await this.own.collect();
        await this.forNested(index => index.collect());
    }

    /** Nothing of it is left. */
    async forget(): Promise<void> {
        await this.own.forget();
        await this.forNested(index => index.forget());
    }

    close(): void {
        this.own.close();
        this.nested.forEach(index => index.close());
    }

    /** When what stands there was changed, in milliseconds since the epoch. */
    async changedAt(file: string): Promise<number> {
        const full = path.join(this.root, file);
        const stat = (await statOf(full)) ?? (await statOf(path.dirname(full)));
        return stat?.ctimeMs ?? Date.now();
    }

    /** @param files of rows whose content differs. @returns by the files */
    async countLines(files: readonly string[]): Promise<Map<string, LineCount>> {
        const counts = await this.own.countLines(files.filter(file => !this.indexOf(file)));
        for (const [folder, index] of this.nested) {
            const inside = files.flatMap(file => (file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : []));
            (await index.countLines(inside)).forEach((count, file) => counts.set(`${folder}/${file}`, count));
        }
        return counts;
    }

    /** @param notes by the files */
    async setNotes(notes: ReadonlyMap<string, RowNote>): Promise<void> {
        await this.own.setNotes(new Map([...notes].filter(([file]) => !this.indexOf(file))));
        for (const [folder, index] of this.nested) {
            const inside = [...notes].filter(([file]) => file.startsWith(`${folder}/`));
            await index.setNotes(new Map(inside.map(([file, note]) => [file.slice(folder.length + 1), note])));
        }
    }

    bytesBefore(file: string): Promise<Buffer | null | undefined> {
        return this.at(file, (index, inside) => index.bytesBefore(inside));
    }

    async keep(file: string, version: string, hunk?: LineHunk): Promise<boolean> {
        const isKept = await this.at(file, (index, inside) => index.keep(inside, version, hunk));
        if (isKept && this.own.nested.includes(file)) {
            // A repository that was not there before: it may be large, and nobody waits for it. The next start tries again.
            void this.forNested(index => index.start()).catch(() => undefined);
        }
        return isKept;
    }

    undo(file: string, version: string, keptIn: string | MoveToTrash | undefined): Promise<boolean> {
        return this.at(file, (index, inside) => index.undo(inside, version, keptIn));
    }

    noteUndo(file: string, version: string, left: Buffer | null | undefined): Promise<boolean> {
        return this.at(file, (index, inside) => index.noteUndo(inside, version, left));
    }

    putBack(id: string, file: string): Promise<boolean> {
        return this.at(file, (index, inside) => index.putBack(id, inside));
    }

    readUndone(id: string, file: string): Promise<TakenText | undefined> {
        return this.at(file, (index, inside) => index.readUndone(id, inside));
    }

    async clearUndone(): Promise<void> {
        await this.own.clearUndone();
        await this.forNested(index => index.clearUndone());
    }

    /** In bytes: how much more can be kept of what undos take away. */
    roomLeft(): Promise<number> {
        return this.own.roomLeft();
    }

    foldAccepted(file: string, from: Buffer | null, to: Buffer): Promise<void> {
        return this.at(file, (index, inside) => index.foldAccepted(inside, from, to));
    }

    beginSave(file: string): Promise<SaveBegin> {
        return this.at(file, (index, inside) => index.beginSave(inside));
    }

    foldSave(file: string, from: Save['from'], to: Save['to'], begin?: SaveBegin): Promise<void> {
        if (!this.tracking) {
            void statOf(path.join(this.root, file)).then(stat => stat && this.saved.set(file, stat.mtimeMs));
        }
        return this.at(file, (index, inside) => index.foldSave(inside, from, to, begin));
    }

    /** As `PrivateIndex.move` has it. */
    async move(file: string, to: string | null, hasFailed = false): Promise<void> {
        const index = this.indexOf(file);
        if (to !== null && index !== this.indexOf(to)) {
            await this.move(file, null);
            await this.adopt(to);
            return;
        }
        await this.at(file, (found, inside) => found.move(inside, to && path.join(inside, path.relative(file, to)), hasFailed));
    }

    /** The IDE has made a file or a folder. */
    adopt(file: string): Promise<void> {
        return this.at(file, (index, inside) => index.adopt(inside));
    }

    protected indexOf(file: string): RootIndex | undefined {
        const folder = this.own.nested.find(other => file.startsWith(`${other}/`));
        return folder === undefined ? undefined : this.nested.get(folder);
    }

    protected at<T>(file: string, use: (index: RootIndex | PrivateIndex, inside: string) => T): T {
        const index = this.indexOf(file);
        return index ? use(index, path.relative(index.root, path.join(this.root, file))) : use(this.own, file);
    }

    protected ofNested<T extends { path: string }>(of: (index: RootIndex) => readonly T[]): T[] {
        return [...this.nested].flatMap(([folder, index]) => of(index).map(each => ({ ...each, path: `${folder}/${each.path}` })));
    }

    /** Those that are there, one after the other: each starts processes. */
    protected async forNested(use: (index: RootIndex, folder: string) => Promise<unknown>): Promise<void> {
        for (const folder of this.own.nested.slice(0, MAX_NESTED)) {
            const root = path.join(this.root, folder);
            if (!(await statOf(root))) {
                // What was listed in it nobody can answer. Should it come again, it is a new one.
                this.own.forgetNested(folder);
                this.nested.get(folder)?.close();
                this.nested.delete(folder);
                continue;
            }
            const isSecret = (file: string): boolean => this.options.isSecret(path.join(folder, file));
            const index = this.nested.get(folder) ?? new RootIndex(root, this.home, { ...this.options, isSecret });
            this.nested.set(folder, index);
            await use(index, folder);
        }
    }
}

function statOf(file: string): Promise<Stats | undefined> {
    return fs.lstat(file).catch(() => undefined);
}
