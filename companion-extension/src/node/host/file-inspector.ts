// SPDX-License-Identifier: Apache-2.0

import { constants, promises, Stats } from 'fs';
import * as path from 'path';
import { FileFacts, SeenFile } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { describeCause } from './fault-error';
import { FileAccess, NoAnswer } from './file-access';

/** How long the user waits for a look. */
const LOOK_LIMIT_MS = 1_000;

/** Looks at a path before and after a CLI writes there: whether it is what a page has read, and what keeps it from being written. */
export class FileInspector {
    constructor(
        protected readonly fileAccess: FileAccess,
        protected readonly system: Pick<typeof promises, 'access' | 'lstat' | 'readdir' | 'stat' | 'statfs'> = promises
    ) {}

    /** @param seen what a page has read of it; if it is left out, any file counts as the same. Never rejects. */
    async inspect(file: string, seen?: SeenFile): Promise<FileFacts> {
        try {
            const looking = this.fileAccess.run(path.dirname(file), () => this.look(file, seen), LOOK_LIMIT_MS);
            return await withTimeLimit(looking, LOOK_LIMIT_MS, 'The file does not answer.');
        } catch {
            return { state: 'silent' };
        }
    }

    protected async look(file: string, seen: SeenFile | undefined): Promise<FileFacts> {
        const [stat, link] = await Promise.all([this.find(this.system.stat(file)), this.find(this.system.lstat(file))]);
        const isSame = stat?.mtime.getTime() === seen?.modifiedAt && (stat === undefined || stat.size === seen?.size);
        const [similarName, obstacle] = await Promise.all([stat ? undefined : this.findSimilar(file), this.findObstacle(file, stat)]);
        return {
            state: isSame || !seen ? 'same' : 'changed',
            ...(link?.isSymbolicLink() && { isLink: true as const }),
            ...(stat && (stat.mode & constants.S_IXUSR) !== 0 && { isExecutable: true as const }),
            ...(similarName !== undefined && { similarName }),
            ...(obstacle !== undefined && { obstacle })
        };
    }

    /** @returns `undefined` if there is none, or it cannot be reached */
    protected find(looking: Promise<Stats>): Promise<Stats | undefined> {
        return looking.catch(error => {
            if (error instanceof NoAnswer) {
                throw error;
            }
            return undefined;
        });
    }

    /** The name of another file beside it that differs only in its Unicode form or in case: on other systems that is the same file. */
    protected async findSimilar(file: string): Promise<string | undefined> {
        const plain = (name: string): string => name.normalize('NFC').toLowerCase();
        const wanted = plain(path.basename(file));
        const names = await this.system.readdir(path.dirname(file)).catch(() => []);
        return names.find(name => plain(name) === wanted);
    }

    /** Why the file cannot be written, or made, in the system's words. */
    protected async findObstacle(file: string, stat: Stats | undefined): Promise<string | undefined> {
        const { W_OK, X_OK } = constants;
        try {
            await (stat ? this.system.access(file, W_OK) : this.system.access(await this.folderOf(file), W_OK | X_OK));
        } catch (error) {
            return describeCause(error);
        }
        const { blocks, bavail } = await this.system.statfs(await this.folderOf(file));
        // Some file systems tell nothing.
        return blocks > 0 && bavail === 0 ? 'ENOSPC: no space left on device' : undefined;
    }

    /** The folder that it is in, or would be made in. */
    protected async folderOf(file: string): Promise<string> {
        const folder = path.dirname(file);
        const stat = folder === file ? undefined : await this.system.stat(folder).catch(() => undefined);
        return stat || folder === file ? folder : this.folderOf(folder);
    }
}
