// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { DraftRef } from '../../common/companion-protocol';
import { writeAtomically } from '../discovery/atomic-file';
import { CompanionFolder } from '../discovery/companion-folder';
import { MARKER_PROPERTY, markerIn, ProcessMarkers, TOUCH_PERIOD } from '../discovery/process-marker';
import { FileAccessQueues } from '../host/file-access-queues';
import { describeCause, Problems } from '../host/problems';
import { DraftStore, StoredDraft, StoredDrafts } from '../review/reviews';

const MARKER_FILE = 'backend.json';
/** No draft has this name: theirs are random. */
const SETTLED_FILE = 'settled.json';
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
    protected own: string | undefined;
    /** Resolves when what is kept is on disk, or could not be stored. */
    saved: Promise<void> = Promise.resolve();
    protected isDue = false;
    protected retry: NodeJS.Timeout | undefined;

    /** What a slow HOME has left is handed over when it comes. What may belong to a living backend is looked at again. Never rejects. */
    async claim(take: (left: StoredDrafts) => void): Promise<void> {
        try {
            await this.run(() => this.claimAll(take));
        } catch (error) {
            this.logger.warn('Drafts of an earlier backend could not be read', error);
        }
        setTimeout(() => void this.claim(take), TOUCH_PERIOD).unref();
    }

    /** This backend ends: the next one may take its folder at once, also if it cannot look for our process. Never rejects. */
    async leave(): Promise<void> {
        await this.run(() => this.touch(0)).catch(() => undefined);
    }

    /** From now on these are kept, and no others. */
    keep(wanted: StoredDrafts): void {
        this.wanted = wanted;
        if (!this.isDue) {
            this.isDue = true;
            this.saved = this.saved.then(() => this.trySave());
        }
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
            clearTimeout(this.retry);
            this.retry = setTimeout(() => this.keep(this.wanted), RETRY).unref();
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

    /** Made again where somebody has removed it, or another backend has taken it while this one was stopped for minutes. */
    protected async ownFolder(): Promise<string> {
        if (this.own === undefined || !(await isThere(path.join(this.own, MARKER_FILE)))) {
            this.stored.clear();
            this.storedSettled = '[]';
            this.own = await this.makeOwn();
        }
        return this.own;
    }

    protected async makeOwn(): Promise<string> {
        const folder = path.join(await this.makeRoot(), randomUUID());
        await fs.mkdir(folder, { mode: 0o700 });
        await writeAtomically(path.join(folder, MARKER_FILE), JSON.stringify({ [MARKER_PROPERTY]: this.markers.markerOf() }));
        return folder;
    }

    /** @param time in seconds since the epoch */
    protected async touch(time: number): Promise<void> {
        if (this.own) {
            await fs.utimes(path.join(this.own, MARKER_FILE), time, time);
        }
    }

    /** They are taken before another task can find that nobody wants them. */
    protected async claimAll(take: (left: StoredDrafts) => void): Promise<void> {
        await this.touch(Date.now() / 1000).catch(() => undefined);
        const root = await this.makeRoot();
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
                    await this.takeOver(claimed, take);
                }
            }
        }
    }

    /** Whether the backend that made it has ended. A folder that was claimed by one that ended meanwhile has its marker still. */
    protected async isAbandoned(folder: string): Promise<boolean> {
        try {
            const file = path.join(folder, MARKER_FILE);
            const { mtimeMs } = await fs.stat(file);
            const marker = markerIn(JSON.parse(await fs.readFile(file, 'utf8')));
            return !marker || this.markers.isGone(marker, mtimeMs);
        } catch {
            return false;
        }
    }

    /** Moves them into the own folder. What cannot be read or moved stays, with its marker, for the next backend. */
    protected async takeOver(claimed: string, take: (left: StoredDrafts) => void): Promise<void> {
        const settled = await this.readSettled(path.join(claimed, SETTLED_FILE));
        const drafts: StoredDraft[] = [];
        try {
            const folder = await this.ownFolder();
            const files = (await fs.readdir(claimed)).filter(name => name !== MARKER_FILE && name !== SETTLED_FILE);
            for (const name of files) {
                const draft = await this.read(path.join(claimed, name));
                if (draft) {
                    await fs.rename(path.join(claimed, name), fileOf(folder, draft.id));
                    this.stored.set(draft.id, versionOf(draft));
                    drafts.push(draft);
                }
            }
            if (drafts.length === files.length) {
                await fs.rm(claimed, { recursive: true, force: true });
            }
        } finally {
            take({ drafts, settled });
        }
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

async function isThere(file: string): Promise<boolean> {
    return fs.stat(file).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code !== 'ENOENT'
    );
}

function versionOf({ revision, listedAt = 0 }: StoredDraft): string {
    return `${revision} ${listedAt}`;
}

/** Ids come from pages: they are no paths. */
function fileOf(folder: string, id: string): string {
    return path.join(folder, `${id.replace(/[^\w-]/g, '_')}.json`);
}
