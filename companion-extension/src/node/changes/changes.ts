// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { Baseline, ChangeList, ChangesState, UnaskedCli } from '../../common/changes/changes-protocol';
import { FileText, LineHunk } from '../../common/changes/line-hunks';
import { BackendPreferences } from '../../common/companion-preferences';
import { withTimeLimit } from '../../common/time-limit';
import { SupportedClis } from '../discovery/supported-clis';
import { FileAccess } from '../host/file-access';
import { isInside } from '../host/paths';
import { ChangeReport, ChangeReports } from './change-reports';
import { ChangeStore } from './change-store';
import type { FolderChanges } from './folder-changes';
import { IdeWrites } from './ide-writes';

/** How long a save waits for what must be known before. */
const SAVE_LIMIT_MS = 3_000;
const LOAD_DELAY_MS = 2_000;

/** In these, a CLI that proposes nothing has asked in its terminal (Qwen Code 0.24, Claude Code 2.1). */
const ASKING_MODES = ['default', 'manual', 'plan'];

/** The folders of a window, and what is known of it. */
export interface FollowedWindow {
    /** Real paths. */
    readonly roots: readonly string[];
    readonly isTrusted: boolean;
    /** An agent runs in one of its terminals, or is connected. */
    readonly hasAgent: boolean;
}

/** What was changed outside the editor while agents ran, in the folders of all windows. */
@injectable()
export class Changes {
    @inject(FileAccess)
    protected readonly tasks: FileAccess;
    @inject(ChangeStore)
    protected readonly store: ChangeStore;
    @inject(ChangeReports)
    protected readonly reports: ChangeReports;
    @inject(SupportedClis)
    protected readonly clis: Pick<SupportedClis, 'nameOf'>;
    @inject(IdeWrites)
    protected readonly writes: IdeWrites;
    @inject(BackendPreferences)
    protected readonly preferences: BackendPreferences;
    @inject(ILogger)
    @named('companion:Changes')
    protected readonly logger: ILogger;

    protected readonly folders = new Map<string, FolderChanges>();
    protected windows: readonly FollowedWindow[] = [];
    protected folderChanges: typeof FolderChanges | undefined;
    protected loading: NodeJS.Timeout | undefined;
    /** By their ids, the CLIs that have written what they did not propose. */
    protected readonly unasked = new Map<string, UnaskedCli>();
    protected version = 0;
    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    @postConstruct()
    protected init(): void {
        this.writes.setListener({
            beforeWrite: file => this.beforeWrite(file),
            handleChange: file => this.ofFile(file, (folder, inside) => folder.handleEvent(inside))
        });
        this.reports.onDidReport(report => void this.handleReport(report).catch(error => this.logger.warn('A report was not used', error)));
    }

    /** Before shells start: they learn where CLIs report. */
    async start(): Promise<void> {
        if (this.isOn) {
            await this.reports.start();
        }
    }

    /** Says what windows there are. */
    follow(windows: readonly FollowedWindow[]): void {
        this.windows = windows;
        if (!this.folderChanges) {
            this.loadSoon();
            return;
        }
        const roots = new Set(this.isOn ? windows.flatMap(window => window.roots) : []);
        for (const [root, folder] of this.folders) {
            if (!roots.has(root)) {
                this.folders.delete(root);
                void folder.stop(!this.isOn);
            }
        }
        for (const root of roots) {
            const having = windows.filter(window => window.roots.includes(root));
            const hasAgent = having.some(window => window.hasAgent);
            const folder = this.folders.get(root) ?? this.add(root, this.folderChanges);
            folder.isTrusted = having.some(({ isTrusted }) => isTrusted);
            folder.setAgent(hasAgent);
        }
    }

    /** An agent's turn may have ended. */
    lookSoon(): void {
        this.folders.forEach(folder => folder.tracking && folder.lookSoon());
    }

