// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { Figure } from './report';

export interface FileState {
    /** Another one after each write. */
    readonly key: string;
    readonly inode: number;
    /** In bytes. */
    readonly size: number;
}

/** The files below a folder, by their paths. @param part of the paths of those that count */
export async function filesIn(folder: string, part: string): Promise<Map<string, FileState>> {
    const found = new Map<string, FileState>();
    for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true })) {
        const file = path.join(entry.parentPath, entry.name);
        const stat = entry.isFile() && file.includes(part) ? await fs.stat(file).catch(() => undefined) : undefined;
        if (stat) {
            found.set(file, { key: `${stat.ino} ${stat.mtimeMs}`, inode: stat.ino, size: stat.size });
        }
    }
    return found;
}

/** In bytes: of a file that has grown what was added, of one that was replaced all. */
export function writtenBetween(before: ReadonlyMap<string, FileState>, after: ReadonlyMap<string, FileState>): number {
    let bytes = 0;
    for (const [file, { key, inode, size }] of after) {
        const earlier = before.get(file);
        if (earlier?.key !== key) {
            bytes += earlier?.inode === inode && size > earlier.size ? size - earlier.size : size;
        }
    }
    return bytes;
}

/** In milliseconds. */
export async function time(task: () => Promise<unknown>): Promise<number> {
    const since = performance.now();
    await task();
    return performance.now() - since;
}

/** To the process that has started this one. */
export function tell(figure: Figure): void {
    process.stdout.write(`${JSON.stringify(figure)}\n`);
}
