// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { DraftRef } from '../../common/companion-protocol';
import { writeAtomically } from '../discovery/atomic-file';
import { CompanionFolder } from '../discovery/companion-folder';
import { MARKER_PROPERTY, markerIn, ProcessMarkers } from '../discovery/process-marker';
import { FileAccessQueues } from '../host/file-access-queues';
import { describeCause, Problems } from '../host/problems';
import { DraftStore, StoredDraft, StoredDrafts } from '../review/reviews';

const MARKER_FILE = 'backend.json';
/** No draft has this name: theirs are random. */
const SETTLED_FILE = 'settled.json';
/** How often a backend touches its folder, in milliseconds. */
const TOUCH = 60_000;
/** A folder of a process that we cannot look for, as of an earlier pod, is abandoned when nobody has touched it for so long. */
const UNTOUCHED = 5 * TOUCH;
/** How long the file system may take, in milliseconds. */
const LIMIT = 10_000;
/** How long after a failure it is tried again, in milliseconds. */
const RETRY = 10_000;
const PROBLEM_SOURCE = 'drafts';

/**
 * Keeps drafts on disk, so that they outlive the backend: one file for each, in a folder of this backend. The folders of backends that have
 * ended are taken over when this one starts.
 */
@injectable()
export class DraftFiles implements DraftStore {
    @inject(CompanionFolder)
    protected readonly folder: CompanionFolder;
    @inject(FileAccessQueues)
    protected readonly tasks: FileAccessQueues;
    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(ILogger)
    @named('companion:DraftFiles')
    protected readonly logger: ILogger;

    /** What is on disk, by the drafts' ids. */
    protected readonly stored = new Map<string, string>();
    protected wanted: StoredDrafts = { drafts: [], settled: [] };
    /** The settled ones on disk, as JSON. */
    protected storedSettled = '[]';
    protected own: Promise<string> | undefined;
    protected saving: Promise<void> = Promise.resolve();
    protected isDue = false;

    /** @returns what ended backends have left. Never rejects. */
    async claim(): Promise<StoredDrafts> {
        try {
            return await this.run(() => this.claimAll());
        } catch (error) {
            this.logger.warn('Drafts of an earlier backend could not be read', error);
            return { drafts: [], settled: [] };
        }
    }

    /** From now on these are kept, and no others. */
    keep(wanted: StoredDrafts): void {
        this.wanted = wanted;
        if (!this.isDue) {
            this.isDue = true;
            this.saving = this.saving.then(() => this.trySave());
        }
    }

    /** Resolves when what is kept is on disk, or could not be stored. */
    get saved(): Promise<void> {
        return this.saving;
    }

    protected run<T>(task: () => Promise<T>): Promise<T> {
        return this.tasks.run(this.folder.queue, task, LIMIT);
    }

    /** A HOME that does not answer is no problem as long as there is nothing to store. */
    protected get hasChanged(): boolean {
        const { drafts, settled } = this.wanted;
        return drafts.length > 0 || this.stored.size > 0 || JSON.stringify(settled) !== this.storedSettled;
    }

    /** If they cannot be stored, they stay in memory, a problem says so, and it is tried again. */
    protected async trySave(): Promise<void> {
        this.isDue = false;
        try {
            if (this.hasChanged) {
                await this.run(() => this.save());
            }
            this.problems.report(PROBLEM_SOURCE, []);
        } catch (error) {
            this.problems.report(PROBLEM_SOURCE, [{ code: 'drafts-not-stored', cause: describeCause(error) }]);
            setTimeout(() => this.keep(this.wanted), RETRY).unref();
        }
    }

    protected async save(): Promise<void> {
        const { stored } = this;
        const { drafts, settled } = this.wanted;
        const settledText = JSON.stringify(settled);
        const folder = await this.ownFolder();
        for (const draft of drafts.filter(one => stored.get(one.id) !== versionOf(one))) {
            await writeAtomically(fileOf(folder, draft.id), JSON.stringify(draft));
            stored.set(draft.id, versionOf(draft));
        }
        const ids = new Set(drafts.map(({ id }) => id));
        for (const id of [...stored.keys()].filter(one => !ids.has(one))) {
            await fs.rm(fileOf(folder, id), { force: true });
            stored.delete(id);
        }
        if (settledText !== this.storedSettled) {
            await writeAtomically(path.join(folder, SETTLED_FILE), settledText);
            this.storedSettled = settledText;
        }
    }

