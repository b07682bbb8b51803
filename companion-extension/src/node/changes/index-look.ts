// SPDX-License-Identifier: Apache-2.0

import { timeout } from '@theia/core/lib/common/promise-util';
import { Entry, isSameEntry, splitOutput } from './index-entry';
import { IndexJournal } from './index-journal';
import { IndexLimits } from './index-limits';
import { IndexRow, isOfIndex, RowKind, rowOf } from './index-row';
import { TRASH } from './index-seed';
import { Difference, GitMoves } from './git-moves';
import { KnownNames, knownSince } from './known-names';
import { PrivateGit } from './private-git';
import { UsersIndex } from './users-index';
import { keyOf, WorkTree } from './work-tree';

const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 50;
/** The files that git writes are there so long after its commit. */
const SETTLE_MS = 100;
/** How often files are compared again because git went on. */
const MOVE_TRIES = 20;
/** git gets so many folders as arguments; with more it lists all. */
const MAX_ARGUMENTS = 200;

/** What differs, as far as nobody has asked git whose it is. */
interface Found {
    readonly differing: Map<string, Difference>;
    readonly special: IndexRow[];
    /** New files of the folders in which nothing was known. */
    readonly folders: ReadonlyMap<string, readonly string[]>;
    /** When this look began, in milliseconds since the epoch. */
    readonly lookedAt: number;
}

/** Compares the disk with the index: which paths are other than their baseline? */
export class IndexLook {
    constructor(
        protected readonly git: PrivateGit,
        protected readonly tree: WorkTree,
        protected readonly journal: IndexJournal,
        protected readonly moves: GitMoves,
        protected readonly users: UsersIndex,
        protected readonly prefix: string,
        protected readonly isSecret: (name: string) => boolean,
        protected readonly limits: IndexLimits
    ) {}

    /** @param before the rows of the last look. @param known is brought up to date. @param foldSaves as `GitMoves.steps` has it */
    async look(before: ReadonlyMap<string, IndexRow>, known: KnownNames, foldSaves: () => Promise<void>): Promise<Map<string, IndexRow>> {
        const steps = await this.moves.steps(foldSaves);
        await this.journal.flush();
        let found = await this.findAtRest(steps.length > 0, known);
        // What git did meanwhile belongs to what the files are now.
        for (let tries = 0; tries < MOVE_TRIES && (await this.isGitAtWork()); tries++) {
            steps.push(...(await this.moves.steps(foldSaves)));
            found = await this.findAtRest(true, known);
        }
        const { differing, special } = found;
        const { removed, targets } = await this.moves.fold(steps, differing, before, known);
        known.unknown.forEach(name => !differing.get(name)?.isUnknown && known.unknown.delete(name));
        await this.moves.foldSparse(differing, before);
        this.groupFolders(found);
        await this.findNamesOnly(known, special, removed);
        const rows = await this.rowsOf(differing);
        for (const [name, row] of before) {
            // Gone because of git, and nobody has kept it.
            const found = differing.get(name);
            const now = found ? found.now : row.base;
            if (!rows.has(name) && isOfIndex(row) && !isSameEntry(row.now, now)) {
                this.moves.rememberRow(row);
            }
        }
        await this.markMissing(rows, before);
        const ofGit = targets.size > 0 ? await this.foldNames(special, targets, known, before) : new Set<string>();
        special.filter(({ name }) => !ofGit.has(name)).forEach(row => rows.set(row.name, row));
        return rows;
    }

    protected async isGitAtWork(): Promise<boolean> {
        return (await this.moves.haveMoved()) || (await this.git.repository?.isLocked()) === true;
    }

    /** @param hasMoved `git stash` writes its commit first, and the files then */
    protected async findAtRest(hasMoved: boolean, known: KnownNames): Promise<Found> {
        if (hasMoved) {
            await timeout(SETTLE_MS);
        }
        for (let tries = 0; tries < LOCK_TRIES && (await this.git.repository?.isLocked()); tries++) {
            await timeout(LOCK_PAUSE_MS);
        }
        return this.findDifferences(known);
    }

