// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { editId } from '../../common/revision';
import { TEMPORARY_FILE, writeAtomically } from '../discovery/atomic-file';
import { CompanionFolder } from '../discovery/companion-folder';
import { MARKER_PROPERTY, markerIn, ProcessMarkers, TOUCH_PERIOD_MS } from '../discovery/process-marker';
import { FileAccess, NoAnswer } from '../host/file-access';
import { Problems } from '../host/problems';
import { describeCause } from '../host/fault-error';
import { EditStore, StoredEdit } from './kept-edits';

/** How long the file system may take. */
const LIMIT_MS = 10_000;
/** How long after a failure it is tried again. */
const RETRY_MS = 10_000;
/** A temporary file that is older is of a write that was killed. */
const KILLED_WRITE_MS = 24 * 3_600_000;
/** How long after a folder could not be read it is tried. */
const PROBE_MS = 2_000;
const PROBLEM_SOURCE = 'edits';
const READ_PROBLEM_SOURCE = 'edits on disk';
/** The version of a text whose review waits. */
const WAITS = 'waits';
const NAME = /^[0-9a-f-]{1,120}\.json$/;

/**
 * Keeps what users typed on disk: one folder for the user, one file for each text, without an owner. Only the text of a review that waits
 * names its backend: as long as that one lives, no other one reads it.
 */
@injectable()
export class EditFiles implements EditStore {
    @inject(CompanionFolder)
    protected readonly folder: CompanionFolder;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;
    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(ILogger)
    @named('companion:EditFiles')
    protected readonly logger: ILogger;

    /** The versions on disk of the edits that this backend knows, by their ids. */
    protected readonly stored = new Map<string, string>();
    protected wanted: readonly StoredEdit[] = [];
    /** Settles when what was wanted is stored, or could not be. Never rejects. */
    protected last: Promise<unknown> = Promise.resolve();
    /** Begins when {@link last} has settled, and stores what is wanted then. */
    protected next: Promise<void> | undefined;
    protected retry: NodeJS.Timeout | undefined;
    protected touching: NodeJS.Timeout | undefined;
    protected probing: NodeJS.Timeout | undefined;

    keep(wanted: readonly StoredEdit[]): Promise<void> {
        this.wanted = wanted;
        this.next ??= this.saveNext();
        return this.next;
    }

    async read(): Promise<{ found: StoredEdit[]; gone: string[] }> {
        try {
            const { found, gone } = await this.run(() => this.readAll());
            // Not before: a task that is overdue goes on, and nobody gets what it finds.
            gone.forEach(id => this.stored.delete(id));
            found.forEach(edit => this.stored.set(edit.id, versionOf(edit)));
            // A write may begin before its owner has all this in what it wants: it must not take what was found for given up, and not write
            // again what was discarded in another backend. Nobody can discard the text of a review that waits.
            const wanted = this.wanted.filter(({ id, waits }) => waits || !gone.includes(id));
            this.wanted = [...wanted, ...found.filter(({ id }) => !wanted.some(edit => edit.id === id))];
            this.problems.report(READ_PROBLEM_SOURCE, []);
            return { found, gone };
        } catch (error) {
            this.logger.warn('Kept edits could not be read', error);
            if (!(error instanceof NoAnswer)) {
                this.problems.report(READ_PROBLEM_SOURCE, [{ code: 'edits-not-read', cause: describeCause(error) }]);
                this.probeSoon();
            }
            throw error;
        }
    }

    /** Nobody reads before the next hello of a page: the problem may be over. */
    protected probeSoon(): void {
        clearTimeout(this.probing);
        this.probing = setTimeout(() => {
            this.run(() => this.makeFolder()).then(
                () => this.problems.report(READ_PROBLEM_SOURCE, []),
                () => this.probeSoon()
            );
        }, PROBE_MS).unref();
    }

    protected run<T>(task: () => Promise<T>): Promise<T> {
        return this.fileAccess.run(this.folder.place, task, LIMIT_MS);
    }

    protected get hasChanged(): boolean {
        const ids = new Set(this.wanted.map(({ id }) => id));
        return this.wanted.some(edit => this.stored.get(edit.id) !== versionOf(edit)) || [...this.stored.keys()].some(id => !ids.has(id));
    }

    protected async saveNext(): Promise<void> {
        await this.last;
        this.next = undefined;
        const saving = this.save();
        this.last = saving.catch(() => undefined);
        return saving;
    }

    /** If they cannot be stored, they stay in memory, a problem says so, and it is tried again. */
    protected async save(): Promise<void> {
        clearTimeout(this.retry);
        try {
            // A HOME that does not answer is no problem as long as there is nothing to store.
            if (this.hasChanged) {
                await this.run(() => this.write());
            }
            this.problems.report(PROBLEM_SOURCE, []);
        } catch (error) {
            this.problems.report(PROBLEM_SOURCE, [{ code: 'edits-not-stored', cause: describeCause(error) }]);
            this.retry = setTimeout(() => void this.keep(this.wanted).catch(() => undefined), RETRY_MS).unref();
            throw error;
        }
    }

