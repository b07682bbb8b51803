// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { AgentTurn, Baseline, ChangeList, ChangesState, FileChange, UndoneTexts } from '../../common/changes/changes-protocol';
import { FileText, LineHunk } from '../../common/diff/line-hunks';
import { BackendPreferences } from '../../common/companion-preferences';
import { ScopedValue } from '../../common/scoped-value';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionFolder } from '../discovery/companion-folder';
import { FileAccess } from '../host/file-access';
import { isInside } from '../host/paths';
import { ActiveAgent } from './active-agent-contribution';
import type { FolderChanges } from './folder-changes';
import type { TurnFile } from './folder-turns';
import type { SeenRow, UndoneResult } from './folder-undo';
import { FinishWrite, IdeWrites } from './ide-writes';
import type { TakeAccepted } from './index-fold';
import type { KeptFile } from './row-agents';

/** How long a save waits for what stood there before: longer, and its lines are not told from an agent's. */
const SAVE_LIMIT_MS = 1_000;
const LOAD_DELAY_MS = 2_000;
/** In bytes: of a larger file lines are not told apart. */
const MAX_SAVED_BYTES = 10 * 1024 * 1024;
/** Of a folder that nobody has opened for so long, nothing is kept. */
const KEPT_MS = 14 * 24 * 3_600_000;

/** The folders of a window, and what is known of it. */
interface FollowedWindow {
    /** Real paths. */
    readonly roots: readonly string[];
    readonly preferences: Pick<BackendPreferences, 'companion.changes.track'>;
    /** The values of `companion.context.exclude`, with the real path of the root whose own they are. */
    readonly excludes: readonly ScopedValue[];
    /** Those that run in its terminals, or are connected. */
    readonly agents: () => readonly ActiveAgent[];
}

/** What was changed outside the editor while agents ran, in the folders of all windows. */
@injectable()
export class Changes {
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;
    @inject(CompanionFolder)
    protected readonly folder: CompanionFolder;
    @inject(IdeWrites)
    protected readonly writes: IdeWrites;
    @inject(ILogger)
    @named('companion:Changes')
    protected readonly logger: ILogger;

    protected readonly folders = new Map<string, FolderChanges>();
    /** The ends of those that are followed no longer, by their roots. */
    protected readonly stopping = new Map<string, Promise<void>>();
    protected hasForgotten = false;
    protected windows: readonly FollowedWindow[] = [];
    protected takeAccepted: TakeAccepted = async () => undefined;
    protected loaded: { readonly folderChanges: typeof FolderChanges; readonly home: string } | undefined;
    protected loading: NodeJS.Timeout | undefined;
    protected version = 0;
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    @postConstruct()
    protected init(): void {
        this.writes.setListener({
            beforeWrite: file => this.beforeWrite(file),
            beforeMove: (file, to) => this.beforeMove(file, to),
            beforeMake: file => this.beforeMake(file)
        });
        this.writes.onDidChange(file => this.having(file).forEach(({ folder, inside }) => isOfGit(inside) || folder.lookSoon()));
    }

    /** Says what windows there are. */
    follow(windows: readonly FollowedWindow[]): void {
        this.windows = windows;
        const { loaded } = this;
        if (!loaded) {
            this.loadSoon();
            return;
        }
        const roots = new Set(windows.filter(isTracked).flatMap(window => window.roots));
        for (const [root, folder] of this.folders) {
            if (!roots.has(root)) {
                this.folders.delete(root);
                this.stopping.set(root, folder.stop(!this.isOn));
            }
        }
        if (!this.isOn) {
            this.forgetAll();
        }
        for (const root of roots) {
            const folder = this.folders.get(root) ?? this.add(root, loaded.folderChanges, loaded.home);
            folder.exclude(this.excludesIn(root));
            folder.setAgent(this.agentsIn(root).length > 0);
        }
    }

    /** One of them works, or rests. */
    noteAgents(): void {
        this.folders.forEach(folder => folder.noteAgents());
    }

    /** An agent's turn may have ended. */
    lookSoon(): void {
        this.folders.forEach(folder => folder.tracking && folder.lookSoon());
    }

    /** Whether the list of this version had the same rows: a row gets its numbers of lines later, and a user who saw it without them saw it. */
    isCurrent(roots: readonly string[], version: number): boolean {
        return version <= this.version && this.of(roots).every(({ rowsVersion }) => version >= rowsVersion);
    }

