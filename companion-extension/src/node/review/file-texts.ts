// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { UTF8 } from '@theia/core/lib/common/encodings';
import { FileFacts } from '../../common/companion-protocol';
import { FileDecoder } from '../../common/file-decoder';
import { FileAccess } from '../host/file-access';

/** In bytes. A longer file is not read: no proposal is so long. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** How long a look may take. */
const LOOK_LIMIT_MS = 5_000;

/** The stamp of a file that is not there. */
const MISSING = 'missing';

/** What a file has. */
export interface FileContent {
    /** `null` if there is no file. */
    readonly bytes: Buffer | null;
    /** Absent if there is no file, or it is no text of a known encoding. */
    readonly text?: string;
}

/** A file as it is now. */
export interface FileLook {
    /** Another one each time that the file is written, made or removed. */
    readonly stamp: string;
    /** @param encoding that it had for a page. @returns `undefined` if it is no file, or cannot be read. Never rejects. */
    read(encoding: string | undefined): Promise<FileContent | undefined>;
}

/** A file before a CLI may write it. */
export interface FileBefore {
    /** Absent if it could not be looked at. */
    readonly stamp?: string;
    /** Absent if it could not be read. */
    readonly hash?: string;
    /** Absent if it is not kept. */
    readonly content?: FileContent;
    /** Why not: it is never shared, there is no room, or it could not be read. */
    readonly notKept?: 'private' | 'room' | 'unknown';
    readonly facts?: FileFacts;
}

/** Tells what the files have that proposals are about; reads one only where its content is asked for. */
export class FileTexts {
    protected readonly decoder = new FileDecoder(new EncodingService());

    constructor(protected readonly fileAccess: FileAccess) {}

    /** @returns `undefined` if that cannot be found out. Never rejects. */
    async look(file: string): Promise<FileLook | undefined> {
        try {
            const stat = await this.run(file, () => fs.stat(file));
            return {
                stamp: `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`,
                read: async encoding => (stat.isFile() && stat.size <= MAX_FILE_BYTES ? this.read(file, encoding) : undefined)
            };
        } catch (error) {
            const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
            return isMissing ? { stamp: MISSING, read: async () => ({ bytes: null }) } : undefined;
        }
    }

    /** Whether the folder is no longer there. False also if that cannot be found out. Never rejects. */
    async isGone(folder: string): Promise<boolean> {
        return (await this.look(folder))?.stamp === MISSING;
    }

    protected async read(file: string, encoding: string | undefined): Promise<FileContent | undefined> {
        try {
            const bytes = await this.run(file, () => fs.readFile(file));
            const decoded = await this.decoder.decode(bytes, { prefer: detected => encoding ?? detected ?? UTF8 });
            return { bytes, ...(decoded?.encoding !== undefined && { text: decoded.text }) };
        } catch {
            return undefined;
        }
    }

    protected run<T>(file: string, task: () => Promise<T>): Promise<T> {
        return this.fileAccess.run(path.dirname(file), task, LOOK_LIMIT_MS);
    }
}

/** Empty without bytes. */
export function hashOf(bytes: Buffer | null): string {
    return bytes ? createHash('sha256').update(bytes).digest('hex') : '';
}