    /** @param roots real paths */
    stateOf(roots: readonly string[]): ChangesState {
        const folders = this.of(roots);
        const count = folders.reduce((sum, { files, more }) => sum + more + files.filter(({ committed }) => !committed).length, 0);
        return { version: this.version, count, ...(this.unasked.size > 0 && { unasked: [...this.unasked.values()] }) };
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
            files: folders.flatMap(({ files }) => files),
            more: folders.reduce((sum, { more }) => sum + more, 0),
            undone: folders.flatMap(({ undone }) => undone)
        };
    }

    async baseline(file: string): Promise<Baseline | undefined> {
        return this.ofFile(file, (folder, inside) => folder.baseline(inside));
    }

    async keep(file: string, version: number, lines?: LineHunk): Promise<boolean> {
        return (await this.ofFile(file, (folder, inside) => folder.keep(inside, version, lines))) ?? false;
    }

    async mayUndo(file: string, version: number, left: FileText | undefined): Promise<boolean> {
        return (await this.ofFile(file, (folder, inside) => folder.mayUndo(inside, version, left))) ?? false;
    }

    async readUndone(roots: readonly string[], id: string): Promise<{ uri: string; text?: string } | undefined> {
        const found = await Promise.all(this.of(roots).map(folder => folder.readUndone(id)));
        return found.find(undone => undone !== undefined);
    }

    /** A CLI is about to write a file, as the user told it in its terminal. */
    expectWriter(file: string, cliName: string): void {
        this.ofFile(file, (folder, inside) => folder.expectWriter(inside, cliName));
    }

    /** The mode in which the CLI has written what it did not propose; empty if it names none. */
    unaskedModeOf(cliId: string): string | undefined {
        const unasked = this.unasked.get(cliId);
        return unasked && (unasked.mode ?? '');
    }

    /** It asks again. */
    forgetUnasked(cliId: string): void {
        if (this.unasked.delete(cliId)) {
            this.onDidChangeEmitter.fire();
        }
    }

    /** The user accepts a proposal for the file. Reads what stands there. Never rejects. */
    async prepareAccepted(file: string): Promise<void> {
        await this.wait(this.ofFile(file, (folder, inside) => folder.prepareAccepted(inside)));
    }

    /** The user has accepted this text. Its CLI writes it now. */
    expectAccepted(file: string, text: string): void {
        this.ofFile(file, (folder, inside) => folder.expectAccepted(inside, text));
    }

    async stop(): Promise<void> {
        clearTimeout(this.loading);
        this.windows = [];
        const folders = [...this.folders.values()];
        this.folders.clear();
        await Promise.all([this.reports.stop(), ...folders.map(folder => folder.stop())]);
        this.store.dispose();
    }

    protected get isOn(): boolean {
        return this.preferences['companion.changes.track'] === 'agents';
    }

    protected async handleReport({ cliId, file, original, mode }: ChangeReport): Promise<void> {
        const parent = path.dirname(file);
        const real = path.join(await this.tasks.run(parent, () => fs.realpath(parent)), path.basename(file));
        const name = this.clis.nameOf(cliId);
        const isUnasked = await this.ofFile(real, (folder, inside) => folder.handleReport(inside, original, name));
        if (isUnasked && !ASKING_MODES.includes(mode ?? '')) {
            this.unasked.set(cliId, { cliName: name, ...(mode !== undefined && { mode }) });
        }
    }

    /** Diffing is loaded when there is an agent, or after the start: it takes 0.1 s. */
    protected loadSoon(): void {
        const hasAgent = this.windows.some(window => window.hasAgent);
        if (hasAgent || (this.windows.length > 0 && !this.loading)) {
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
        const folder = new folderChanges(root, {
            tasks,
            store,
            logger,
            onDidChange: () => {
                this.version++;
                this.onDidChangeEmitter.fire();
            }
        });
        this.folders.set(root, folder);
        return folder;
    }

    protected of(roots: readonly string[]): FolderChanges[] {
        return roots.flatMap(root => this.folders.get(root) ?? []);
    }

    /** In the innermost folder that has the file. */
    protected ofFile<T>(file: string, use: (folder: FolderChanges, inside: string) => T): T | undefined {
        const [folder] = [...this.folders.values()]
            .filter(({ root }) => root !== file && isInside(root, file))
            .sort((left, right) => right.root.length - left.root.length);
        return folder && use(folder, path.relative(folder.root, file));
    }

    /** A save waits, and is never refused. */
    protected async beforeWrite(file: string): Promise<(() => Promise<void>) | undefined> {
        const finish = await this.wait(this.ofFile(file, (folder, inside) => folder.beforeWrite(inside)));
        return finish && (async () => void (await this.wait(finish())));
    }

    protected async wait<T>(task: Promise<T> | undefined): Promise<T | undefined> {
        try {
            return task && (await withTimeLimit(task, SAVE_LIMIT_MS));
        } catch (error) {
            this.logger.warn('A write was not followed', error);
            return undefined;
        }
    }
}
