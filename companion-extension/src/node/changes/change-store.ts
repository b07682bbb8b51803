// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { writeAtomically } from '../discovery/atomic-file';
import { CompanionFolder } from '../discovery/companion-folder';
import { MARKER_PROPERTY, markerIn, ProcessMarkers, TOUCH_PERIOD_MS, UNTOUCHED_MS } from '../discovery/process-marker';
import { FileAccess } from '../host/file-access';
import { StoredChanges } from './file-changes';

const LIMIT_MS = 10_000;
/** Of a folder that nobody has opened for so long, nothing is kept. */
const KEPT_MS = 14 * 24 * 3_600_000;
const NAME = /^[0-9a-f]{40}\.json$/;
const FORMAT = 2;

/** What is known of the changes in a folder, on disk: one file for each folder, of the backend that lives. */
@injectable()
export class ChangeStore {
    @inject(CompanionFolder)
    protected readonly folder: CompanionFolder;
    @inject(FileAccess)
    protected readonly tasks: FileAccess;
    @inject(ProcessMarkers)
    protected readonly markers: ProcessMarkers;

    /** Roots whose file another backend of the user has. */
    protected readonly foreign = new Set<string>();
    protected readonly texts = new Map<string, string>();
    protected touching: NodeJS.Timeout | undefined;

    /** @returns `undefined` if nothing is stored that can be understood */
    async read(root: string): Promise<StoredChanges | undefined> {
        // What could not be read must not be replaced.
        this.foreign.add(root);
        return this.run(async () => {
            const folder = await this.makeFolder();
            await this.removeOld(folder);
            const file = path.join(folder, nameOf(root));
            const [text, stat] = await Promise.all([fs.readFile(file, 'utf8'), fs.stat(file)]).catch((error: NodeJS.ErrnoException) => {
                if (error.code === 'ENOENT') {
                    return [undefined, undefined];
                }
                throw error;
            });
            this.foreign.delete(root);
            if (text === undefined || stat === undefined) {
                return undefined;
            }
            try {
                const stored = JSON.parse(text, withUnknown) as StoredChanges & { format?: number; root?: string };
                const marker = markerIn(stored);
                if (marker && !this.texts.has(root) && !this.markers.isGone(marker, stat.mtimeMs)) {
                    this.foreign.add(root);
                }
                // What happened while no backend looked is nobody's.
                const tracking = stored.tracking && Date.now() - stat.mtimeMs < UNTOUCHED_MS;
                return stored.format === FORMAT && stored.root === root ? { ...stored, tracking } : undefined;
            } catch {
                return undefined;
            }
        });
    }

    /** Only the backend that had the folder first writes. Rejects if it cannot be stored. */
    async write(root: string, changes: StoredChanges): Promise<void> {
        if (this.foreign.has(root)) {
            return;
        }
        const isEmpty = changes.rows.length === 0 && changes.copies.length === 0 && !changes.tracking;
        const text = isEmpty
            ? ''
            : JSON.stringify({ ...changes, format: FORMAT, root, [MARKER_PROPERTY]: this.markers.markerOf() }, withoutUnknown);
        if (text !== (this.texts.get(root) ?? '')) {
            await this.run(async () => {
                const file = path.join(await this.makeFolder(), nameOf(root));
                await (isEmpty ? fs.rm(file, { force: true }) : writeAtomically(file, text));
            });
            this.texts.set(root, text);
            this.touchLater();
        }
    }

    dispose(): void {
        clearInterval(this.touching);
    }

    /** Where others cannot look for our process, the time of a file tells that it lives. */
    protected touchLater(): void {
        clearInterval(this.touching);
        const touch = async (): Promise<void> => {
            const [folder, now] = [await this.makeFolder(), new Date()];
            const roots = [...this.texts].flatMap(([root, text]) => (text === '' ? [] : root));
            await Promise.all(roots.map(root => fs.utimes(path.join(folder, nameOf(root)), now, now).catch(() => undefined)));
        };
        this.touching = setInterval(() => void this.run(touch).catch(() => undefined), TOUCH_PERIOD_MS).unref();
    }

    /** Nothing of any folder is wanted any more. What another backend has, that one keeps. */
    removeAll(): Promise<void> {
        return this.run(async () => {
            const folder = await this.makeFolder();
            for (const name of (await fs.readdir(folder)).filter(entry => NAME.test(entry))) {
                const file = path.join(folder, name);
                if (!(await this.isOthers(file))) {
                    await fs.rm(file, { force: true });
                }
            }
            this.texts.clear();
        });
    }

    /** Whether another backend that lives has it. One that is broken is nobody's. */
    protected async isOthers(file: string): Promise<boolean> {
        try {
            const [text, stat] = await Promise.all([fs.readFile(file, 'utf8'), fs.stat(file)]);
            const marker = markerIn(JSON.parse(text));
            const isOwn = JSON.stringify(marker) === JSON.stringify(this.markers.markerOf());
            return marker !== undefined && !isOwn && !this.markers.isGone(marker, stat.mtimeMs);
        } catch {
            return false;
        }
    }

    protected async removeOld(folder: string): Promise<void> {
        for (const name of (await fs.readdir(folder)).filter(entry => NAME.test(entry))) {
            const file = path.join(folder, name);
            const stat = await fs.stat(file).catch(() => undefined);
            if (stat && Date.now() - stat.mtimeMs > KEPT_MS) {
                await fs.rm(file, { force: true });
            }
        }
    }

    protected async makeFolder(): Promise<string> {
        const folder = path.join(await this.folder.make(), 'changes');
        await fs.mkdir(folder, { recursive: true, mode: 0o700 });
        return folder;
    }

    protected run<T>(task: () => Promise<T>): Promise<T> {
        return this.tasks.run(this.folder.place, task, LIMIT_MS);
    }
}

function nameOf(root: string): string {
    return `${createHash('sha1').update(root).digest('hex')}.json`;
}

/** JSON has no `undefined`, and `null` is a file that is not there. */
function withoutUnknown(_key: string, value: unknown): unknown {
    return value === undefined ? { unknown: true } : value;
}

function withUnknown(_key: string, value: { unknown?: true } | null): unknown {
    return value?.unknown ? undefined : value;
}
