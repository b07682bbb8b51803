// SPDX-License-Identifier: Apache-2.0

import { Stats } from 'fs';
import { Entry } from './index-entry';
import { PrivateGit } from './private-git';
import { keyOf, WorkTree } from './work-tree';

/** git gets so many files as arguments; with more it lists all. */
const MAX_ARGUMENTS = 200;
/** Node has times of files as numbers of milliseconds, which have no room for the last digits. */
const TIME_STEP_MS = 0.001;
/** git keeps 32 bits of an inode and of a size. XFS, and network file systems, have more of an inode. */
const KEPT_RANGE = 2 ** 32;

/** An entry of the user's index. */
export interface UsersEntry {
    /** `S`: it is not to be on disk. */
    readonly tag: string;
    readonly mode: string;
    readonly oid: string;
    /** In milliseconds since the epoch. */
    readonly mtimeMs: number;
    readonly ino: number;
    readonly size: number;
}

/** `git ls-files -s -v --debug -z` */
const LISTED_ENTRY =
    /([A-Za-z?]) (\d+) ([0-9a-f]+) (\d)\t([^\0]*)\0 {2}ctime: \d+:\d+\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: /g;

/**
 * The index of the user's repository. git writes down there when it wrote a file, or read it: so it says of which blob a file is made, also if
 * a filter converts it, or nobody may read it.
 */
export class UsersIndex {
    constructor(
        protected readonly git: PrivateGit,
        protected readonly tree: Pick<WorkTree, 'stat'>
    ) {}

    /** Another one after each change of the index; `undefined` without a repository. */
    async version(): Promise<string | undefined> {
        const stat = await this.git.repository?.indexStat();
        return stat && keyOf(stat);
    }

    /** @param names empty for all */
    async read(names: readonly string[] = []): Promise<Map<string, UsersEntry>> {
        const found = new Map<string, UsersEntry>();
        const file = this.git.repository?.indexFile;
        if (file === undefined) {
            return found;
        }
        const only = names.length > 0 && names.length <= MAX_ARGUMENTS ? ['--', ...names] : [];
        const args = ['ls-files', '-s', '-v', '--debug', '-z', ...only];
        // A split index of the user's is found nowhere but beside it.
        const output = await this.git.run(args, { env: { GIT_INDEX_FILE: file } }).catch(() => '');
        for (const [, tag, mode, oid, , name, seconds, nanoseconds, ino, size] of output.matchAll(LISTED_ENTRY)) {
            const mtimeMs = Number(seconds) * 1_000 + Number(nanoseconds) / 1_000_000;
            found.set(name, { tag, mode, oid, mtimeMs, ino: Number(ino), size: Number(size) });
        }
        return found;
    }

    /** git made the file of this blob, and nobody has written it since. @param entry of the file */
    async isWritten(name: string, blob: Entry | undefined, entry: UsersEntry | undefined): Promise<boolean> {
        if (!entry || entry.oid !== blob?.oid || entry.mode !== blob.mode) {
            return false;
        }
        const stat = await this.tree.stat(name);
        return stat !== undefined && isSameStat(entry, stat);
    }
}

/** Some programs write no parts of seconds. */
function isSameStat({ mtimeMs, ino, size }: UsersEntry, stat: Stats): boolean {
    const onDisk = mtimeMs % 1_000 === 0 ? Math.floor(stat.mtimeMs / 1_000) * 1_000 : stat.mtimeMs;
    return size === stat.size % KEPT_RANGE && ino === stat.ino % KEPT_RANGE && Math.abs(onDisk - mtimeMs) < TIME_STEP_MS;
}
