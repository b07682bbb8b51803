// SPDX-License-Identifier: Apache-2.0

import { constants, promises as fs, Stats } from 'fs';
import * as path from 'path';
import { Entry, GITLINK_MODE, LINK_MODE, splitOutput, toIndexInfo } from './index-entry';
import { IndexLimits } from './index-limits';
import { KnownNames, noNames } from './known-names';
import { GitStream, PrivateGit } from './private-git';
import { readText } from './user-repository';
import { UsersIndex } from './users-index';
import { keyOf, WorkTree } from './work-tree';

/** Files of packages: of them the hash is enough. */
const PACKAGES = /(^|\/)(node_modules|\.venv|venv|vendor|__pycache__)\//;
/** Where the trash is if the root is a file system of its own. */
export const TRASH = /^\.Trash-\d+(\/|$)/;
/** In an index: a file that will be added. */
const INTENT_TO_ADD = 0x20000000;

const LISTED_ENTRY =
    /([A-Za-z?]) (\d+) ([0-9a-f]+) (\d)\t([^\0]*)\0 {2}ctime: \d+:\d+\n {2}mtime: \d+:\d+\n {2}dev: \d+\tino: \d+\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: ([0-9a-f]+)\n/gy;
const LISTED_SIZE = /(\d+) (\S+) (\d+)\t([^\n]*)\n|[^\n]*\n/gy;
const LISTED_ATTRIBUTE = /([^\0]*)\0([^\0]*)\0([^\0]*)\0/gy;

/** A new index, beside the old one until {@link publish}. */
export interface SeededIndex {
    readonly known: KnownNames;
    /** Blobs of the user's that are other bytes on disk, and ours. */
    readonly aliases: ReadonlyMap<string, { readonly user: string; readonly own: string }>;
    publish(): Promise<void>;
}

interface UnsureEntries {
    readonly dropped: ReadonlySet<string>;
    /** The user's blobs, by the names of {@link dropped}, where they are other bytes than on disk. */
    readonly converted: ReadonlyMap<string, string>;
}

/**
 * Makes the index that has what stands on disk. It begins with a copy of the user's index, which has times and hashes of all files, and hashes
 * anew whatever that one may have wrong.
 */
export class IndexSeed {
    constructor(
        protected readonly git: PrivateGit,
        protected readonly tree: WorkTree,
        protected readonly users: UsersIndex,
        protected readonly prefix: string,
        protected readonly isSecret: (name: string) => boolean,
        protected readonly limits: IndexLimits
    ) {}

    /**
     * @param rows bases that stay, by their names
     * @param isUnknown whether an agent may have written a file that was written last at this time, in milliseconds since the epoch
     */
    async make(rows: ReadonlyMap<string, Entry>, isUnknown: (name: string, modifiedAt: number) => boolean): Promise<SeededIndex> {
        const startedAt = Date.now();
        const { dropped, converted } = await this.copyIndex();
        await this.update(new Map([...dropped].map(name => [name, null])));
        const listed = splitOutput(await this.list('-m', '-d', '-o', '-t', '--exclude-standard')).map(entry => entry.slice(2));
        const nested = listed.filter(name => name.endsWith('/')).map(name => name.slice(0, -1));
        const wanted = new Set([
            ...listed.filter(name => !name.endsWith('/')),
            ...[...dropped].filter(name => name.startsWith(this.prefix))
        ]);
        const isOurs = (name: string): boolean =>
            !rows.has(name) && !TRASH.test(name) && !nested.some(folder => name.startsWith(`${folder}/`));
        const known: KnownNames = { ...noNames(), nested: new Set(nested) };
        const stored = await this.add([...wanted].filter(isOurs), rows, known, converted, isUnknown);
        await this.findIgnored(known, startedAt);
        for (const { name, stat } of await this.tree.stats([...dropped].filter(name => this.isSecret(name)))) {
            // Secrets that git has are in the copy, and not among what differs.
            if (stat) {
                known.secret.set(name, keyOf(stat));
            }
        }
        return { known, aliases: await this.aliasesOf(converted, stored), publish: () => fs.rename(this.file, this.git.indexFile) };
    }

    /** Beside the one that counts: a crash leaves that. */
    protected get file(): string {
        return `${this.git.indexFile}.new`;
    }

    protected get env(): { GIT_INDEX_FILE: string } {
        return { GIT_INDEX_FILE: this.file };
    }

    protected list(...options: readonly string[]): Promise<string> {
        const here = this.prefix ? ['--', this.prefix] : [];
        return this.git.run(['ls-files', '-z', ...options, ...here], { env: this.env, limitMs: this.limits.startMs });
    }