    /** @param roots real paths */
    stateOf(roots: readonly string[]): ChangesState {
        const count = this.of(roots).reduce((sum, folder) => sum + ownOf(folder, roots, folder.counted).length, 0);
        const trouble = this.isOn ? this.of(roots).find(folder => folder.trouble)?.trouble : { code: 'off' as const };
        return { version: this.version, count, ...(trouble && { trouble }) };
    }

    async list(roots: readonly string[], look: boolean): Promise<ChangeList> {
        const folders = this.of(roots);
        if (look) {
            await Promise.all(folders.map(folder => folder.look()));
        }
        const files = folders.flatMap(folder => ownOf(folder, roots, folder.files));
        return {
            version: this.version,
            tracking: folders.some(({ tracking }) => tracking),
            files,
            more: folders.reduce((sum, { more }) => sum + more, 0),
            undone: folders.flatMap(({ undone }) => undone).sort((one, other) => other.at - one.at),
            turns: this.turnsOf(folders, files)
        };
    }

    async baseline(roots: readonly string[], file: string): Promise<Baseline | undefined> {
        return this.ofFile(roots, file, (folder, inside) => folder.baseline(inside));
    }

    async keep(roots: readonly string[], file: string, version: number, lines?: LineHunk): Promise<boolean> {
        return (await this.ofFile(roots, file, (folder, inside) => folder.keep(inside, version, lines))) ?? false;
    }

    async mayUndo(roots: readonly string[], file: string, version: number, left: FileText | undefined): Promise<boolean> {
        return (await this.ofFile(roots, file, (folder, inside) => folder.mayUndo(inside, version, left))) ?? false;
    }

    /** The agents of an undo in an editor that {@link mayUndo} has allowed, once. */
    takeUndone(roots: readonly string[], file: string): readonly string[] | undefined {
        return this.ofFile(roots, file, (folder, inside) => folder.takeUndone(inside));
    }

    /** Who worked when the file was changed, by their names. */
    agentsOf(roots: readonly string[], file: string): readonly string[] {
        return this.ofFile(roots, file, (folder, inside) => folder.agentsOf(inside)) ?? [];
    }

    /**
     * @param files absolute, with the versions that the user saw
     * @param mayLose as `FolderUndo.undoFiles` has it
     */
    async undoFiles(roots: readonly string[], files: readonly SeenRow[], mayLose: boolean): Promise<UndoneResult[]> {
        const set = randomUUID();
        const results: UndoneResult[] = [];
        for (const folder of this.of(roots)) {
            const own = this.insideOf(folder, roots, files);
            results.push(...absolute(folder, own.length > 0 ? await folder.undoFiles(own, set, mayLose) : []));
        }
        return results;
    }

    /** The files that an undo of all takes back, and of how many of them it cannot keep what it takes away. */
    async undoable(roots: readonly string[]): Promise<{ files: SeenRow[]; lost: number }> {
        const all = await Promise.all(this.of(roots).map(async folder => ({ folder, ...(await folder.undo.undoable()) })));
        return {
            files: all.flatMap(({ folder, files }) => absolute(folder, files).filter(({ file }) => this.isOf(folder, roots, file))),
            lost: all.reduce((sum, { lost }) => sum + lost, 0)
        };
    }

    /** As `FolderTurns.plan` has it, with absolute paths. */
    async planTurnUndo(roots: readonly string[], id: string, andLater: boolean): Promise<TurnFile[] | undefined> {
        const folder = this.ofTurn(roots, id);
        const files = await folder?.ofTurns.plan(id, andLater);
        return folder && files && absolute(folder, files).filter(({ file }) => this.isOf(folder, roots, file));
    }

    /** As `FolderTurns.undo` has it, with absolute paths. */
    async undoTurn(roots: readonly string[], id: string, andLater: boolean, files: readonly SeenRow[]): Promise<UndoneResult[]> {
        const folder = this.ofTurn(roots, id);
        const own = folder && this.insideOf(folder, roots, files);
        return folder && own ? absolute(folder, await folder.undoTurn(id, andLater, own, randomUUID())) : [];
    }

