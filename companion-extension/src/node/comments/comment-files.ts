// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TEMPORARY_FILE, writeAtomically } from '../discovery/atomic-file';
import { CompanionFolder } from '../discovery/companion-folder';
import { FileAccess } from '../host/file-access';
import { isCommentId, isStored, StoredComment } from './stored-comment';

/** How long the file system may take. */
const LIMIT_MS = 10_000;
/** A temporary file that is older is of a write that was killed. */
const KILLED_WRITE_MS = 24 * 3_600_000;

/** The folder with the comments of the user, a file for each. */
export interface CommentFolder {
    /** The oldest first. */
    read(): Promise<StoredComment[]>;
    /** @returns when it is on disk */
    write(comment: StoredComment): Promise<void>;
    remove(id: string): Promise<void>;
}

/** Keeps comments on disk and nowhere else: whoever asks reads what is there, also of another backend of the user. */
@injectable()
export class CommentFiles {
    @inject(CompanionFolder)
    protected readonly folder: CompanionFolder;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    /** Runs one after the other. Rejects as the task does, and if the file system does not answer. */
    run<T>(task: (folder: CommentFolder) => Promise<T>): Promise<T> {
        const inFolder = async (): Promise<T> => {
            const folder = path.join(await this.folder.make(), 'comments');
            await fs.mkdir(folder, { recursive: true, mode: 0o700 });
            return task({
                read: () => this.read(folder),
                write: async comment => void (await writeAtomically(fileOf(folder, comment.id), JSON.stringify(comment), { lasts: true })),
                remove: id => fs.rm(fileOf(folder, id), { force: true })
            });
        };
        return this.fileAccess.run(this.folder.place, inFolder, LIMIT_MS);
    }

    protected async read(folder: string): Promise<StoredComment[]> {
        const found: StoredComment[] = [];
        for (const name of await fs.readdir(folder)) {
            const file = path.join(folder, name);
            if (TEMPORARY_FILE.test(name)) {
                await removeOld(file);
            } else if (isCommentId(path.basename(name, '.json'))) {
                // Another version of us may have written it.
                const comment = await fs
                    .readFile(file, 'utf8')
                    .then(JSON.parse, () => undefined)
                    .catch(() => undefined);
                if (isStored(comment) && file === fileOf(folder, comment.id)) {
                    found.push(comment);
                }
            }
        }
        return found.sort((one, other) => one.writtenAt - other.writtenAt);
    }
}

/** It has typed text. A write that runs is younger. */
async function removeOld(file: string): Promise<void> {
    const stat = await fs.lstat(file).catch(() => undefined);
    if (stat && Date.now() - stat.mtimeMs > KILLED_WRITE_MS) {
        await fs.rm(file, { force: true }).catch(() => undefined);
    }
}

function fileOf(folder: string, id: string): string {
    return path.join(folder, `${id}.json`);
}
