// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { AgentTurn, Baseline, ChangesTrouble, FileChange, UndoneChange, UndoneTexts } from '../../common/changes/changes-protocol';
import { FileText, LineHunk } from '../../common/diff/line-hunks';
import { decodeRaw, encodeRaw, fromWire, toWire } from '../../common/diff/raw-text';
import { ScopedValue } from '../../common/scoped-value';
import { withTimeLimit } from '../../common/time-limit';
import { FileAccess } from '../host/file-access';
import { describeRow, numberOf } from './described-row';
import { EditorUndos } from './editor-undos';
import { FolderPrivacy } from '../context/folder-privacy';
import { FolderTurns } from './folder-turns';
import { FolderUndo, SeenRow, UndoneResult } from './folder-undo';
import { MoveToTrash } from './index-answers';
import { TakeAccepted } from './index-fold';
import { LineCounts } from './line-counts';
import { GitError } from './private-git';
import { ListedRow } from './index-rows';
import { Save, SaveBegin } from './index-saves';
import { RootIndex } from './root-index';
import { ActiveAgent } from './active-agent-contribution';
import { KeptFile, RowAgents } from './row-agents';

/** So many rows are shown. The others are known, and counted. */
const MAX_SHOWN = 500;
/** How long events are gathered. */
const GATHER_MS = 300;
/** Between two looks: so many times as long as a look takes. */
const LOOK_PAUSE = 3;
/** An agent that ends may have written just before. */
const AFTER_AGENT_MS = 10_000;
/** A write of the IDE that takes longer keeps the list back no longer. */
const WRITE_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 3_000;
/** So many failures in a row, and the folder is followed no longer for a while: so many times as long as the last one took. */
const MAX_FAILURES = 2;
const FAILURE_PAUSE = 20;

interface FolderServices {
    readonly fileAccess: FileAccess;
    /** The folder with all private git directories. */
    readonly home: string;
    readonly logger: Pick<ILogger, 'warn'>;
    /** The agents in the windows that have the folder. */
    readonly agents: () => readonly ActiveAgent[];
    readonly moveToTrash: MoveToTrash;
    readonly takeAccepted: TakeAccepted;
    /** The list has changed. @param hasOtherRows otherwise more is known of the same rows, such as their lines */
    readonly onDidChange: (hasOtherRows: boolean) => void;
}

/** The changes in one root: says the private index when to look, and describes what it lists. */
export class FolderChanges {
    files: readonly FileChange[] = [];
    undone: readonly UndoneChange[] = [];
    turns: readonly AgentTurn[] = [];
    /** The files that wait for the user to look, those included that are not shown. */
    counted: readonly FileChange[] = [];
    /** How many files are not shown. */
    more = 0;
    /** The version of all changes since which the rows are the same. */
    rowsVersion = 0;
    trouble: ChangesTrouble | undefined;

    protected readonly index: RootIndex;
    protected readonly lines: LineCounts;
    protected readonly rowAgents: RowAgents;
    readonly undo: FolderUndo;
    readonly ofTurns: FolderTurns;
    protected readonly privacy: FolderPrivacy;
    /** What was listed before is listed again. Nothing is read before. */
    protected readonly resumed: Promise<void>;
    protected isStopped = false;
    /** `undefined` until somebody says it: a backend that was killed before may have left one. */
    protected hasAgent: boolean | undefined;
    /** Writes of the IDE that are not in the index yet. */
    protected writing = 0;
    /** Resolves when there are none. */
    protected written = new Deferred<void>();
    protected readonly editorUndos = new EditorUndos();
    protected ending: NodeJS.Timeout | undefined;
    protected waiting: NodeJS.Timeout | undefined;
    protected lastLook: Promise<void> = Promise.resolve();
    protected waitingLook: Promise<void> | undefined;
    /** As `performance.now` counts: when the last look that has seen something began. */
    protected lookedAt = -Infinity;
    /** How long the last look took. */
    protected lookMs = 0;
    /** As `performance.now` counts: when {@link lookSoon} was called first since then. */
    protected noticedAt: number | undefined;
    protected failures = 0;
    /** As `performance.now` counts: before, nothing is looked at. */
    protected pausedUntil = -Infinity;
    protected shown = '';
    protected rows = '';

