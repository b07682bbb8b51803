// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { constants, promises as fs, Stats } from 'fs';
import * as path from 'path';
import { Entry, IndexEntry, LINK_MODE } from './index-entry';
import { IndexLimits } from './index-limits';
import { ObjectStore } from './object-store';

/** A write so short ago may be followed by another one with the same times: file systems count in steps of up to 10 ms. */
const SETTLED_MS = 50;
const MAX_KNOWN_IDS = 20_000;
/** A folder that was made so shortly before a file was made for it. */
const MADE_FOR_MS = 1_000;

/** What stands at a path. */
export interface DiskEntry extends IndexEntry {
    /** Only where they were asked for. */
    readonly bytes?: Buffer;
    /** It is never read, or could not be: {@link oid} is made of its times. */
    readonly isNameOnly?: true;
    /** Why it could not be read, such as `EACCES`. */
    readonly fault?: string;
}

/** The files of a root, by their names in the index. Links are never followed. */
export class WorkTree {
    /** Of files that were read, by their names. */
    protected readonly ids = new Map<string, { readonly key: string; readonly oid: string }>();

    constructor(
        readonly top: string,
        protected readonly objects: Pick<ObjectStore, 'idOf'>,
        protected readonly isSecret: (name: string) => boolean,
        protected readonly limits: Pick<IndexLimits, 'fileBytes'>
    ) {}

    /** For Node's file system: a name may be no UTF-8. */
    pathOf(name: string): Buffer {
        return Buffer.concat([Buffer.from(`${this.top}/`), Buffer.from(name, 'latin1')]);
    }

    async stat(name: string): Promise<Stats | undefined> {
        return fs.lstat(this.pathOf(name)).catch(() => undefined);
    }

    /** @returns where something stands, in the order of the names */
    async stats(names: readonly string[]): Promise<Array<{ name: string; stat: Stats | undefined }>> {
        const found: Array<{ name: string; stat: Stats | undefined }> = [];
        // Others want the threads, too.
        for (let start = 0; start < names.length; start += 64) {
            const part = names.slice(start, start + 64).map(async name => ({ name, stat: await this.stat(name) }));
            found.push(...(await Promise.all(part)));
        }
        return found;
    }

    /** What stands there; `null` if nothing does, or a folder. Is read again only if it has changed. */
    async entry(name: string): Promise<DiskEntry | null> {
        return this.find(name, false);
    }

    /** Likewise, with its bytes. */
    async read(name: string): Promise<DiskEntry | null> {
        return this.find(name, true);
    }

    /**
     * Makes a path what an entry says. Rejects, and leaves it, where a folder stands there or a link on the way.
     *
     * @param bytes of the entry
     * @param now what stands there
     */
    async write(name: string, entry: Entry, bytes: Buffer | undefined, now: Entry): Promise<void> {
        const file = this.pathOf(name);
        await this.refuseLinksAbove(name);
        const stat = await this.stat(name);
        if (stat?.isDirectory()) {
            throw Object.assign(new Error('A folder stands there'), { code: 'EISDIR' });
        }
        if (!entry || !bytes) {
            await fs.unlink(file);
            return;
        }
        await fs.mkdir(this.pathOf(path.posix.dirname(name)), { recursive: true });
        if (entry.mode === LINK_MODE) {
            await fs.rm(file, { force: true });
            await fs.symlink(bytes, file);
        } else if (!stat?.isFile()) {
            await fs.rm(file, { force: true });
            await fs.writeFile(file, bytes, { mode: entry.mode === '100755' ? 0o777 : 0o666, flag: 'wx' });
        } else if (stat.nlink > 1) {
            await this.replace(file, bytes, permissionsOf(entry, stat));
        } else {
            await this.writeInPlace(file, bytes, entry.mode === now?.mode ? undefined : permissionsOf(entry, stat));
        }
    }

    /** Rejects, and leaves it, where a folder stands there or a link on the way. @param move of an absolute path */
    async moveToTrash(name: string, move: (file: string) => Promise<void>): Promise<void> {
        await this.refuseLinksAbove(name);
        const file = this.pathOf(name).toString('utf8');
        if ((await this.stat(name))?.isDirectory() || !Buffer.from(file, 'utf8').equals(this.pathOf(name))) {
            throw Object.assign(new Error('No file with a name that everybody reads'), { code: 'EINVAL' });
        }
        await move(file);
        if (await this.stat(name)) {
            throw Object.assign(new Error('It is still there'), { code: 'EBUSY' });
        }
    }

    /** Removes the folders that were made for a file that is gone, if they have nothing in them. @param bornAt of the file, in milliseconds */
    async removeFoldersMadeFor(name: string, bornAt: number): Promise<void> {
        for (let folder = path.posix.dirname(name); folder !== '.'; folder = path.posix.dirname(folder)) {
            const born = (await this.stat(folder))?.birthtimeMs ?? 0;
            const isEmpty =
                born >= bornAt - MADE_FOR_MS &&
                (await fs.rmdir(this.pathOf(folder)).then(
                    () => true,
                    () => false
                ));
            if (!isEmpty) {
                return;
            }
        }
    }