    protected async findDifferences(known: KnownNames): Promise<Found> {
        const lookedAt = Date.now();
        const special: IndexRow[] = [];
        const here = this.prefix ? ['--', this.prefix] : [];
        const [raw, others] = await Promise.all([
            this.git.run(['diff-files', '--raw', '-z', '--no-renames', '--ignore-submodules=none', ...here]),
            // With `-k` also a folder that stands where a file stood.
            this.git.run(['ls-files', '-o', '-k', '--directory', '--no-empty-directory', '--exclude-standard', '-z', ...here])
        ]);
        const differing = new Map<string, Difference>();
        const parts = raw.split('\0');
        for (let at = 0; at + 1 < parts.length; at += 2) {
            const [mode, , oid] = parts[at].slice(1).split(' ');
            differing.set(parts[at + 1], { base: { mode, oid } });
        }
        if (await this.git.repository?.isGone()) {
            await this.rescue(differing);
        }
        for (const [name, entry] of this.journal.entries) {
            if (isSameEntry(entry, await this.tree.entry(name))) {
                differing.delete(name);
            } else if (name.startsWith(this.prefix)) {
                differing.set(name, { base: entry });
            }
        }
        const names = [...new Set(splitOutput(others))].filter(name => !TRASH.test(name));
        for (const name of names.filter(other => !other.endsWith('/'))) {
            await this.findNew(name, known, differing, special);
        }
        const folders = await this.findInFolders(
            names.filter(other => other.endsWith('/')),
            known,
            differing,
            special
        );
        for (const [name, found] of [...differing]) {
            if (known.large.has(name)) {
                differing.delete(name);
            } else if (found.base === null && knownSince(known, name) !== undefined) {
                // Not ignored any more. If nobody has touched it since, it was there.
                found.isUnknown = await this.isNews(known, name);
                if (!found.isUnknown) {
                    differing.delete(name);
                }
            }
        }
        known.unknown.forEach(name => differing.set(name, { base: differing.get(name)?.base ?? null, isUnknown: true }));
        for (const [name, found] of differing) {
            found.now = await this.tree.entry(name);
        }
        return { differing, special, folders, lookedAt };
    }

    protected async findNew(name: string, known: KnownNames, differing: Map<string, Difference>, special: IndexRow[]): Promise<void> {
        if (this.isSecret(name)) {
            await this.compareName('secret', name, known.secret.get(name), special);
        } else if (!this.journal.entries.has(name)) {
            differing.set(name, { base: null });
        }
    }

    /** Folders in which the index has nothing. @returns their new files, of those that are new as a whole */
    protected async findInFolders(
        listed: readonly string[],
        known: KnownNames,
        differing: Map<string, Difference>,
        special: IndexRow[]
    ): Promise<Map<string, string[]>> {
        const found = new Map<string, string[]>();
        const older = new Set<string>();
        const repositories = new Set<string>();
        for (const folder of listed.filter(other => !known.nested.has(other.slice(0, -1)))) {
            if (await this.tree.stat(`${folder}.git`)) {
                repositories.add(folder);
            } else {
                found.set(folder, []);
            }
        }
        const inside = found.size > 0 ? await this.namesIn([...found.keys()]) : [];
        inside.filter(name => name.endsWith('/')).forEach(folder => repositories.add(folder));
        for (const name of [...repositories].map(folder => folder.slice(0, -1)).filter(other => !known.nested.has(other))) {
            special.push({ kind: 'repository', how: 'added', name, base: null, now: null });
        }
        for (const file of inside.filter(name => !name.endsWith('/'))) {
            const folder = outermost(file, found);
            const isKnown = knownSince(known, file) !== undefined;
            if (folder !== undefined && (!isKnown || (await this.isNews(known, file)))) {
                await this.findNew(file, known, differing, special);
                found.get(folder)?.push(file);
            }
            if (folder !== undefined && isKnown) {
                older.add(folder);
            }
        }
        older.forEach(folder => found.delete(folder));
        return found;
    }

    /** @returns files, and repositories with a `/` at the end */
    protected async namesIn(folders: readonly string[]): Promise<string[]> {
        const only = folders.length <= MAX_ARGUMENTS ? ['--', ...folders] : [];
        return splitOutput(await this.git.run(['ls-files', '-o', '--exclude-standard', '-z', ...only]));
    }

    /** Many new files of one folder, none of which git has brought, are one row. */
    protected groupFolders({ folders, differing, special, lookedAt }: Found): void {
        for (const [name, all] of folders) {
            const files = all.filter(file => differing.get(file)?.base === null);
            if (files.length > this.limits.folderFiles) {
                files.forEach(file => differing.delete(file));
                special.push({ kind: 'folder', how: 'added', name, base: null, now: null, files, lookedAt });
            }
        }
    }

    /** Changed since its name was written down. */
    protected async isNews(known: KnownNames, name: string): Promise<boolean> {
        return ((await this.tree.stat(name))?.ctimeMs ?? 0) >= (knownSince(known, name) ?? 0);
    }

    /** @param removed by git */
    protected async findNamesOnly(known: KnownNames, special: IndexRow[], removed: readonly string[]): Promise<void> {
        for (const [name, large] of known.large) {
            const stat = await this.tree.stat(name);
            const isTouched = stat && keyOf(stat) !== large.key && stat.size === large.size && large.oid !== undefined;
            // git reads it, and not we.
            if (isTouched && (await this.git.run(['hash-object', '--no-filters', '--', name])).trim() === large.oid) {
                known.large.set(name, { ...large, key: keyOf(stat) });
            }
            await this.compareName('large', name, known.large.get(name)?.key, special);
        }
        for (const [name, key] of known.secret) {
            await this.compareName('secret', name, key, special);
        }
        const names = [...known.before.keys()];
        const stats = await this.tree.stats(names.map(name => name.replace(/\/$/, '')));
        stats.forEach(({ stat }, index) => {
            if (!stat && removed.some(file => file === names[index] || (names[index].endsWith('/') && file.startsWith(names[index])))) {
                known.before.delete(names[index]);
            } else if (!stat) {
                special.push({ kind: 'ignored', how: 'deleted', name: names[index], base: null, now: null });
            }
        });
    }