    /**
     * @param root its real path
     * @param previous the end of whoever followed it before
     */
    constructor(
        readonly root: string,
        protected readonly services: FolderServices,
        previous: Promise<unknown> = Promise.resolve()
    ) {
        this.privacy = new FolderPrivacy(root, services.fileAccess);
        this.index = new RootIndex(root, services.home, { isSecret: this.isSecret });
        this.lines = new LineCounts(this.index);
        this.rowAgents = new RowAgents(this.index, services.agents);
        this.undo = new FolderUndo(root, this.index, services.moveToTrash);
        this.ofTurns = new FolderTurns(root, this.index, services.agents);
        this.resumed = this.resume(previous);
        this.run(async () => {
            await this.resumed;
            this.describe();
            await this.countLines();
        });
    }

    /** Changes are looked for. */
    get tracking(): boolean {
        return this.index.tracking;
    }

    /** @param forget otherwise what is listed stays on disk */
    async stop(forget = false): Promise<void> {
        [this.ending, this.waiting].forEach(clearTimeout);
        this.isStopped = true;
        await withTimeLimit(forget ? this.index.forget() : this.index.stop(), STOP_LIMIT_MS).catch(() => undefined);
        this.index.close();
    }

    /** What is never shared. Of files that come to be secret, no text is left. @param values of `companion.context.exclude` */
    exclude(values: readonly ScopedValue[]): void {
        if (this.privacy.setPatterns(values)) {
            this.run(async () => {
                await this.resumed;
                await this.index.purge(this.isSecret);
                this.lookSoon();
            });
        }
    }

    /** Says whether an agent runs. The last one may have written just before its end. */
    setAgent(isThere: boolean): void {
        this.noteAgents();
        if (isThere && !this.hasAgent) {
            const since = Date.now();
            clearTimeout(this.ending);
            this.ending = undefined;
            this.start(since);
        } else if (!isThere && this.hasAgent !== false) {
            const hadAgent = this.hasAgent;
            this.ending = setTimeout(() => {
                this.ending = undefined;
                this.run(() => this.letGo(hadAgent === true));
            }, AFTER_AGENT_MS).unref();
        }
        this.hasAgent = isThere;
    }

    /** No agent is there any more. One may come while this looks. */
    protected async letGo(hadAgent: boolean): Promise<void> {
        await this.resumed;
        if (hadAgent || this.tracking) {
            await this.look();
            if (!this.hasAgent) {
                await this.index.stop();
                this.describe();
            }
        }
    }

    /** One of them works, or rests. */
    noteAgents(): void {
        this.rowAgents.note();
        this.ofTurns.note();
    }

    /** Looks soon: something has changed, or an agent's turn may have ended. */
    lookSoon(): void {
        if (this.isStopped || !this.isFollowed) {
            return;
        }
        this.noticedAt ??= performance.now();
        const next = Math.max(this.lookedAt + this.lookMs * (LOOK_PAUSE + 1), this.pausedUntil);
        this.waiting ??= setTimeout(
            () => {
                this.waiting = undefined;
                void this.look();
            },
            Math.max(next - performance.now(), GATHER_MS)
        ).unref();
    }

    /** Never rejects: what cannot be looked at stays as it was, and {@link trouble} says why. Whoever asks while it waits for its turn gets the same. */
    look(): Promise<void> {
        this.waitingLook ??= this.lastLook.then(() => {
            this.waitingLook = undefined;
            return this.lookNow();
        });
        this.lastLook = this.waitingLook;
        return this.waitingLook;
    }

    /** The IDE is about to write in the folder. @returns is called when the index has it */
    beginWrite(): () => void {
        if (this.writing++ === 0) {
            this.written = new Deferred();
        }
        let isOver = false;
        const end = (): void => {
            if (!isOver) {
                isOver = true;
                clearTimeout(limit);
                if (--this.writing === 0) {
                    this.written.resolve();
                }
                this.describe();
                this.lookSoon();
            }
        };
        const limit = setTimeout(end, WRITE_LIMIT_MS).unref();
        return end;
    }

    /** The IDE is about to write a file. */
    beginSave(file: string): Promise<SaveBegin> {
        return this.index.beginSave(file);
    }

    /** The IDE has written a file. */
    async foldSave(file: string, from: Save['from'], to: Save['to'], begin?: SaveBegin): Promise<void> {
        if (this.editorUndos.takeSave(file, to)) {
            await this.index.withTurns(file, (turns, name) => turns.noteUndone(name));
        } else {
            await this.index.foldSave(file, from, to, begin);
        }
    }

    /** The IDE has moved or deleted a file or a folder. @param hasFailed what is still there was not deleted */
    move(file: string, to: string | null, hasFailed?: boolean): Promise<void> {
        return this.isFollowed ? this.index.move(file, to, hasFailed) : Promise.resolve();
    }

