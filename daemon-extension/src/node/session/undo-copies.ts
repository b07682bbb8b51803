// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';

/** In milliseconds: 14 days. */
const KEPT = 14 * 24 * 3_600_000;

/** Keeps copies of what undo overwrites or deletes. */
export class UndoCopies {
    /** @param root absolute path of the folder of all copies; made if it is missing */
    constructor(protected readonly root: () => Promise<string>) {}

    /** For one undo. */
    begin(): UndoCopy {
        return new UndoCopy(this.root);
    }

    /** Removes those that are older than 14 days. */
    async sweep(): Promise<void> {
        const root = await this.root();
        for (const name of await fs.readdir(root).catch(() => [])) {
            const folder = path.join(root, name);
            // Another backend of the user may have removed it.
            const stat = await fs.stat(folder).catch(() => undefined);
            if (stat && Date.now() - stat.mtimeMs > KEPT) {
                await fs.rm(folder, { recursive: true, force: true });
            }
        }
    }
}

/** The copies of one undo, in a folder of their own, which only its owner can read. */
export class UndoCopy {
    protected made: Promise<string> | undefined;
    protected used: string | undefined;

    constructor(protected readonly root: () => Promise<string>) {}

    /** `undefined` while there are no copies. */
    get folder(): string | undefined {
        return this.used;
    }

    /** @param name path of the file in its workspace, relative */
    async keep(name: string, content: Buffer): Promise<void> {
        this.made ??= this.make();
        const folder = await this.made;
        const file = path.join(folder, name);
        await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await fs.writeFile(file, content, { mode: 0o600, flag: 'wx' });
        this.used = folder;
    }

    protected async make(): Promise<string> {
        const root = await this.root();
        await fs.mkdir(root, { recursive: true, mode: 0o700 });
        return fs.mkdtemp(path.join(root, `${new Date().toISOString().replaceAll(':', '-')}-`));
    }
}
