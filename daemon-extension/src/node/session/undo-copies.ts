// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';

/** The copies of what one undo overwrites or deletes, in a folder of their own, which only its owner can read. */
export class UndoCopy {
    /** `undefined` while there are no copies. */
    folder: string | undefined;

    /** @param root absolute path of the folder of all copies; made if it is missing */
    constructor(protected readonly root: () => Promise<string>) {}

    /** @param name path of the file in its workspace, relative */
    async keep(name: string, content: Buffer): Promise<void> {
        this.folder ??= await this.make();
        const file = path.join(this.folder, name);
        await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await fs.writeFile(file, content, { mode: 0o600, flag: 'wx' });
    }

    protected async make(): Promise<string> {
        const root = await this.root();
        await fs.mkdir(root, { recursive: true, mode: 0o700 });
        return fs.mkdtemp(path.join(root, `${new Date().toISOString().replaceAll(':', '-')}-`));
    }
}

/**
 * Removes what is old.
 *
 * @param folder absolute path; may be missing
 * @param age milliseconds
 */
export async function removeOlder(folder: string, age: number): Promise<void> {
    for (const name of await fs.readdir(folder).catch(() => [])) {
        const entry = path.join(folder, name);
        // Another backend of the user may have removed it.
        const stat = await fs.stat(entry).catch(() => undefined);
        if (stat && Date.now() - stat.mtimeMs > age) {
            await fs.rm(entry, { recursive: true, force: true });
        }
    }
}
