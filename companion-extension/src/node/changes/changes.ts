// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { Baseline, ChangeList, ChangesState, FileChange } from '../../common/changes/changes-protocol';
import { FileText, LineHunk } from '../../common/changes/line-hunks';
import { BackendPreferences } from '../../common/companion-preferences';
import { withTimeLimit } from '../../common/time-limit';
import { FileAccess } from '../host/file-access';
import { isInside } from '../host/paths';
import { ChangeStore } from './change-store';
import type { FolderChanges, IdeWrite } from './folder-changes';
import { IdeWrites } from './ide-writes';

/** How long a save waits for what must be known before, such as for git. */
const SAVE_LIMIT_MS = 100;
/** How long it waits for what it replaces. */
const READ_LIMIT_MS = 1_000;
const LOAD_DELAY_MS = 2_000;

/** The folders of a window, and what is known of it. */
interface FollowedWindow {
    /** Real paths. */
    readonly roots: readonly string[];
    readonly isTrusted: boolean;
    readonly preferences: Pick<BackendPreferences, 'companion.changes.track' | 'companion.context.exclude'>;
    /** The names of those that run in its terminals, or are connected; empty for one that does not say it. */
    readonly agents: readonly string[];
}

/** What was changed outside the editor while agents ran, in the folders of all windows. */
@injectable()
export class Changes {
    @inject(FileAccess)
    protected readonly tasks: FileAccess;
    @inject(ChangeStore)
    protected readonly store: ChangeStore;
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
    protected folderChanges: typeof FolderChanges | undefined;
    protected loading: NodeJS.Timeout | undefined;
    protected version = 0;
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    @postConstruct()
    protected init(): void {
        this.writes.setListener({
            beforeWrite: (file, isLink) => this.beforeWrite(file, isLink),
            handleChange: file => this.having(file).forEach(({ folder, inside }) => folder.handleEvent(inside))
        });
    }

    /** Says what windows there are. */
    follow(windows: readonly FollowedWindow[]): void {
        this.windows = windows;
        if (!this.folderChanges) {
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
            const having = windows.filter(window => window.roots.some(other => isInside(other, root)));
            const agents = new Set(having.flatMap(window => window.agents));
            const folder = this.folders.get(root) ?? this.add(root, this.folderChanges);
            folder.exclude([...new Set(having.flatMap(({ preferences }) => preferences['companion.context.exclude']))]);
            folder.isTrusted = having.some(({ isTrusted }) => isTrusted);
            folder.nameAgents(agents);
            folder.setAgent(agents.size > 0);
        }
    }

    /** An agent's turn may have ended. */
    lookSoon(): void {
        this.folders.forEach(folder => folder.tracking && folder.lookSoon());
    }

    /** @param roots real paths */
    stateOf(roots: readonly string[]): ChangesState {
        const waiting = this.filesOf(roots).filter(({ committed }) => !committed);
        const count = this.of(roots).reduce((sum, { more }) => sum + more, waiting.length);
        const trouble = this.isOn ? this.of(roots).find(folder => folder.trouble)?.trouble : { code: 'off' as const };
        return { version: this.version, count, ...(trouble && { trouble }) };
    }