    protected async write(): Promise<void> {
        const { wanted } = this;
        const folder = await this.makeFolder();
        for (const edit of wanted.filter(candidate => this.stored.get(candidate.id) !== versionOf(candidate))) {
            const marker = edit.waits && { [MARKER_PROPERTY]: this.markers.markerOf() };
            const file = fileOf(folder, edit.id);
            const onlyDaysChanged = (this.stored.get(edit.id) ?? WAITS) !== WAITS;
            await writeAtomically(file, JSON.stringify({ ...edit, ...marker }), {
                lasts: true,
                // A file that has gone was discarded in another backend: the next look forgets it here, too.
                mayReplace: async () => !onlyDaysChanged || (await exists(file))
            });
            this.stored.set(edit.id, versionOf(edit));
        }
        const ids = new Set(wanted.map(({ id }) => id));
        for (const id of [...this.stored.keys()].filter(stored => !ids.has(stored))) {
            await fs.rm(fileOf(folder, id), { force: true });
            this.stored.delete(id);
        }
        this.touchLater(wanted.filter(({ waits }) => waits).map(({ id }) => fileOf(folder, id)));
    }

    /** Where others cannot look for our process, the time of a file tells that it lives. */
    protected touchLater(files: readonly string[]): void {
        clearInterval(this.touching);
        if (files.length > 0) {
            const touch = async (): Promise<void> => {
                const now = new Date();
                await Promise.all(files.map(file => fs.utimes(file, now, now).catch(() => undefined)));
            };
            this.touching = setInterval(() => void this.run(touch).catch(() => undefined), TOUCH_PERIOD_MS).unref();
        }
    }

    protected async makeFolder(): Promise<string> {
        const folder = path.join(await this.folder.make(), 'edits');
        if ((await fs.mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) {
            // It was not there: somebody has cleared the settings, and discarded nothing.
            this.stored.clear();
        }
        return folder;
    }

    protected async readAll(): Promise<{ found: StoredEdit[]; gone: string[] }> {
        const folder = await this.makeFolder();
        const all = await fs.readdir(folder);
        await removeOld(all.filter(name => TEMPORARY_FILE.test(name)).map(name => path.join(folder, name)));
        const names = all.filter(name => NAME.test(name));
        const ids = new Set(names.map(name => path.basename(name, '.json')));
        const gone = [...this.stored.keys()].filter(id => !ids.has(id));
        const found: StoredEdit[] = [];
        for (const id of [...ids].filter(found => !this.stored.has(found))) {
            const edit = await this.readOne(fileOf(folder, id));
            if (edit) {
                found.push(edit);
            }
        }
        return { found, gone };
    }

    /** Our own user wrote it, but perhaps another version of us. @returns `undefined` also while its review waits in a living backend */
    protected async readOne(file: string): Promise<StoredEdit | undefined> {
        try {
            const { mtimeMs } = await fs.stat(file);
            const stored: unknown = JSON.parse(await fs.readFile(file, 'utf8'));
            const marker = markerIn(stored);
            const edit = stored as StoredEdit;
            const { id, reviewId, text, encoding, path: filePath, cliName, place, reason, keptAt, days, lastDay, revision, told } = edit;
            const texts = [text, encoding ?? '', filePath, cliName, place.windowId, reason, lastDay];
            const isTold = typeof told?.at === 'number' && ['string', 'undefined'].includes(typeof told.before);
            const isEdit = texts.every(field => typeof field === 'string') && Array.isArray(place.roots) && days >= 0 && keptAt > 0;
            const isNamed = id === path.basename(file, '.json') && id === editId(reviewId, revision);
            if (!isEdit || !isNamed || (marker && !this.markers.isGone(marker, mtimeMs))) {
                return undefined;
            }
            return {
                ...{ id, reviewId, revision, text, encoding, path: filePath, cliName, place, reason, keptAt, days, lastDay },
                ...(isTold && { told })
            };
        } catch {
            return undefined;
        }
    }
}

/** Files of writes that were killed have typed text. A write that runs is younger. */
async function removeOld(files: readonly string[]): Promise<void> {
    for (const file of files) {
        const stat = await fs.lstat(file).catch(() => undefined);
        if (stat && Date.now() - stat.mtimeMs > KILLED_WRITE_MS) {
            await fs.rm(file, { force: true }).catch(() => undefined);
        }
    }
}

/** A text never changes under its id. */
function versionOf({ waits, days }: Pick<StoredEdit, 'waits' | 'days'>): string {
    return waits ? WAITS : String(days);
}

function exists(file: string): Promise<boolean> {
    return fs.access(file).then(
        () => true,
        () => false
    );
}

function fileOf(folder: string, id: string): string {
    return path.join(folder, `${id}.json`);
}
