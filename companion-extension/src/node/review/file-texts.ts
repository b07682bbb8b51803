// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { UTF8 } from '@theia/core/lib/common/encodings';
import { FileDecoder } from '../../common/file-decoder';
import { FileAccess } from '../host/file-access';

/** In bytes. A longer file is not read: no proposal is so long. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** How long a look may take. */
const LOOK_LIMIT_MS = 5_000;

/** A file as it is now. */
export interface FileLook {
    /** Another one each time that the file is written, made or removed. */
    readonly stamp: string;
    /** @param encoding that it had for a page. @returns `undefined` if there is no file, or its text is not known. Never rejects. */
    decode(encoding: string | undefined): Promise<string | undefined>;
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
                decode: async encoding => (stat.isFile() && stat.size <= MAX_FILE_BYTES ? this.read(file, encoding) : undefined)
            };
        } catch (error) {
            const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
            return isMissing ? { stamp: 'missing', decode: async () => undefined } : undefined;
        }
    }

    protected async read(file: string, encoding: string | undefined): Promise<string | undefined> {
        try {
            const bytes = await this.run(file, () => fs.readFile(file));
            return (await this.decoder.decode(bytes, { prefer: detected => encoding ?? detected ?? UTF8 }))?.text;
        } catch {
            return undefined;
        }
    }

    protected run<T>(file: string, task: () => Promise<T>): Promise<T> {
        return this.fileAccess.run(path.dirname(file), task, LOOK_LIMIT_MS);
    }
}
