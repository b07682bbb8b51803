// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import * as fs from 'fs';
import * as path from 'path';

/** Names of the files that {@link writeAtomically} writes before it renames them. */
export const TEMPORARY_FILE = /^\.theia-companion-[0-9a-f]{16}\.tmp$/;

interface AtomicWriteOptions {
    /** Permissions; 0600 if it is left out. */
    readonly mode?: number;
    /** The file's owner; we are if it is left out. */
    readonly owner?: { readonly uid: number; readonly gid: number };
    /** Asked right before the target is replaced: `false` leaves it as it is. */
    readonly mayReplace?: () => boolean | Promise<boolean>;
    /** Returns only when a power cut cannot take it back. Otherwise its folder is written when the system likes. */
    readonly lasts?: boolean;
    /**
     * Holds the temporary file's path until it is the target or gone, for those who must clean up synchronously: whoever unlinks first
     * this one and then the target leaves nothing, whatever the writing has come to.
     */
    readonly temporaryFiles?: Set<string>;
}

/**
 * Replaces a file as a whole: nobody ever reads half of it, and it never is readable for others on the way.
 *
 * @returns whether the target was replaced. Rejects with the file system's error; the target is then as it was.
 * @since 0.1
 */
export async function writeAtomically(target: string, text: string, options: AtomicWriteOptions = {}): Promise<boolean> {
    const temporary = path.join(path.dirname(target), `.theia-companion-${randomBytes(8).toString('hex')}.tmp`);
    options.temporaryFiles?.add(temporary);
    try {
        const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = fs.constants;
        // Windows has no O_NOFOLLOW; O_EXCL alone refuses what exists.
        const handle = await fs.promises.open(temporary, O_CREAT | O_EXCL | O_WRONLY | (O_NOFOLLOW ?? 0), 0o600);
        try {
            await handle.writeFile(text, 'utf8');
            if (options.owner) {
                await handle.chown(options.owner.uid, options.owner.gid);
            }
            if (options.mode !== undefined) {
                await handle.chmod(options.mode);
            }
            await handle.sync();
        } finally {
            await handle.close();
        }
        if ((await options.mayReplace?.()) === false) {
            await fs.promises.rm(temporary, { force: true });
            return false;
        }
        await fs.promises.rename(temporary, target);
        if (options.lasts) {
            await syncFolder(path.dirname(target));
        }
        return true;
    } catch (error) {
        await fs.promises.rm(temporary, { force: true }).catch(() => undefined);
        throw error;
    } finally {
        options.temporaryFiles?.delete(temporary);
    }
}

/** Windows and some file systems cannot do that: what was renamed is then as safe as they make it. */
async function syncFolder(folder: string): Promise<void> {
    const handle = await fs.promises.open(folder, 'r').catch(() => undefined);
    try {
        await handle?.sync().catch(() => undefined);
    } finally {
        await handle?.close();
    }
}