    /**
     * Files of which only the name is known are no rows if git has written them, or has taken them away. What was listed before stays: what
     * stood there nobody knows.
     *
     * @param targets as `MovedFiles` has them
     * @returns their names
     */
    protected async foldNames(
        special: readonly IndexRow[],
        targets: ReadonlyMap<string, Entry>,
        known: KnownNames,
        before: ReadonlyMap<string, IndexRow>
    ): Promise<Set<string>> {
        const ofGit = new Set<string>();
        const moved = special.filter(({ kind, name }) => isNameOnly(kind) && targets.has(name) && !before.has(name));
        const entries = moved.length > 0 ? await this.users.read(moved.map(({ name }) => name)) : undefined;
        for (const { kind, name } of moved) {
            const [to, stat] = [targets.get(name), await this.tree.stat(name)];
            if (!to && !stat) {
                known.secret.delete(name);
                known.large.delete(name);
                ofGit.add(name);
            } else if (to && stat && (await this.users.isWritten(name, to, entries?.get(name)))) {
                if (kind === 'secret') {
                    known.secret.set(name, keyOf(stat));
                } else {
                    known.large.set(name, { key: keyOf(stat), size: stat.size, oid: to.oid });
                }
                ofGit.add(name);
            }
        }
        return ofGit;
    }

    protected async compareName(kind: RowKind, name: string, key: string | undefined, special: IndexRow[]): Promise<void> {
        const stat = await this.tree.stat(name);
        if ((stat && keyOf(stat)) !== key) {
            const now = stat ? { mode: '', oid: keyOf(stat), isNameOnly: true as const } : null;
            special.push({ kind, how: !stat ? 'deleted' : key === undefined ? 'added' : 'modified', name, base: null, now });
        }
    }

    protected async rowsOf(differing: ReadonlyMap<string, Difference>): Promise<Map<string, IndexRow>> {
        const rows = new Map<string, IndexRow>();
        for (const [name, { base, now = null, isUnknown }] of differing) {
            const known = this.moves.recall(name, now);
            if (known !== undefined && !isSameEntry(known, base)) {
                await this.journal.set(name, known);
            }
            const row = rowOf(name, known === undefined ? base : known, now, isUnknown);
            if (!isSameEntry(row.base, now) || isUnknown) {
                rows.set(name, row);
            }
        }
        return rows;
    }

    /** Of a text that was never stored, or that the user's repository has no longer, there is the hash alone. */
    protected async markMissing(rows: Map<string, IndexRow>, before: ReadonlyMap<string, IndexRow>): Promise<void> {
        const asked: IndexRow[] = [];
        for (const row of rows.values()) {
            const earlier = before.get(row.name);
            if (row.base && earlier?.base?.oid !== row.base.oid) {
                asked.push(row);
            } else if (row.base && earlier?.isMissing) {
                rows.set(row.name, { ...row, isMissing: true });
            }
        }
        if (asked.length === 0) {
            return;
        }
        const input = asked.map(({ base }) => `${base?.oid}\n`).join('');
        const args = ['cat-file', '--batch-check=%(objecttype)', '--buffer'];
        const types = (await this.git.run(args, { input, env: this.git.readingObjects })).split('\n');
        asked.forEach((row, index) => {
            if (types[index] !== 'blob') {
                rows.set(row.name, { ...row, isMissing: true });
            }
        });
    }

    /** The user's repository is gone: what nobody has changed is still on disk. */
    protected async rescue(differing: ReadonlyMap<string, Difference>): Promise<void> {
        const names = splitOutput(await this.git.run(['ls-files', '-z'])).filter(name => !differing.has(name) && !name.includes('\n'));
        let bytes = 0;
        const found = (await this.tree.stats(names)).filter(({ stat }) => stat?.isFile() && (bytes += stat.size) < this.limits.startBytes);
        if (found.length > 0) {
            const input = found.map(({ name }) => `${name}\n`).join('');
            await this.git.run(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input, limitMs: this.limits.startMs });
        }
    }
}

function isNameOnly(kind: RowKind): boolean {
    return kind === 'secret' || kind === 'large';
}

/** The folder of these in which a file is. None of them is in another one. */
function outermost(file: string, folders: ReadonlyMap<string, unknown>): string | undefined {
    for (let at = file.indexOf('/'); at >= 0; at = file.indexOf('/', at + 1)) {
        if (folders.has(file.slice(0, at + 1))) {
            return file.slice(0, at + 1);
        }
    }
    return undefined;
}