    /** The folder of all backends. */
    protected async makeRoot(): Promise<string> {
        const root = path.join(await this.folder.make(), 'drafts');
        await fs.mkdir(root, { recursive: true, mode: 0o700 });
        return root;
    }

    protected ownFolder(): Promise<string> {
        this.own ??= this.makeOwn().catch(error => {
            this.own = undefined;
            throw error;
        });
        return this.own;
    }

    protected async makeOwn(): Promise<string> {
        const folder = path.join(await this.makeRoot(), randomUUID());
        await fs.mkdir(folder, { mode: 0o700 });
        const marker = path.join(folder, MARKER_FILE);
        await writeAtomically(marker, JSON.stringify({ [MARKER_PROPERTY]: this.markers.markerOf() }));
        const touch = (): Promise<void> => fs.utimes(marker, new Date(), new Date());
        setInterval(() => void this.run(touch).catch(() => undefined), TOUCH).unref();
        return folder;
    }

    protected async claimAll(): Promise<StoredDrafts> {
        const root = await this.makeRoot();
        const drafts: StoredDraft[] = [];
        const settled: DraftRef[] = [];
        for (const name of await fs.readdir(root)) {
            const folder = path.join(root, name);
            if (await this.isAbandoned(folder)) {
                // Of two backends that start at the same time one gets it.
                const claimed = path.join(root, `claimed-${randomUUID()}`);
                const isOurs = await fs.rename(folder, claimed).then(
                    () => true,
                    () => false
                );
                if (isOurs) {
                    settled.push(...(await this.readSettled(path.join(claimed, SETTLED_FILE))));
                    drafts.push(...(await this.readAll(claimed)));
                }
            }
        }
        return { drafts, settled };
    }

    /** Whether the backend that made it has ended. A folder that was claimed by one that ended meanwhile has its marker still. */
    protected async isAbandoned(folder: string): Promise<boolean> {
        try {
            const file = path.join(folder, MARKER_FILE);
            const { mtimeMs } = await fs.stat(file);
            const marker = markerIn(JSON.parse(await fs.readFile(file, 'utf8')));
            return !marker || this.markers.isGone(marker, mtimeMs) || (!this.markers.isAlive(marker) && Date.now() - mtimeMs > UNTOUCHED);
        } catch {
            return false;
        }
    }

    /** Moves them into the own folder. */
    protected async readAll(claimed: string): Promise<StoredDraft[]> {
        const folder = await this.ownFolder();
        const drafts: StoredDraft[] = [];
        for (const name of await fs.readdir(claimed)) {
            const draft = name === MARKER_FILE || name === SETTLED_FILE ? undefined : await this.read(path.join(claimed, name));
            if (draft) {
                await fs.rename(path.join(claimed, name), fileOf(folder, draft.id));
                this.stored.set(draft.id, versionOf(draft));
                drafts.push(draft);
            }
        }
        await fs.rm(claimed, { recursive: true, force: true });
        return drafts;
    }

    protected async readSettled(file: string): Promise<DraftRef[]> {
        try {
            const refs = JSON.parse(await fs.readFile(file, 'utf8')) as DraftRef[];
            return refs.filter(({ id, revision }) => typeof id === 'string' && revision > 0);
        } catch {
            return [];
        }
    }

    /** Our own user wrote it, but perhaps another version of us. */
    protected async read(file: string): Promise<StoredDraft | undefined> {
        try {
            const draft = JSON.parse(await fs.readFile(file, 'utf8')) as StoredDraft;
            const texts = [draft.id, draft.text, draft.reviewId, draft.path, draft.cliName, draft.place.windowId];
            const isDraft = texts.every(text => typeof text === 'string') && Array.isArray(draft.place.roots) && draft.revision > 0;
            return isDraft && /^[\w-]{1,100}$/.test(draft.id) ? draft : undefined;
        } catch {
            return undefined;
        }
    }
}

function versionOf({ revision, listedAt = 0 }: StoredDraft): string {
    return `${revision} ${listedAt}`;
}

/** Ids come from pages: they are no paths. */
function fileOf(folder: string, id: string): string {
    return path.join(folder, `${id.replace(/[^\w-]/g, '_')}.json`);
}