    /** @param version of the list that the user saw. @returns what was kept; `undefined` if the list is another one by now */
    async keepAll(roots: readonly string[], version: number): Promise<KeptFile[] | undefined> {
        if (!this.isCurrent(roots, version)) {
            return undefined;
        }
        const keep = async (folder: FolderChanges): Promise<KeptFile[]> =>
            absolute(folder, await folder.keepAll()).filter(({ file }) => this.isOf(folder, roots, file));
        return (await Promise.all(this.of(roots).map(keep))).flat();
    }

    /** @param version of the list that the user saw. @returns false if it is another one by now */
    async clearUndone(roots: readonly string[], version: number): Promise<boolean> {
        if (!this.isCurrent(roots, version)) {
            return false;
        }
        await Promise.all(this.of(roots).map(folder => folder.clearUndone()));
        return true;
    }

    async readUndone(roots: readonly string[], file: string, id: string): Promise<UndoneTexts | undefined> {
        return this.ofFile(roots, file, (folder, inside) => folder.readUndone(id, inside));
    }

    /** @param file absolute; all of the undo if it is left out */
    async putBack(roots: readonly string[], id: string, file: string | undefined): Promise<UndoneResult[]> {
        const results: UndoneResult[] = [];
        for (const folder of this.of(roots)) {
            if (file === undefined || isInside(folder.root, file)) {
                results.push(...absolute(folder, await folder.putBack(id, file && path.relative(folder.root, file))));
            }
        }
        return results;
    }

    /** @param takeAccepted what a CLI has written just as the user accepted it. By the file's real path */
    setAccepted(takeAccepted: TakeAccepted): void {
        this.takeAccepted = takeAccepted;
    }

    async stop(): Promise<void> {
        clearTimeout(this.loading);
        this.windows = [];
        const folders = [...this.folders.values()];
        this.folders.clear();
        await Promise.all(folders.map(folder => folder.stop()));
    }

    /** Nobody has switched it off. */
    protected get isOn(): boolean {
        return this.windows.length === 0 || this.windows.some(isTracked);
    }

    protected agentsIn(root: string): ActiveAgent[] {
        return this.havingRoot(root).flatMap(window => window.agents());
    }

    protected havingRoot(root: string): FollowedWindow[] {
        // First by name: to compare long paths as folders takes 0.1 ms each.
        return this.windows.filter(({ roots }) => roots.includes(root) || roots.some(other => isInside(other, root)));
    }

    /** Diffing is loaded when there is an agent, or after the start: it takes 0.1 s. */
    protected loadSoon(): void {
        const hasAgent = this.windows.some(({ agents }) => agents().length > 0);
        if (!this.isOn) {
            this.forgetAll();
        } else if (hasAgent || (this.windows.length > 0 && !this.loading)) {
            clearTimeout(this.loading);
            this.loading = setTimeout(() => void this.load(), hasAgent ? 0 : LOAD_DELAY_MS).unref();
        }
    }

    /** Without a free file descriptor, or a folder, it cannot be loaded. The next news of a window tries again. */
    protected async load(): Promise<void> {
        try {
            const home = await this.fileAccess.run(this.folder.place, () => this.makeHome());
            this.loaded ??= { folderChanges: (await import('./folder-changes')).FolderChanges, home };
            this.follow(this.windows);
        } catch (error) {
            this.loading = undefined;
            this.logger.warn('Changes are not followed', error);
        }
    }

    /** The folder with all private git directories. What is too old, or of the format before it, goes. */
    protected async makeHome(): Promise<string> {
        const home = await this.home();
        await fs.mkdir(home, { recursive: true, mode: 0o700 });
        for (const name of await fs.readdir(home)) {
            const entry = path.join(home, name);
            const state = await fs.stat(path.join(entry, 'state.json')).catch(() => undefined);
            if (/\.json$/.test(name) || (state && Date.now() - state.mtimeMs > KEPT_MS)) {
                await fs.rm(entry, { recursive: true, force: true });
            }
        }
        return home;
    }

    protected async home(): Promise<string> {
        return path.join(await this.folder.make(), 'changes');
    }

    /** Of all windows that have the root. */
    protected excludesIn(root: string): ScopedValue[] {
        const values = this.havingRoot(root)
            .flatMap(({ excludes }) => excludes)
            .filter(said => said.root === undefined || said.root === root)
            .map(({ scope, value }) => JSON.stringify({ scope, value }));
        return [...new Set(values)].map(text => JSON.parse(text) as ScopedValue);
    }

