// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { isDeepStrictEqual } from 'util';
import { FileAccessQueues } from '../host/file-access-queues';
import { writeAtomically } from './atomic-file';
import { MAX_DISCOVERY_FILE } from './found-files';
import { markerIn, ProcessMarker, TOUCH_PERIOD } from './process-marker';
import { FolderUser, SecureFolder } from './secure-folder';
import { DiscoveryFile } from './supported-cli';

/** One discovery file on disk: writes it, restores it and removes it. */
export class PublishedFile {
    readonly path: string;
    /** For `FileAccessQueues`. */
    readonly queue: string;
    protected readonly secureFolder: SecureFolder;
    protected readonly temporaryFiles = new Set<string>();
    protected withdrawn = false;

    /** @param text the file's content, with {@link marker} */
    constructor(
        file: DiscoveryFile,
        protected readonly text: string,
        protected readonly marker: ProcessMarker,
        protected readonly user: FolderUser,
        tasks: FileAccessQueues
    ) {
        this.secureFolder = new SecureFolder(file.folder, user);
        this.path = path.join(this.secureFolder.path, file.name);
        this.queue = tasks.queueOf(this.secureFolder.path, file.folder.base);
    }

    /** Writes the file if it is missing or changed. @returns whether it was written. Rejects with a sentence for the user. */
    async ensure(): Promise<boolean> {
        if (this.withdrawn) {
            return false;
        }
        await this.secureFolder.make();
        if (this.withdrawn || (await this.isIntact())) {
            return false;
        }
        try {
            return await writeAtomically(this.path, this.text, {
                mayReplace: () => !this.withdrawn,
                temporaryFiles: this.temporaryFiles
            });
        } catch (error) {
            throw this.secureFolder.notWritable(error);
        }
    }

    /** Nothing is written from now on, not even by an {@link ensure} that is under way. */
    withdraw(): void {
        this.withdrawn = true;
    }

    /** Takes the file away for good. Leaves what somebody else has put in its place. */
    async remove(): Promise<void> {
        this.withdraw();
        try {
            const stat = await fs.promises.lstat(this.path);
            if (isSmallFile(stat) && this.isOurs(await fs.promises.readFile(this.path, 'utf8'))) {
                await fs.promises.unlink(this.path);
            }
        } catch {
            // It is gone already, or its folder is not ours any more.
        }
    }

    /** As {@link remove}, for the end of the process, and even in the middle of {@link ensure}. */
    removeSync(): void {
        this.withdraw();
        for (const file of this.temporaryFiles) {
            fs.rmSync(file, { force: true });
        }
        try {
            if (isSmallFile(fs.lstatSync(this.path)) && this.isOurs(fs.readFileSync(this.path, 'utf8'))) {
                fs.unlinkSync(this.path);
            }
        } catch {
            // As above.
        }
    }

    protected async isIntact(): Promise<boolean> {
        try {
            const stat = await fs.promises.lstat(this.path);
            const { uid } = this.user;
            const isPrivate = uid === undefined || (stat.uid === uid && (stat.mode & 0o077) === 0);
            if (!isPrivate || !isSmallFile(stat) || (await fs.promises.readFile(this.path, 'utf8')) !== this.text) {
                return false;
            }
            if (Date.now() - stat.mtimeMs > TOUCH_PERIOD) {
                await fs.promises.utimes(this.path, new Date(), new Date());
            }
            return true;
        } catch {
            return false;
        }
    }

    protected isOurs(text: string): boolean {
        try {
            return isDeepStrictEqual(markerIn(JSON.parse(text)), this.marker);
        } catch {
            // An unreadable file with our name belongs to nobody.
            return true;
        }
    }
}

function isSmallFile(stat: fs.Stats): boolean {
    return stat.isFile() && stat.size <= MAX_DISCOVERY_FILE;
}