    /** The IDE has made a file or a folder: a copy, an upload. */
    adopt(file: string): Promise<void> {
        return this.isFollowed ? this.index.adopt(file) : Promise.resolve();
    }

    async baseline(file: string): Promise<Baseline | undefined> {
        const listed = this.index.find(file);
        const bytes = listed && (await this.index.bytesBefore(file));
        const text = bytes && decodeRaw(bytes);
        if (!listed || bytes === undefined || text === undefined) {
            return undefined;
        }
        return { version: numberOf(listed.version), ...(text !== null && { text: toWire(text) }) };
    }

    /** It is on disk before anybody sees it done: a restart must not bring back what was kept. */
    async keep(file: string, version: number, lines?: LineHunk): Promise<boolean> {
        const listed = this.index.find(file);
        const isKept = listed !== undefined && numberOf(listed.version) === version && (await this.index.keep(file, listed.version, lines));
        if (isKept && !lines) {
            await this.index.withTurns(file, (turns, name) => turns.end(name));
        }
        this.describe();
        void this.countLines();
        return isKept;
    }

    /**
     * The page takes a change back in the file's editor.
     *
     * @param left the file after it: its save types nothing. `undefined` if the user saves it later
     */
    async mayUndo(file: string, version: number, left: FileText | undefined): Promise<boolean> {
        const listed = this.index.find(file);
        if (!listed || numberOf(listed.version) !== version || listed.isAsCommitted) {
            return false;
        }
        const bytes = left === undefined ? undefined : left === null ? null : Buffer.from(encodeRaw(fromWire(left)));
        if (!(await this.index.noteUndo(file, listed.version, bytes))) {
            return false;
        }
        this.editorUndos.begin(file, bytes, RowAgents.namesOf(listed));
        this.describe();
        return true;
    }

    /** An editor has taken a change back. @returns who changed it; `undefined` if nobody has asked before, or that was said already */
    takeUndone(file: string): readonly string[] | undefined {
        return this.editorUndos.takeAgents(file);
    }

    agentsOf(file: string): readonly string[] {
        return RowAgents.namesOf(this.index.find(file));
    }

    /** As `FolderUndo.undoFiles` has it. */
    async undoFiles(files: readonly SeenRow[], set: string, mayLose: boolean): Promise<UndoneResult[]> {
        const results = await this.undo.undoFiles(files, set, mayLose);
        this.describe();
        return results;
    }

    async readUndone(id: string, file: string): Promise<UndoneTexts | undefined> {
        const texts = await this.index.readUndone(id, file);
        const [before, after] = [texts?.left ?? null, texts?.taken ?? null];
        return texts && { ...(before !== null && { before: toWire(before) }), ...(after !== null && { after: toWire(after) }) };
    }

    /** As `FolderTurns.undo` has it. */
    async undoTurn(id: string, andLater: boolean, files: readonly SeenRow[], set: string): Promise<UndoneResult[]> {
        const results = await this.ofTurns.undo(id, andLater, files, set);
        this.lookSoon();
        this.describe();
        return results;
    }

    async putBack(id: string, file?: string): Promise<UndoneResult[]> {
        const results = await this.undo.putBack(id, file);
        this.lookSoon();
        this.describe();
        return results;
    }

    /** Forgets what can be put back. */
    async clearUndone(): Promise<void> {
        await this.index.clearUndone();
        this.describe();
    }

    /** Takes all that is listed for seen. */
    async keepAll(): Promise<KeptFile[]> {
        const keep = async ({ path: file, version, note }: ListedRow): Promise<KeptFile[]> => {
            if (!(await this.index.keep(file, version))) {
                return [];
            }
            await this.index.withTurns(file, (turns, name) => turns.end(name));
            return [{ file, agents: RowAgents.namesOf({ note }) }];
        };
        const kept = await Promise.all(this.index.list().map(keep));
        this.describe();
        return kept.flat();
    }

    /** Something of it may be listed. */
    get isFollowed(): boolean {
        return this.tracking || this.hasAgent === true || this.index.list().length > 0;
    }

    protected start(since: number): void {
        this.run(async () => {
            await this.resumed;
            const began = performance.now();
            try {
                await this.privacy.read();
                await this.index.start(since);
                this.trouble = undefined;
            } catch (error) {
                this.pause(error, performance.now() - began);
                setTimeout(() => this.hasAgent && !this.isStopped && this.start(since), this.pausedUntil - performance.now()).unref();
            }
            this.describe();
            this.lookSoon();
        });
    }

    protected async resume(previous: Promise<unknown>): Promise<void> {
        try {
            await previous.catch(() => undefined);
            await this.privacy.read();
            await this.index.resume();
        } catch (error) {
            this.services.logger.warn(`What was listed in ${this.root} is not known`, error);
        }
    }