    protected add(root: string, folderChanges: typeof FolderChanges, home: string): FolderChanges {
        const onDidChange = (hasOtherRows: boolean): void => {
            this.version++;
            if (hasOtherRows) {
                folder.rowsVersion = this.version;
            }
            this.onDidChangeEmitter.fire();
        };
        const moveToTrash = (file: string): Promise<void> => this.writes.moveToTrash(file);
        const services = {
            fileAccess: this.fileAccess,
            home,
            logger: this.logger,
            agents: () => this.agentsIn(root),
            moveToTrash,
            takeAccepted: (file: string) => this.takeAccepted(file),
            onDidChange
        };
        const folder = new folderChanges(root, services, this.stopping.get(root));
        this.stopping.delete(root);
        this.hasForgotten = false;
        this.folders.set(root, folder);
        return folder;
    }

    /** The user wants nothing of it. */
    protected forgetAll(): void {
        if (!this.hasForgotten) {
            this.hasForgotten = true;
            const forget = async (): Promise<void> => {
                await Promise.all([...this.stopping.values()]);
                if (!this.isOn) {
                    await fs.rm(await this.home(), { recursive: true, force: true });
                    this.loaded = undefined;
                }
            };
            this.fileAccess.run(this.folder.place, forget).catch(error => {
                this.hasForgotten = false;
                this.logger.warn('Not all that is known of changes was removed', error);
            });
        }
    }

    /** What an agent does in an inner folder is a turn of the outer one, too. @param files each once */
    protected turnsOf(folders: readonly FolderChanges[], files: readonly FileChange[]): AgentTurn[] {
        const shown = new Set(files.map(({ turn }) => turn));
        const all = new Set(folders.flatMap(folder => folder.files.map(({ turn }) => turn)));
        const isOfInner = ({ id }: AgentTurn): boolean => all.has(id) && !shown.has(id);
        const turns = folders.flatMap(folder => folder.turns).filter(turn => !isOfInner(turn));
        return turns.sort((one, other) => other.startedAt - one.startedAt);
    }

    protected of(roots: readonly string[]): FolderChanges[] {
        return roots.flatMap(root => this.folders.get(root) ?? []);
    }

    protected ofTurn(roots: readonly string[], id: string): FolderChanges | undefined {
        return this.of(roots).find(({ turns }) => turns.some(turn => turn.id === id));
    }

    /** The folders that have the file, the innermost first: roots may lie in each other. */
    protected having(file: string): Array<{ folder: FolderChanges; inside: string }> {
        return [...this.folders.values()]
            .filter(({ root }) => root !== file && isInside(root, file))
            .sort((left, right) => right.root.length - left.root.length)
            .map(folder => ({ folder, inside: path.relative(folder.root, file) }));
    }

    /** The folder of the window that lists the file. */
    protected ofFile<T>(roots: readonly string[], file: string, use: (folder: FolderChanges, inside: string) => T): T | undefined {
        const found = this.having(file).find(({ folder }) => roots.includes(folder.root));
        return found && use(found.folder, found.inside);
    }

    /** What is kept of a file, and undone, is so in the innermost folder alone. */
    protected isOf(folder: FolderChanges, roots: readonly string[], file: string): boolean {
        return this.ofFile(roots, file, found => found) === folder;
    }

    protected insideOf(folder: FolderChanges, roots: readonly string[], files: readonly SeenRow[]): SeenRow[] {
        return files
            .filter(({ file }) => this.isOf(folder, roots, file))
            .map(({ file, version }) => ({ file: path.relative(folder.root, file), version }));
    }