    protected async update(entries: ReadonlyMap<string, Entry>): Promise<void> {
        if (entries.size > 0) {
            const input = toIndexInfo(entries, this.git.idLength);
            await this.git.run(['update-index', '-z', '--index-info'], { input, env: this.env, limitMs: this.limits.startMs });
        }
    }

    /** @returns what of it is not sure */
    protected async copyIndex(): Promise<UnsureEntries> {
        await fs.rm(this.file, { force: true });
        const users = this.git.repository?.indexFile;
        const from = (await this.firstOf(users, this.git.indexFile)) ?? '';
        if (!from) {
            return { dropped: new Set(), converted: new Map() };
        }
        const { atimeMs, mtimeMs } = await fs.stat(from);
        await fs.copyFile(from, this.file);
        await fs.chmod(this.file, 0o600);
        if (from === users) {
            // A split index.
            for (const name of (await fs.readdir(path.dirname(from))).filter(other => other.startsWith('sharedindex.'))) {
                await fs.copyFile(path.join(path.dirname(from), name), path.join(this.git.folder, name));
            }
        }
        // A later time would make entries of the last moment look clean.
        await fs.utimes(this.file, atimeMs / 1000, Math.floor(mtimeMs / 1000) - 1);
        return this.findUnsure(from === users);
    }

    protected async firstOf(...files: Array<string | undefined>): Promise<string | undefined> {
        for (const file of files) {
            if (file !== undefined && (await fs.stat(file).catch(() => undefined))) {
                return file;
            }
        }
        return undefined;
    }

    /** Entries whose blobs may not be the bytes on disk. */
    protected async findUnsure(isUsers: boolean): Promise<UnsureEntries> {
        const dropped = new Set<string>();
        const converted = new Map<string, string>();
        const ids = new Map<string, string>();
        const drop = (name: string, oid?: string): void => {
            dropped.add(name);
            if (oid !== undefined) {
                converted.set(name, oid);
            }
        };
        const sizes = isUsers ? this.compareSizes(drop) : undefined;
        const attributes = isUsers && (await this.hasAttributes()) ? this.findConverted(name => drop(name, ids.get(name)), ids) : undefined;
        const list: GitStream = this.git.stream(['ls-files', '-s', '-v', '--debug', '-z'], this.env, LISTED_ENTRY, found => {
            const [, tag, mode, oid, stage, name, size, flags] = found;
            const isLarge = Number(size) > this.limits.fileBytes;
            const isPlain = tag === 'H' && mode !== GITLINK_MODE && stage === '0' && !(parseInt(flags, 16) & INTENT_TO_ADD);
            if (!isPlain || isLarge || this.isSecret(name) || !name.startsWith(this.prefix)) {
                drop(name, isLarge && isPlain ? oid : undefined);
                return;
            }
            // A size of 0 is git's mark for "look". A line cannot hold some names.
            if (sizes && mode !== LINK_MODE && size !== '0') {
                if (name.includes('\n')) {
                    drop(name);
                } else {
                    sizes.write(`${oid} ${size}\t${name}\n`, list);
                }
            }
            if (attributes) {
                ids.set(name, oid);
                attributes.write(`${name}\0`, list);
            }
        });
        list.end();
        await list.done;
        (isUsers ? await this.findStaged() : []).forEach(name => drop(name));
        sizes?.end();
        attributes?.end();
        await Promise.all([sizes?.done, attributes?.done]);
        return { dropped, converted };
    }

    /** Conversion of line ends only takes bytes away, so equal sizes are equal bytes. */
    protected compareSizes(drop: (name: string, oid: string) => void): GitStream {
        const args = ['cat-file', '--batch-check=%(objectsize) %(objectname) %(rest)', '--buffer'];
        return this.git.stream(args, this.git.readingObjects, LISTED_SIZE, ([, size, oid, onDisk, name]) => {
            if (size !== undefined && size !== onDisk) {
                drop(name, oid);
            }
        });
    }

    protected findConverted(drop: (name: string) => void, ids: Map<string, string>): GitStream {
        const args = ['check-attr', '-z', '--stdin', 'filter', 'ident', 'working-tree-encoding'];
        const env = { ...this.env, GIT_DIR: this.git.attributesFolder };
        return this.git.stream(args, env, LISTED_ATTRIBUTE, ([, name, attribute, value]) => {
            if (value !== 'unspecified' && value !== 'unset') {
                drop(name);
            }
            if (attribute === 'working-tree-encoding') {
                ids.delete(name);
            }
        });
    }

