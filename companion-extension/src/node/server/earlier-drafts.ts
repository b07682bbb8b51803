// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { editId } from '../../common/revision';
import { markerIn, ProcessMarkers } from '../discovery/process-marker';
import { StoredEdit } from '../review/kept-edits';

const MARKER_FILE = 'backend.json';

/** A file of the format before. */
interface Draft {
    readonly id: string;
    readonly text: string;
    readonly reviewId: string;
    /** Absolute path of the file. */
    readonly path: string;
    readonly cliName: string;
    readonly place: StoredEdit['place'];
    /** In milliseconds since the epoch. */
    readonly at: number;
}

/** The drafts of versions before 26 November 2026: below one folder, a folder for each backend. They are read once, and become kept edits. */
export class EarlierDrafts {
    constructor(protected readonly markers: ProcessMarkers) {}

    /**
     * @param root the folder of all backends
     * @param store writes an edit; then its draft is removed
     */
    async moveAll(root: string, store: (edit: StoredEdit) => Promise<void>): Promise<void> {
        for (const name of await fs.readdir(root).catch(() => [])) {
            const folder = path.join(root, name);
            if (await this.isAbandoned(folder)) {
                await this.move(folder, store);
            }
        }
    }

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

    protected async move(folder: string, store: (edit: StoredEdit) => Promise<void>): Promise<void> {
        const files = (await fs.readdir(folder)).filter(name => name !== MARKER_FILE).map(name => path.join(folder, name));
        for (const file of files) {
            const edit = await this.read(file);
            if (edit) {
                await store(edit);
                await fs.rm(file, { force: true });
            }
        }
        const rest = ['settled.json', MARKER_FILE];
        // A draft that cannot be read stays, with the marker by which the next backend finds it.
        if ((await fs.readdir(folder)).every(name => rest.includes(name))) {
            await Promise.all(rest.map(name => fs.rm(path.join(folder, name), { force: true })));
            await fs.rmdir(folder).catch(() => undefined);
        }
    }

    protected async read(file: string): Promise<StoredEdit | undefined> {
        try {
            const draft = JSON.parse(await fs.readFile(file, 'utf8')) as Draft;
            const { id, text, path: filePath, cliName, place } = draft;
            const texts = [id, text, draft.reviewId, filePath, cliName, place.windowId];
            if (!texts.every(field => typeof field === 'string') || !Array.isArray(place.roots)) {
                return undefined;
            }
            const reviewId = uuidFrom(draft.reviewId);
            const revision = { page: uuidFrom(id), n: 1 };
            const kept = { reason: 'stopped' as const, keptAt: draft.at > 0 ? draft.at : Date.now(), days: 0, lastDay: '' };
            return { id: editId(reviewId, revision), reviewId, revision, text, path: filePath, cliName, place, ...kept };
        } catch {
            return undefined;
        }
    }
}

/** Pages made these ids. What is no UUID is no file's name now. */
function uuidFrom(id: string): string {
    const digest = createHash('sha256').update(id).digest('hex');
    return [digest.slice(0, 8), digest.slice(8, 12), digest.slice(12, 16), digest.slice(16, 20), digest.slice(20, 32)].join('-');
}