    /** A save waits for what stands there, and for nothing else. */
    protected async beforeWrite(file: string): Promise<FinishWrite | undefined> {
        if (![...this.folders.values()].some(({ isFollowed }) => isFollowed)) {
            return undefined;
        }
        const before = await this.wait(readFile(file), SAVE_LIMIT_MS);
        const real = before?.real ?? file;
        const having = this.having(real);
        const ends = having.map(({ folder }) => folder.beginWrite());
        // What git does from now on comes after the save.
        const begun = await this.wait(Promise.all(having.map(({ folder, inside }) => folder.beginSave(inside))), SAVE_LIMIT_MS);
        return async content => {
            // An agent may write at once after the save: what the file is by then is not all the user's.
            const reading = having.length === 0 ? undefined : content ? savedBytes(content) : readFile(real).then(({ bytes }) => bytes);
            const fold = async (): Promise<void> => {
                const after = await reading;
                await Promise.all(having.map(({ folder, inside }, index) => folder.foldSave(inside, before?.bytes, after, begun?.[index])));
            };
            this.finish(fold(), ends);
            await Promise.resolve(reading).catch(() => undefined);
        };
    }

    protected beforeMove(file: string, to: string | null): FinishWrite | undefined {
        const folders = new Set([...this.having(file), ...(to === null ? [] : this.having(to))].map(({ folder }) => folder));
        const ends = [...folders].map(folder => folder.beginWrite());
        return (_, hasFailed) => {
            const insideOf = (folder: FolderChanges, other: string | null): string | null =>
                other !== null && isInside(folder.root, other) ? path.relative(folder.root, other) : null;
            const moving = [...folders].map(async folder => {
                // What failed has at most taken some files away.
                const [from, target] = [insideOf(folder, file), hasFailed ? null : insideOf(folder, to)];
                if (from === null && target !== null) {
                    await folder.adopt(target);
                } else if (from !== null) {
                    await folder.move(from, target, hasFailed);
                }
            });
            this.finish(Promise.all(moving), ends);
        };
    }

    protected async beforeMake(file: string): Promise<FinishWrite | undefined> {
        if ((await fs.stat(file).catch(() => undefined))?.isFile()) {
            return this.beforeWrite(file);
        }
        const having = this.having(file);
        const ends = having.map(({ folder }) => folder.beginWrite());
        return () => this.finish(Promise.all(having.map(({ folder, inside }) => folder.adopt(inside))), ends);
    }

    /** The IDE waits for nothing of it. */
    protected finish(task: Promise<unknown>, ends: ReadonlyArray<() => void>): void {
        task.catch(error => this.logger.warn('A write was not followed', error)).finally(() => ends.forEach(end => end()));
    }

    protected async wait<T>(task: Promise<T> | undefined, limitMs: number): Promise<T | undefined> {
        try {
            return task && (await withTimeLimit(task, limitMs));
        } catch (error) {
            this.logger.warn('A write was not followed', error);
            return undefined;
        }
    }
}

function isTracked({ preferences }: FollowedWindow): boolean {
    return preferences['companion.changes.track'] === 'agents';
}

/** Each once, where one root lies in another. */
function ownOf({ root }: FolderChanges, roots: readonly string[], files: readonly FileChange[]): readonly FileChange[] {
    // Asked for each state: a hundred roots are ten thousand pairs.
    const inner = files.length > 0 ? roots.filter(other => other !== root && isInside(root, other)) : [];
    return files.filter(({ uri }) => !inner.some(other => isInside(other, FileUri.fsPath(uri))));
}

function absolute<T extends { file: string }>({ root }: FolderChanges, files: readonly T[]): T[] {
    return files.map(each => ({ ...each, file: path.join(root, each.file) }));
}

function isOfGit(file: string): boolean {
    return file.split(path.sep).includes('.git') && !/(^|[/\\])\.git[/\\](HEAD|index|logs[/\\]HEAD)$/.test(file);
}

/** @returns what stands there: `null` for nothing, `undefined` for what is too large or no file */
async function readFile(file: string): Promise<{ real: string; bytes: Buffer | null | undefined }> {
    const beside = async (): Promise<string> => {
        const parent = path.dirname(file);
        return path.join(await fs.realpath(parent).catch(() => parent), path.basename(file));
    };
    // Saved through a link, it is the file behind it.
    const real = await fs.realpath(file).catch(beside);
    const stat = await fs.stat(real).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? null : undefined));
    const bytes = stat?.isFile() && stat.size <= MAX_SAVED_BYTES ? await fs.readFile(real) : stat === null ? null : undefined;
    return { real, bytes };
}

/** @returns `undefined` for what is too large */
function savedBytes(content: Uint8Array): Buffer | undefined {
    return content.byteLength <= MAX_SAVED_BYTES ? Buffer.from(content) : undefined;
}
