// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { FileAccess } from '../host/file-access';
import { FileLooks, TextMark } from './text-mark';

/** In bytes. A longer file is not read: no proposal is so long. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Files whose content is remembered; a line each. */
const MAX_KNOWN = 1_000;
/** How long a look may take. */
const LOOK_LIMIT_MS = 5_000;

interface Known {
    readonly stamp: string;
    readonly mark: TextMark;
}

/** Reads a file again only if it has changed. */
export class FileTexts implements FileLooks {
    protected readonly known = new Map<string, Known>();

    constructor(protected readonly tasks: FileAccess) {}

    async look(file: string): Promise<TextMark | undefined> {
        try {
            return await this.tasks.run(path.dirname(file), () => this.read(file), LOOK_LIMIT_MS);
        } catch {
            return undefined;
        }
    }

    protected async read(file: string): Promise<TextMark | undefined> {
        const stat = await fs.stat(file).catch((error: NodeJS.ErrnoException) => {
            if (error.code === 'ENOENT') {
                return undefined;
            }
            throw error;
        });
        const stamp = stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : 'missing';
        const known = this.known.get(file);
        if (known?.stamp === stamp) {
            return known.mark;
        }
        if (stat && (!stat.isFile() || stat.size > MAX_FILE_BYTES)) {
            return undefined;
        }
        const mark = new TextMark(stat ? await fs.readFile(file, 'utf8') : MISSING);
        mark.release();
        this.known.set(file, { stamp, mark });
        if (this.known.size > MAX_KNOWN) {
            this.known.delete([...this.known.keys()][0]);
        }
        return mark;
    }
}

/** No text: a file that is missing is not an empty one. */
const MISSING = '\0';
