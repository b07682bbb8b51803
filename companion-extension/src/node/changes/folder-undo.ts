// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { groupOf, numberOf } from './described-row';
import { MoveToTrash } from './index-answers';
import { fromName } from './index-entry';
import { ListedRow } from './index-rows';
import { RootIndex } from './root-index';

/** A file as the user saw it. */
export interface SeenRow {
    readonly file: string;
    readonly version: number;
}

/** What became of a file that is to be undone, or put back. */
export interface UndoneResult {
    readonly file: string;
    readonly reason?: 'changed' | 'failed' | 'no-room';
    /** Of a failure: the system's code. */
    readonly cause?: string;
}

/** Takes whole files of a root back, and puts them back. */
export class FolderUndo {
    /** @param root its real path */
    constructor(
        protected readonly root: string,
        protected readonly index: RootIndex,
        protected readonly moveToTrash: MoveToTrash
    ) {}

    /**
     * Takes whole files back. A new file that Put Back has no room for goes into the trash; if that cannot be done, it is left.
     *
     * @param files with the versions that the user saw
     * @param set of the undo, for Put Back
     * @param mayLose the user agreed that what has no room cannot be put back; else such a file is left
     */
    async undoFiles(files: readonly SeenRow[], set: string, mayLose: boolean): Promise<UndoneResult[]> {
        const room = await this.index.roomLeft();
        const rows = new Map(this.index.list().map(listed => [withoutSlash(listed.path), listed]));
        const steps: Array<{ removes: boolean; run: () => Promise<UndoneResult> }> = [];
        let bytes = 0;
        for (const { file, version } of files) {
            const listed = rows.get(file);
            bytes += listed ? await this.sizeOf(listed) : 0;
            const hasRoom = bytes <= room;
            const leave = async (reason: UndoneResult['reason']): Promise<UndoneResult> => ({ file, reason });
            if (!listed || numberOf(listed.version) !== version || listed.isAsCommitted) {
                steps.push({ removes: false, run: () => leave('changed') });
            } else if (!hasRoom && isNew(listed)) {
                const undo = (): Promise<boolean> => this.index.undo(file, listed.version, this.moveToTrash);
                const run = (): Promise<UndoneResult> =>
                    resultOf(file, undo).then(result => (result.reason === 'failed' ? leave('no-room') : result));
                steps.push({ removes: true, run });
            } else if (hasRoom || mayLose) {
                const undo = (): Promise<boolean> => this.index.undo(file, listed.version, hasRoom ? set : undefined);
                steps.push({ removes: isNew(listed), run: () => resultOf(file, undo) });
            } else {
                steps.push({ removes: false, run: () => leave('no-room') });
            }
        }
        // A new one may stand where a folder is to stand again, or the reverse. They are undone in this order.
        return Promise.all([...steps.filter(({ removes }) => removes), ...steps.filter(({ removes }) => !removes)].map(({ run }) => run()));
    }

    /** Those that an undo of all takes back, and of how many of them it cannot keep what it takes away. */
    async undoable(): Promise<{ files: SeenRow[]; lost: number }> {
        const listed = this.index.list().filter(each => each.canUndo && groupOf(each) === undefined);
        const room = await this.index.roomLeft();
        let [bytes, lost] = [0, 0];
        for (const each of listed) {
            bytes += await this.sizeOf(each);
            lost += bytes > room && !isNew(each) ? 1 : 0;
        }
        return { files: listed.map(({ path: file, version }) => ({ file, version: numberOf(version) })), lost };
    }

    /** @param file of the undo; all of it if it is left out */
    async putBack(id: string, file?: string): Promise<UndoneResult[]> {
        const undone = this.index.undone.filter(other => other.id === id && (file ?? other.path) === other.path);
        // What was removed first comes back last.
        return Promise.all(undone.toReversed().map(({ path: other }) => resultOf(other, () => this.index.putBack(id, other))));
    }

    /** In bytes, with all files of a new folder. */
    protected async sizeOf({ path: file, row: { name, files = [name] } }: ListedRow): Promise<number> {
        let bytes = 0;
        for (const each of files) {
            const full = path.join(this.root, file, fromName(each.slice(name.length)));
            bytes += (await fs.lstat(full).catch(() => undefined))?.size ?? 0;
        }
        return bytes;
    }
}

function isNew({ row }: ListedRow): boolean {
    return row.base === null;
}

/** @param act false if the file is not as it was shown */
export async function resultOf(file: string, act: () => Promise<boolean>): Promise<UndoneResult> {
    try {
        return (await act()) ? { file } : { file, reason: 'changed' };
    } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        return { file, reason: 'failed', ...(code !== undefined && { cause: String(code) }) };
    }
}

function withoutSlash(file: string): string {
    return file.replace(/\/$/, '');
}