    protected async lookNow(): Promise<void> {
        await this.resumed;
        if (performance.now() < this.pausedUntil || this.isStopped) {
            return;
        }
        if (this.writing > 0) {
            await this.written.promise;
        }
        const began = performance.now();
        const { lookedAt: since, noticedAt } = this;
        this.noticedAt = undefined;
        try {
            if (await this.privacy.read()) {
                await this.index.purge(this.isSecret);
            }
            const { commits } = this.index;
            const before = new Map(this.index.list().map(listed => [listed.path, listed]));
            const listed = await this.index.look();
            await this.foldAccepted(listed);
            const committed = commits === this.index.commits ? undefined : before;
            const worked = await this.rowAgents.attribute(this.index.list(), committed, since, noticedAt);
            await this.ofTurns.record(worked, since);
            this.failures = 0;
            this.trouble = undefined;
            this.lookedAt = began;
        } catch (error) {
            this.noticedAt = noticedAt ?? this.noticedAt;
            if (++this.failures >= MAX_FAILURES) {
                this.pause(error, performance.now() - began);
            } else {
                this.services.logger.warn(`Changes in ${this.root} were not looked at`, error);
            }
        }
        this.lookMs = performance.now() - began;
        this.describe();
        await this.countLines();
    }

    /** What was accepted and written was seen. */
    protected async foldAccepted(listed: readonly ListedRow[]): Promise<void> {
        for (const { path: file } of listed) {
            const written = await this.services.takeAccepted(path.join(this.root, file));
            if (written) {
                await this.index.foldAccepted(file, written.from, written.to);
            }
        }
    }

    /** The list is shown without the numbers until they are known. */
    protected async countLines(): Promise<void> {
        const shown = new Set(this.files.map(({ uri }) => uri));
        try {
            if (await this.lines.count(this.index.list().filter(each => shown.has(this.uriOf(each.path))))) {
                this.describe();
            }
        } catch (error) {
            this.services.logger.warn(`Lines of changes in ${this.root} were not counted`, error);
        }
    }

    protected describe(): void {
        if (this.writing > 0) {
            // What the IDE writes is in no row once the index has it.
            return;
        }
        const listed = this.index.list();
        const { turns: found, byRow } = this.ofTurns.of(listed.map(each => each.path));
        const turns = found.map((turn): AgentTurn => ({ ...turn, agents: turn.agents.filter(Boolean), files: turn.files.length }));
        const all = listed
            .map(each => describeRow(each, this.uriOf(each.path), this.lines.get(each.path, each.version), byRow.get(each.path)))
            .sort((one, other) => other.changedAt - one.changedAt);
        const files = all.slice(0, MAX_SHOWN);
        const undone = this.index.undone.map(({ path: file, ...undone }): UndoneChange => ({ ...undone, uri: this.uriOf(file) })).reverse();
        const more = all.length - files.length;
        const counted = all.filter(({ group }) => group === undefined);
        const { tracking, trouble } = this;
        const shown = JSON.stringify([files, undone, turns, more, counted.length, tracking, trouble]);
        if (shown !== this.shown) {
            const rows = JSON.stringify(all.map(({ uri, version, group }) => [uri, version, group]));
            const hasOtherRows = rows !== this.rows;
            this.shown = shown;
            this.rows = rows;
            this.files = files;
            this.undone = undone;
            this.turns = turns;
            this.more = more;
            this.counted = counted;
            this.services.onDidChange(hasOtherRows);
        }
    }

    /** git does not answer, or refuses. It is asked again after a while. */
    protected pause(error: unknown, tookMs: number): void {
        this.pausedUntil = performance.now() + Math.max(tookMs * FAILURE_PAUSE, AFTER_AGENT_MS);
        this.trouble = troubleOf(error, this.root);
        this.services.logger.warn(`Changes in ${this.root} are not followed for now`, error);
    }

    protected run(task: () => Promise<void>): void {
        task().catch(error => this.services.logger.warn(`Changes in ${this.root} were not followed`, error));
    }

    /** Such as `.env`. */
    protected readonly isSecret = (file: string): boolean => this.privacy.isSecret(file);

    protected uriOf(file: string): string {
        return FileUri.create(path.join(this.root, file)).toString();
    }
}

function troubleOf(error: unknown, root: string): ChangesTrouble {
    const cause = error instanceof Error ? error.message : String(error);
    return error instanceof GitError && error.isMissingGit ? { code: 'no-git' } : { code: 'failed', root, cause };
}