    async list(roots: readonly string[], look: boolean): Promise<ChangeList> {
        const folders = this.of(roots);
        if (look) {
            await Promise.all(
                folders.map(folder => folder.look().catch(error => this.logger.warn('Changed files were not looked at', error)))
            );
        }
        return {
            version: this.version,
            tracking: folders.some(({ tracking }) => tracking),
            files: this.filesOf(roots),
            more: folders.reduce((sum, { more }) => sum + more, 0),
            undone: folders.flatMap(({ undone }) => undone)
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

    async readUndone(roots: readonly string[], id: string): Promise<{ uri: string; text?: string } | undefined> {
        const found = await Promise.all(this.of(roots).map(folder => folder.readUndone(id)));
        return found.find(undone => undone !== undefined);
    }

    /** A CLI is about to write a file, as the user told it in its terminal. */
    expectWriter(file: string, cliName: string): void {
        this.having(file).forEach(({ folder, inside }) => folder.expectWriter(inside, cliName));
    }

    /** The user accepts a proposal for the file. Reads what stands there. Never rejects. */
    async prepareAccepted(file: string): Promise<void> {
        const reading = Promise.all(this.having(file).map(({ folder, inside }) => folder.prepareAccepted(inside)));
        await withTimeLimit(reading, READ_LIMIT_MS).catch(error => this.logger.warn('An accepted file was not read', error));
    }

    /** The user has accepted this text. Its CLI writes it now. */
    expectAccepted(file: string, text: string): void {
        this.having(file).forEach(({ folder, inside }) => folder.expectAccepted(inside, text));
    }

    async stop(): Promise<void> {
        clearTimeout(this.loading);
        this.windows = [];
        const folders = [...this.folders.values()];
        this.folders.clear();
        await Promise.all(folders.map(folder => folder.stop()));
        this.store.dispose();
    }

    /** Nobody has switched it off. */
    protected get isOn(): boolean {
        return this.windows.length === 0 || this.windows.some(isTracked);
    }

    /** Diffing is loaded when there is an agent, or after the start: it takes 0.1 s. */
    protected loadSoon(): void {
        const hasAgent = this.windows.some(({ agents }) => agents.length > 0);
        if (!this.isOn) {
            this.forgetAll();
        } else if (hasAgent || (this.windows.length > 0 && !this.loading)) {
            clearTimeout(this.loading);
            this.loading = setTimeout(() => void this.load(), hasAgent ? 0 : LOAD_DELAY_MS).unref();
        }
    }

    /** Without a free file descriptor it cannot be loaded. The next news of a window tries again. */
    protected async load(): Promise<void> {
        try {
            this.folderChanges ??= (await import('./folder-changes')).FolderChanges;
            this.follow(this.windows);
        } catch (error) {
            this.loading = undefined;
            this.logger.warn('Changes are not followed', error);
        }
    }

    protected add(root: string, folderChanges: typeof FolderChanges): FolderChanges {
        const { tasks, store, logger } = this;
        const onDidChange = (): void => {
            this.version++;
            this.onDidChangeEmitter.fire();
        };
        const folder = new folderChanges(root, { tasks, store, logger, onDidChange }, this.stopping.get(root));
        this.stopping.delete(root);
        this.hasForgotten = false;
        this.folders.set(root, folder);
        return folder;
    }

    /** The user wants nothing of it. */
    protected forgetAll(): void {
        if (!this.hasForgotten) {
            this.hasForgotten = true;
            const forgotten = Promise.all(this.stopping.values()).then(() => (this.isOn ? undefined : this.store.removeAll()));
            forgotten.catch(error => {
                this.hasForgotten = false;
                this.logger.warn('Not all that is known of changes was removed', error);
            });
        }
    }

    /** Each once, where one root lies in another. */
    protected filesOf(roots: readonly string[]): FileChange[] {
        return this.of(roots).flatMap(({ root, files }) => {
            const inner = roots.filter(other => other !== root && isInside(root, other));
            return files.filter(({ uri }) => !inner.some(other => isInside(other, FileUri.fsPath(uri))));
        });
    }

    protected of(roots: readonly string[]): FolderChanges[] {
        return roots.flatMap(root => this.folders.get(root) ?? []);
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

    /** A save waits for a moment, and is never refused. What it replaces is read from the disk that it goes to. */
    protected async beforeWrite(file: string, isLink: boolean): Promise<(() => void) | undefined> {
        if (this.folders.size === 0) {
            return undefined;
        }
        let hasBegun = false;
        const preparing = this.resolve(file, isLink).then(real =>
            this.having(real).map(({ folder, inside }) => folder.prepareWrite(inside, () => hasBegun))
        );
        const all = async (of: (write: IdeWrite) => Promise<void>): Promise<unknown> => Promise.all((await preparing).map(of));
        // What fails or is late is dealt with after the write.
        const wait = (task: Promise<unknown>, limitMs: number): Promise<unknown> => withTimeLimit(task, limitMs).catch(() => undefined);
        const ready = all(write => write.ready).catch(() => undefined);
        await wait(
            all(write => write.read),
            READ_LIMIT_MS
        );
        await wait(ready, SAVE_LIMIT_MS);
        hasBegun = true;
        return () => void all(write => write.finish()).catch(error => this.logger.warn('A write was not followed', error));
    }

    /** Saved through a link, it is the file behind it. */
    protected async resolve(file: string, isLink: boolean): Promise<string> {
        const parent = path.dirname(file);
        const beside = async (): Promise<string> => path.join(await fs.realpath(parent).catch(() => parent), path.basename(file));
        return isLink ? beside() : fs.realpath(file).catch(beside);
    }
}

function isTracked({ preferences }: FollowedWindow): boolean {
    return preferences['companion.changes.track'] === 'agents';
}
