// SPDX-License-Identifier: Apache-2.0

import { promises as fs, Stats } from 'fs';
import * as path from 'path';
import { FileText } from '../../common/changes/line-hunks';
import { FileAccess } from '../host/file-access';
import { FilesOnDisk } from './file-changes';
import { contentOf, standIn } from './file-text';

/** Larger files are told apart by their size and time: hashing them takes too long. */
const HASH_LIMIT_BYTES = 32 * 1024 * 1024;
const READ_LIMIT_MS = 5_000;
/** A write that takes longer may never end, and what an agent writes then would not be seen. */
export const HOLD_LIMIT_MS = 30_000;
/** Of a folder that the IDE moves or deletes. */
const MAX_FILES = 2_000;
const SKIPPED = ['.git', 'node_modules'];

export type FileKind = 'file' | 'folder' | 'missing' | 'other';

/** The files of a root, by their paths in it. Links are never followed. */
export class DiskFiles implements FilesOnDisk {
    /** What stood in files that the IDE writes now. */
    protected readonly held = new Map<string, { readonly text: FileText }>();

    /**
     * @param root its real path
     * @param isSecret whether a file is known by its name alone, and never read
     * @param textLimit in bytes
     */
    constructor(
        protected readonly root: string,
        protected readonly tasks: FileAccess,
        protected readonly isSecret: (file: string) => boolean,
        protected readonly textLimit: number
    ) {}

    async read(file: string): Promise<FileText> {
        const held = this.held.get(file);
        return held ? held.text : this.run(() => this.readText(file));
    }

    /**
     * The IDE is about to write the file: it reads as it was until that is dealt with, or a look that comes first would find a change.
     *
     * @returns ends it
     */
    hold(file: string, text: FileText): () => void {
        const held = { text };
        this.held.set(file, held);
        const timer = setTimeout(() => release(), HOLD_LIMIT_MS).unref();
        const release = (): void => {
            clearTimeout(timer);
            // The next write of the same file may have begun.
            if (this.held.get(file) === held) {
                this.held.delete(file);
            }
        };
        return release;
    }

    /** Does as {@link read} without waiting for its turn, while the file system answers: somebody is about to write the file. */
    readNow(file: string): Promise<FileText> {
        return this.tasks.isOverdue(this.root) ? this.read(file) : this.readText(file);
    }

    /** Whether an editor that writes there writes this file: nothing on the way is a link, and nothing but a file stands there. */
    isItself(file: string): Promise<boolean> {
        return this.run(async () => {
            const names = file.split(path.sep);
            for (let count = 1; count <= names.length; count++) {
                const stat = await this.stat(path.join(...names.slice(0, count)));
                if (!stat) {
                    return true;
                }
                if (!(count === names.length ? stat.isFile() : stat.isDirectory())) {
                    return false;
                }
            }
            return true;
        });
    }

    async isOlder(file: string, time: number): Promise<boolean> {
        const stat = await this.run(() => this.stat(file));
        // Where the disk does not keep the time of birth, it is 0.
        return stat !== undefined && stat.birthtimeMs > 0 && stat.birthtimeMs < time;
    }

    /** @returns `undefined` if nothing is there */
    protected async stat(file: string): Promise<Stats | undefined> {
        try {
            return await fs.lstat(path.join(this.root, file));
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
                return undefined;
            }
            throw error;
        }
    }

    /** What stands there now. `other`: a link, or nothing that can be read. */
    kindsOf(files: readonly string[]): Promise<Map<string, FileKind>> {
        return this.run(async () => {
            const kinds = new Map<string, FileKind>();
            for (const file of files) {
                const stat = await fs.lstat(path.join(this.root, file)).catch(() => undefined);
                kinds.set(file, !stat ? 'missing' : stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other');
            }
            return kinds;
        });
    }

    /** The file itself, or the files in that folder, for a write of the IDE: it waits for no turn. */
    async filesIn(file: string): Promise<string[]> {
        const found: string[] = [];
        const walk = async (relative: string): Promise<void> => {
            const entries = await fs.readdir(path.join(this.root, relative), { withFileTypes: true }).catch(() => []);
            for (const entry of entries) {
                const inside = path.join(relative, entry.name);
                if (found.length < MAX_FILES && entry.isDirectory() && !SKIPPED.includes(entry.name)) {
                    await walk(inside);
                } else if (found.length < MAX_FILES && entry.isFile()) {
                    found.push(inside);
                }
            }
        };
        const isFolder = await fs.lstat(path.join(this.root, file)).then(
            stat => stat.isDirectory(),
            () => false
        );
        await (isFolder ? walk(file) : found.push(file));
        return found;
    }

    protected async readText(file: string): Promise<FileText> {
        const absolute = path.join(this.root, file);
        try {
            const stat = await fs.lstat(absolute);
            if (!stat.isFile()) {
                return null;
            }
            if (this.isSecret(file) || stat.size > HASH_LIMIT_BYTES) {
                return standIn('binary', `${stat.size} ${stat.mtimeMs}`);
            }
            return contentOf(await fs.readFile(absolute), this.textLimit);
        } catch (error) {
            const { code } = error as NodeJS.ErrnoException;
            return code === 'ENOENT' || code === 'ENOTDIR' ? null : standIn('unknown', String(code));
        }
    }

    /** Others who wait for this folder get their turn between two of ours. */
    protected async run<T>(task: () => Promise<T>): Promise<T> {
        const result = await this.tasks.run(this.root, task, READ_LIMIT_MS);
        await new Promise(resolve => setImmediate(resolve));
        return result;
    }
}
