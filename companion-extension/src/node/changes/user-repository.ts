// SPDX-License-Identifier: Apache-2.0

import { promises as fs, Stats } from 'fs';
import * as path from 'path';

/** In bytes. A file that a cloned repository names may be anything. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** Formats of a repository that are understood: git's own, and those with `extensions`. */
const MAX_FORMAT = 1;
/** git holds the lock of its index for so long at most, but for the largest checkouts. */
const LOCK_LIMIT_MS = 10_000;

/** Where the user's git is. Two of them tell what it did to the files in between. */
export interface GitPosition {
    /** In bytes: how long the log of HEAD is; -1 if there is none. */
    readonly log: number;
    /** A commit. */
    readonly head?: string;
    /** The commits of the stash, the oldest first. */
    readonly stash: readonly string[];
}

/** A line of HEAD's log. */
export interface ReflogEntry {
    readonly from: string;
    readonly to: string;
    /** What moved it, such as `commit (amend)` or `checkout`. */
    readonly verb: string;
}

/** The user's repository, as its files say. git is never run with it, and nothing in it is written. */
export class UserRepository {
    private constructor(
        /** The work tree's. */
        readonly top: string,
        /** Of this work tree. */
        readonly gitFolder: string,
        /** Of all work trees. */
        readonly commonFolder: string,
        readonly objectFormat: 'sha1' | 'sha256',
        /** Another one if somebody makes the repository anew. */
        protected readonly identity: string
    ) {}

    /**
     * The repository that a folder lies in. A broken one, a bare one, one of a future format or one whose main repository is missing is none.
     *
     * @param folder a real path
     */
    static async find(folder: string): Promise<UserRepository | undefined> {
        for (let top = folder; ; top = path.dirname(top)) {
            if ((await statOf(path.join(top, '.git'))) || top === path.dirname(top)) {
                return this.at(top);
            }
        }
    }

    protected static async at(top: string): Promise<UserRepository | undefined> {
        const dot = path.join(top, '.git');
        const stat = await fs.stat(dot).catch(() => undefined);
        const link = stat?.isFile() ? /^gitdir: (.*)/.exec((await readText(dot)) ?? '')?.[1] : undefined;
        const gitFolder = stat?.isDirectory() ? dot : link && path.resolve(top, link);
        if (!gitFolder || (await readText(path.join(gitFolder, 'HEAD'))) === undefined) {
            return undefined;
        }
        const common = path.resolve(gitFolder, (await readText(path.join(gitFolder, 'commondir')))?.trim() ?? '.');
        const config = (await readText(path.join(common, 'config'))) ?? '';
        const format = Number(/^\s*repositoryformatversion\s*=\s*(\d+)/im.exec(config)?.[1] ?? 0);
        const objects = await statOf(path.join(common, 'objects'));
        const isRefTable = /^\s*refstorage\s*=\s*reftable/im.test(config);
        if (format > MAX_FORMAT || !objects?.isDirectory() || isRefTable) {
            return undefined;
        }
        const objectFormat = /^\s*objectformat\s*=\s*sha256/im.test(config) ? 'sha256' : 'sha1';
        return new UserRepository(top, gitFolder, common, objectFormat, identityOf(objects));
    }

    get objectsFolder(): string {
        return path.join(this.commonFolder, 'objects');
    }

    get indexFile(): string {
        return path.join(this.gitFolder, 'index');
    }

    indexStat(): Promise<Stats | undefined> {
        return statOf(this.indexFile);
    }

    /** @returns the file's text; `undefined` if there is none that can be read */
    read(...name: string[]): Promise<string | undefined> {
        return readText(path.join(this.commonFolder, ...name));
    }

    /** git is at work. Its files come before its HEAD. An older lock was left by a git that was killed, or waits for the user's editor. */
    async isLocked(): Promise<boolean> {
        const stat = await statOf(`${this.indexFile}.lock`);
        return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < LOCK_LIMIT_MS;
    }

    /** It was removed; another one may be there. */
    async isGone(): Promise<boolean> {
        const objects = await statOf(this.objectsFolder);
        return objects === undefined || identityOf(objects) !== this.identity;
    }

    async isSparse(): Promise<boolean> {
        return (await statOf(path.join(this.gitFolder, 'info', 'sparse-checkout'))) !== undefined;
    }

    async position(): Promise<GitPosition> {
        const log = await statOf(this.headLog);
        const stash = (await this.read('logs', 'refs', 'stash')) ?? '';
        const head = await this.head();
        return {
            log: log?.size ?? -1,
            ...(head !== undefined && { head }),
            stash: stash.split('\n').flatMap(line => line.split(' ')[1] ?? [])
        };
    }

    /** The commit that HEAD names. */
    async head(): Promise<string | undefined> {
        const text = (await readText(path.join(this.gitFolder, 'HEAD')))?.trim() ?? '';
        const ref = /^ref: (.*)/.exec(text)?.[1];
        if (ref === undefined) {
            return text || undefined;
        }
        const loose = ((await readText(path.join(this.gitFolder, ref))) ?? (await this.read(ref)))?.trim();
        if (loose) {
            return loose;
        }
        const packed = ((await this.read('packed-refs')) ?? '').split('\n').find(line => line.endsWith(` ${ref}`));
        return packed?.split(' ')[0];
    }

    /** The commit whose merge waits to be committed. */
    async mergeHead(): Promise<string | undefined> {
        return (await readText(path.join(this.gitFolder, 'MERGE_HEAD')))?.trim().split('\n')[0];
    }

    /** What was added to HEAD's log. @param from in bytes */
    async reflogSince(from: number): Promise<ReflogEntry[]> {
        const handle = await fs.open(this.headLog, 'r');
        try {
            const { size } = await handle.stat();
            const bytes = Buffer.alloc(Math.min(Math.max(size - from, 0), MAX_READ_BYTES));
            await handle.read(bytes, 0, bytes.length, from);
            return bytes
                .toString('latin1')
                .split('\n')
                .flatMap(line => {
                    const [, old, next, verb] = /^(\S+) (\S+) .*?\t([^:]*)/.exec(line) ?? [];
                    return old === undefined ? [] : { from: old, to: next, verb };
                });
        } finally {
            await handle.close();
        }
    }

    protected get headLog(): string {
        return path.join(this.gitFolder, 'logs', 'HEAD');
    }
}

/** @returns the text of a file that is not too large; `undefined` if there is none */
export async function readText(file: string): Promise<string | undefined> {
    const stat = await statOf(file);
    return stat?.isFile() && stat.size <= MAX_READ_BYTES ? fs.readFile(file, 'utf8').catch(() => undefined) : undefined;
}

function identityOf({ ino, birthtimeMs }: Stats): string {
    return `${ino} ${birthtimeMs}`;
}

function statOf(file: string): Promise<Stats | undefined> {
    return fs.stat(file).catch(() => undefined);
}