    /** Removes the folders below that have nothing in them. */
    async removeEmptyFolders(name: string): Promise<void> {
        const entries = await fs.readdir(this.pathOf(name), { withFileTypes: true, encoding: 'latin1' as BufferEncoding }).catch(() => []);
        for (const entry of entries.filter(each => each.isDirectory())) {
            await this.removeEmptyFolders(`${name}/${entry.name}`);
        }
        // Something else may be in it.
        await fs.rmdir(this.pathOf(name)).catch(() => undefined);
    }

    protected async find(name: string, withBytes: boolean): Promise<DiskEntry | null> {
        const stat = await this.stat(name);
        if (!stat || stat.isDirectory()) {
            return null;
        }
        if (!stat.isFile() && !stat.isSymbolicLink()) {
            return { mode: 'other', oid: 'other', isNameOnly: true };
        }
        const mode = stat.isSymbolicLink() ? LINK_MODE : stat.mode & 0o100 ? '100755' : '100644';
        const key = keyOf(stat);
        const known = this.ids.get(name);
        if (!withBytes && known?.key === key && Date.now() - stat.mtimeMs > SETTLED_MS) {
            return { mode, oid: known.oid };
        }
        if (stat.size > this.limits.fileBytes || this.isSecret(name)) {
            return { mode, oid: `stat ${key}`, isNameOnly: true };
        }
        try {
            const file = this.pathOf(name);
            const bytes = stat.isSymbolicLink() ? await fs.readlink(file, { encoding: 'buffer' }) : await this.readFile(file);
            const oid = this.objects.idOf(bytes);
            this.remember(name, key, oid);
            return { mode, oid, ...(withBytes && { bytes }) };
        } catch (error) {
            const { code = '' } = error as NodeJS.ErrnoException;
            return code === 'ENOENT' ? null : { mode, oid: `unreadable ${code} ${key}`, isNameOnly: true, fault: code };
        }
    }

    /** It may be a link, or a pipe, by now. */
    protected async readFile(file: Buffer): Promise<Buffer> {
        const handle = await fs.open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
        try {
            return await handle.readFile();
        } finally {
            await handle.close();
        }
    }

    protected remember(name: string, key: string, oid: string): void {
        this.ids.delete(name);
        this.ids.set(name, { key, oid });
        if (this.ids.size > MAX_KNOWN_IDS) {
            const [oldest] = this.ids.keys();
            this.ids.delete(oldest);
        }
    }

    protected async refuseLinksAbove(name: string): Promise<void> {
        for (let folder = path.posix.dirname(name); folder !== '.'; folder = path.posix.dirname(folder)) {
            if ((await this.stat(folder))?.isSymbolicLink()) {
                throw Object.assign(new Error('It lies behind a link'), { code: 'ELOOP' });
            }
        }
    }

    /** Its owner stays. What stood there stands there again if it cannot be written: a disk may be full. */
    protected async writeInPlace(file: Buffer, bytes: Buffer, mode: number | undefined): Promise<void> {
        const handle = await fs.open(file, constants.O_RDWR | constants.O_NOFOLLOW);
        try {
            const before = await handle.readFile();
            try {
                await overwrite(handle, bytes);
            } catch (error) {
                await overwrite(handle, before);
                throw error;
            }
            if (mode !== undefined) {
                await handle.chmod(mode);
            }
        } finally {
            await handle.close();
        }
    }

    /** All other names of the file keep what they have. */
    protected async replace(file: Buffer, bytes: Buffer, mode: number): Promise<void> {
        const temporary = Buffer.concat([file, Buffer.from(`.${randomBytes(8).toString('hex')}.tmp`)]);
        try {
            await fs.writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' });
            await fs.chmod(temporary, mode);
            await fs.rename(temporary, file);
        } catch (error) {
            await fs.rm(temporary, { force: true }).catch(() => undefined);
            throw error;
        }
    }
}

/** Another one after each change of a file. */
export function keyOf({ size, mtimeMs, ctimeMs, ino, mode }: Stats): string {
    return [size, mtimeMs, ctimeMs, ino, mode].join(' ');
}

async function overwrite(handle: fs.FileHandle, bytes: Buffer): Promise<void> {
    await handle.truncate();
    let written = 0;
    while (written < bytes.length) {
        written += (await handle.write(bytes, written, bytes.length - written, written)).bytesWritten;
    }
}

function permissionsOf({ mode }: IndexEntry, stat: Stats): number {
    const permissions = stat.mode & 0o777;
    // As git does: whoever may read it may run it.
    return mode === '100755' ? permissions | ((permissions & 0o444) >> 2) : permissions & ~0o111;
}