    protected async hasAttributes(): Promise<boolean> {
        const { folder, attributesFolder, top } = this.git;
        const ofUser = /attributesFile="(?!\/dev\/null)/i.test((await readText(path.join(folder, 'attr', 'config'))) ?? '');
        const isThere = await this.firstOf(path.join(top, '.gitattributes'));
        const ofRepository = await readText(path.join(attributesFolder, 'info', 'attributes'));
        if (ofUser || isThere || ofRepository) {
            return true;
        }
        const env = { ...this.env, GIT_LITERAL_PATHSPECS: '0' };
        return (await this.git.run(['ls-files', '-z', '--', ':(glob)**/.gitattributes'], { env })) !== '';
    }

    /** What is staged and not committed may be gone from the repository tomorrow. */
    protected async findStaged(): Promise<string[]> {
        const head = await this.git.repository?.head();
        if (head === undefined) {
            return [];
        }
        const args = ['diff-index', '--cached', '--name-only', '--no-renames', '-z', head];
        const env = { ...this.env, ...this.git.readingObjects };
        // HEAD's tree may be missing.
        return splitOutput(await this.git.run(args, { env, limitMs: this.limits.startMs }).catch(() => ''));
    }

    /** @returns the names of files whose bytes are stored */
    protected async add(
        names: readonly string[],
        rows: ReadonlyMap<string, Entry>,
        known: KnownNames,
        converted: ReadonlyMap<string, string>,
        isUnknown: (name: string, modifiedAt: number) => boolean
    ): Promise<ReadonlySet<string>> {
        const [removed, stored, hashed] = [new Set<string>(), new Set<string>(), new Set<string>()];
        let bytes = 0;
        const found = await this.tree.stats(names);
        for (const { name, stat } of found.sort((one, other) => (one.stat?.size ?? 0) - (other.stat?.size ?? 0))) {
            if (!stat || stat.isDirectory()) {
                removed.add(name);
            } else if (this.isSecret(name)) {
                known.secret.set(name, keyOf(stat));
                removed.add(name);
            } else if (stat.size > this.limits.fileBytes || !(await this.mayRead(name, stat))) {
                const oid = converted.get(name);
                known.large.set(name, { key: keyOf(stat), size: stat.size, ...(oid !== undefined && { oid }) });
                removed.add(name);
            } else {
                if (isUnknown(name, stat.mtimeMs)) {
                    known.unknown.add(name);
                }
                bytes += stat.size;
                const isTooMuch = bytes > this.limits.startBytes || stored.size >= this.limits.startFiles || PACKAGES.test(name);
                (isTooMuch ? hashed : stored).add(name);
            }
        }
        await this.update(new Map<string, Entry>([...[...removed].map(name => [name, null] as const), ...rows]));
        for (const [files, options] of [
            [stored, []],
            [hashed, ['--info-only']]
        ] as const) {
            if (files.size > 0) {
                const args = ['update-index', '--add', '--remove', ...options, '-z', '--stdin'];
                const input = [...files].map(name => `${name}\0`).join('');
                await this.git.run(args, { input, env: this.env, limitMs: this.limits.startMs });
            }
        }
        if (!(await this.firstOf(this.file))) {
            await this.git.run(['read-tree', '--empty'], { env: this.env });
        }
        return stored;
    }

    protected async findIgnored(known: KnownNames, startedAt: number): Promise<void> {
        const ignored = splitOutput(await this.list('-o', '-i', '--exclude-standard', '--directory'));
        const secrets = ignored.filter(name => !name.endsWith('/') && this.isSecret(name));
        for (const { name, stat } of await this.tree.stats(secrets)) {
            if (stat) {
                known.secret.set(name, keyOf(stat));
            }
        }
        ignored
            .filter(name => !secrets.includes(name))
            .slice(0, this.limits.ignoredNames)
            .forEach(name => known.before.set(name, startedAt));
    }

    protected async aliasesOf(
        converted: ReadonlyMap<string, string>,
        stored: ReadonlySet<string>
    ): Promise<Map<string, { user: string; own: string }>> {
        const aliases = new Map<string, { user: string; own: string }>();
        const entries = converted.size > 0 ? await this.users.read([...converted.keys()]) : undefined;
        for (const [name, user] of converted) {
            const now = stored.has(name) ? await this.tree.entry(name) : null;
            // Else it has text of the user that is not committed.
            if (now && (await this.users.isWritten(name, { mode: now.mode, oid: user }, entries?.get(name)))) {
                aliases.set(name, { user, own: now.oid });
            }
        }
        return aliases;
    }

    protected async mayRead(name: string, stat: Stats): Promise<boolean> {
        return (
            stat.isSymbolicLink() ||
            fs.access(this.tree.pathOf(name), constants.R_OK).then(
                () => true,
                () => false
            )
        );
    }
}
