// SPDX-License-Identifier: Apache-2.0

import { FileText, foldEdit, hunksOf } from '../../common/diff/line-hunks';
import { decodeRaw, encodeRaw } from '../../common/diff/raw-text';
import { Entry, IndexEntry, isSameEntry, parseStaged } from './index-entry';
import { IndexJournal } from './index-journal';
import { hasHunks, IndexLimits } from './index-limits';
import { IndexRow } from './index-row';
import { KnownNames, knownSince } from './known-names';
import { ObjectStore } from './object-store';
import { PrivateGit } from './private-git';
import { GitPosition } from './user-repository';
import { UsersEntry, UsersIndex } from './users-index';
import { DiskEntry, WorkTree } from './work-tree';

const EMPTY_TREES = {
    sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
};
const MAX_REMEMBERED_FILES = 2_000;
const MAX_REMEMBERED_TEXTS = 3;
/** git gets so many files as arguments; with more it lists all. */
const MAX_ARGUMENTS = 200;

/** What git did to the files: from one tree to another one. `undefined` is the empty tree. */
interface GitStep {
    readonly from: string | undefined;
    readonly to: string | undefined;
    /** The files were so before, and git has written down what stood there. */
    readonly isCommit?: boolean;
    readonly isStash?: boolean;
    /** Only what is exactly theirs is git's. */
    readonly isExact?: boolean;
    /** It may have written no file: a stash is dropped, and not popped, or HEAD alone is reset. */
    readonly mayBeSoft?: boolean;
}

/** What a step did to a file. */
interface TreeChange {
    readonly name: string;
    readonly from: Entry;
    readonly to: Entry;
}

/** What git's steps did to files, by their names. */
export interface MovedFiles {
    readonly removed: readonly string[];
    /** What stands there after moves alone: of files that no commit has. */
    readonly targets: ReadonlyMap<string, Entry>;
}

/** A path where the disk is other than its base, as far as a look knows. */
export interface Difference {
    base: Entry;
    /** Read once: while git goes on, what stands there later belongs to another position of HEAD and the stash. */
    now?: DiskEntry | null;
    isUnknown?: boolean;
}

type ReadEntries = () => Promise<ReadonlyMap<string, UsersEntry>>;

/** A blob of the user's repository that is other bytes on disk, and ours of these bytes. */
interface Alias {
    readonly user: string;
    readonly own: string;
}

/**
 * Takes what git did for the user's: a move of HEAD, or of the stash, is a save from HEAD's old text to its new one. A commit is no move. One
 * memory beside it: a text that was listed and not kept takes its base along, so that a stash, a branch or a merge brings it back into
 * the list.
 */
export class GitMoves {
    position: GitPosition | undefined;
    /** The bases of texts that were listed and not kept, by their names and the object ids of the texts. */
    memory = new Map<string, ReadonlyMap<string, Entry>>();
    aliases = new Map<string, Alias>();
    /** The files that git has moved between the last two looks. */
    moved: ReadonlySet<string> = new Set();
    /** The texts that it wrote then, as {@link keyOfWritten} has them. */
    protected written: ReadonlySet<string> = new Set();
    /** How often {@link steps} has found commits. */
    commits = 0;

    constructor(
        protected readonly git: PrivateGit,
        protected readonly prefix: string,
        protected readonly tree: WorkTree,
        protected readonly objects: ObjectStore,
        protected readonly journal: IndexJournal,
        protected readonly users: UsersIndex,
        protected readonly limits: Pick<IndexLimits, 'textBytes' | 'textLines'>
    ) {}

    /** git has done something since {@link steps}. */
    async haveMoved(): Promise<boolean> {
        const { position } = this;
        const now = position && (await this.git.repository?.position());
        return now !== undefined && JSON.stringify(now) !== JSON.stringify(position);
    }

    /** What was done since the last call, the oldest first. @param foldSaves folds what was saved before that */
    async steps(foldSaves: () => Promise<void>): Promise<GitStep[]> {
        const before = this.position;
        const { repository } = this.git;
        const now = await repository?.position();
        await foldSaves();
        if (!repository || !before || !now) {
            return [];
        }
        const pushed = now.stash.filter(id => !before.stash.includes(id));
        // When it was popped is not written down. A commit after it must not take its lines for news.
        const steps = before.stash
            .filter(id => !now.stash.includes(id))
            .flatMap((id): GitStep[] => [
                { from: `${id}^1`, to: id, mayBeSoft: true },
                { from: undefined, to: `${id}^3`, mayBeSoft: true }
            ]);
        const reflog = now.log > before.log ? await repository.reflogSince(Math.max(before.log, 0)) : [];
        this.commits += reflog.some(({ verb }) => verb.startsWith('commit')) ? 1 : 0;
        if (now.log > before.log && before.log >= 0) {
            for (const { from, to, verb } of reflog) {
                // `git stash` leaves this in HEAD's log, after its own.
                if (from === to && verb === 'reset' && pushed.length > 0) {
                    steps.push(...stashSteps(pushed.shift() ?? ''));
                }
                if (from === to || /^0+$/.test(from)) {
                    continue;
                }
                if (verb === 'commit (merge)') {
                    steps.push({ from, to: `${to}^2`, isExact: true });
                }
                steps.push({ from, to, isCommit: verb.startsWith('commit'), mayBeSoft: verb === 'reset' });
            }
        } else if (before.head !== undefined && now.head !== undefined && before.head !== now.head) {
            // There is no log: the parent tells a commit.
            const commit = (await this.objects.read(now.head))?.bytes.toString('latin1') ?? '';
            const isCommit = commit.includes(`parent ${before.head}\n`);
            this.commits += isCommit ? 1 : 0;
            steps.push(...(isCommit ? [] : [{ from: before.head, to: now.head }]));
        }
        steps.push(...pushed.flatMap(stashSteps));
        // A merge that waits for its commit: what is theirs is git's.
        const merging = now.head === undefined ? undefined : await repository.mergeHead();
        if (merging !== undefined) {
            steps.push({ from: now.head, to: merging, isExact: true });
        }
        this.position = now;
        return steps;
    }

    /** Puts the steps into the bases of what differs. @param rows of the last look. @param known is brought up to date */
    async fold(
        steps: readonly GitStep[],
        differing: Map<string, Difference>,
        rows: ReadonlyMap<string, IndexRow>,
        known: KnownNames
    ): Promise<MovedFiles> {
        const removed: string[] = [];
        const targets = new Map<string, Entry>();
        const committed = new Set<string>();
        /** Bases of texts that only passed the disk. */
        const passing = new Map<string, Entry>();
        const changes: TreeChange[][] = [];
        for (const step of steps) {
            changes.push(await this.changesOf(step));
        }
        const moves = changes.filter((_, index) => !steps[index].isCommit).flat();
        this.moved = new Set(moves.map(({ name }) => name));
        this.written = new Set(moves.map(({ name, to }) => keyOfWritten(name, to)));
        const names = new Set(changes.flat().map(({ name }) => name));
        let reading: ReturnType<ReadEntries> | undefined;
        const users: ReadEntries = () => (reading ??= this.users.read([...names]));
        const equal = await this.basesOf([...names].filter(name => !differing.has(name)));
        for (const [index, step] of steps.entries()) {
            for (const { name, from, to } of changes[index]) {
                if (to === null) {
                    removed.push(name);
                }
                const found = differing.get(name);
                const isInNoIndex = !equal.has(name) && knownSince(known, name) !== undefined;
                const unmoved = async (): Promise<Entry> => (isInNoIndex ? this.tree.entry(name) : (equal.get(name) ?? null));
                const before = found ? found.base : passing.has(name) ? passing.get(name) : await unmoved();
                targets.set(name, to);
                if (step.isCommit) {
                    committed.add(name);
                    if (isSameEntry(before, to)) {
                        // HEAD has what the user kept.
                        known.kept.delete(name);
                    }
                    // Whoever commits, the texts were not shown yet, and may come again by a merge.
                    this.remember(name, to, before ?? null);
                    continue;
                }
                if (step.isStash) {
                    this.remember(name, from, before ?? null);
                }
                if (found) {
                    await this.foldFile(step, { name, from, to }, found, rows.get(name), users);
                } else if (isSameEntry(before, from)) {
                    // Of a text that is on disk no longer: a stash may take it that another one has just brought.
                    passing.set(name, this.targetOf(name, to));
                }
            }
        }
        committed.forEach(name => targets.delete(name));
        return { removed, targets };
    }

    /** `git sparse-checkout` takes files away and moves no HEAD. */
    async foldSparse(differing: Map<string, Difference>, rows: ReadonlyMap<string, IndexRow>): Promise<void> {
        const candidates = [...differing].filter(([name, { base }]) => base && !rows.has(name));
        if (candidates.length === 0 || !(await this.git.repository?.isSparse())) {
            return;
        }
        const stats = await this.tree.stats(candidates.map(([name]) => name));
        const gone = stats.filter(({ stat }) => !stat).map(({ name }) => name);
        const entries = gone.length > 0 ? await this.users.read(gone) : undefined;
        for (const name of gone) {
            const entry = entries?.get(name);
            if (entry && /^S$/i.test(entry.tag) && entry.oid === differing.get(name)?.base?.oid) {
                differing.delete(name);
                await this.journal.set(name, null);
            }
        }
    }

    /** What was listed and not kept is listed again when it comes back. */
    remember(name: string, text: Entry | undefined, base: Entry): void {
        if (isSameEntry(text, base)) {
            return;
        }
        const texts = [...(this.memory.get(name) ?? [])].slice(1 - MAX_REMEMBERED_TEXTS);
        this.memory.delete(name);
        this.memory.set(name, new Map([...texts, [keyOfText(text), base]]));
        if (this.memory.size > MAX_REMEMBERED_FILES) {
            const [oldest] = this.memory.keys();
            this.memory.delete(oldest);
        }
    }

    /** A row's text is gone, and nobody has kept it. A look that saw git at work may have listed what git wrote. */
    rememberRow({ name, now, base }: IndexRow): void {
        if (!this.written.has(keyOfWritten(name, now))) {
            this.remember(name, now, base);
        }
    }

    /** A save has given a row another base. A commit of its text may have been faster. */
    updateMemory(row: IndexRow | undefined): void {
        if (row && this.recall(row.name, row.now) !== undefined) {
            this.remember(row.name, row.now, row.base);
        }
    }

    /** The base that a text took along; `undefined` if it was not listed, or was kept. */
    recall(name: string, text: Entry | undefined): Entry | undefined {
        return this.memory.get(name)?.get(keyOfText(text));
    }

    protected async foldFile(
        step: GitStep,
        { name, from, to }: TreeChange,
        found: Difference,
        row: IndexRow | undefined,
        users: ReadEntries
    ): Promise<void> {
        const { now = null } = found;
        if (row && !isSameEntry(row.now, now)) {
            this.rememberRow(row);
        }
        const known = this.recall(name, now);
        const isGits = found.isUnknown && !step.isExact && isSameEntry(now, to);
        const moved = async (): Promise<Entry | undefined> =>
            isGits ? now : this.movedBase(step, { name, from, to }, found.base, now, row, users);
        const base = known === undefined ? await moved() : known;
        if (base !== undefined) {
            found.base = base;
            found.isUnknown &&= !isGits;
            await this.journal.set(name, base);
        }
    }

    /** @returns `undefined` if the step is none of the user's in this file */
    protected async movedBase(
        step: GitStep,
        { name, from, to }: TreeChange,
        base: Entry,
        now: DiskEntry | null,
        row: IndexRow | undefined,
        users: ReadEntries
    ): Promise<Entry | undefined> {
        const alias = this.aliases.get(name);
        const wasClean = base ? from !== null && (base.oid === from.oid || (alias?.own === base.oid && alias.user === from.oid)) : !from;
        const isGits = to ? now?.oid === to.oid : now === null;
        const target = this.targetOf(name, to);
        const isUnwritten = row !== undefined && isSameEntry(row.now, now);
        if (wasClean && (isGits || (to && now && (await this.isWrittenByGit(name, to, now, users))))) {
            return target === to ? now : target;
        }
        if (step.isExact) {
            return undefined;
        }
        const isSoft = async (moved: Entry): Promise<boolean> =>
            isUnwritten || (step.mayBeSoft === true && (await this.isNearer(name, now, base, moved)));
        if (wasClean && !this.aliases.has(name)) {
            return (await isSoft(target)) ? undefined : target;
        }
        const texts = [await this.textOf(base), await this.textOf(from), await this.textOf(target)];
        const [baseText, fromText, targetText] = texts;
        if (baseText === undefined || fromText === undefined || targetText === undefined) {
            return undefined;
        }
        const text = foldEdit(baseText, fromText, targetText);
        const bytes = text === null ? undefined : Buffer.from(encodeRaw(text));
        const folded = bytes ? { mode: target?.mode ?? base?.mode ?? '100644', oid: this.objects.idOf(bytes) } : null;
        if (bytes) {
            await this.objects.put(bytes);
        }
        if (!isSameEntry(folded, now) && (await isSoft(folded))) {
            return undefined;
        }
        const written = text !== null && now?.mode.startsWith('100') ? await this.bytesOf(name, now) : undefined;
        if (written && !isSameEntry(folded, now) && text !== null && unix(decodeRaw(written)) === unix(text)) {
            // git has written it with other line ends.
            await this.objects.put(written);
            return now;
        }
        return folded;
    }

    /** Fewer lines of the file are other than in one text than in another one. */
    protected async isNearer(name: string, now: DiskEntry | null, one: Entry, other: Entry): Promise<boolean> {
        const bytes = now && (await this.bytesOf(name, now));
        const text = bytes && hasHunks(bytes, this.limits) ? decodeRaw(bytes) : undefined;
        const [oneText, otherText] = [await this.textOf(one), await this.textOf(other)];
        if (text === undefined || oneText === undefined || otherText === undefined) {
            return false;
        }
        const countOthers = (of: FileText): number =>
            hunksOf(of, text).reduce((sum, hunk) => sum + hunk.baseEnd - hunk.baseStart + hunk.diskEnd - hunk.diskStart, 0);
        return countOthers(oneText) < countOthers(otherText);
    }

    /** Written through a filter: the user's index says whether the file is what git wrote. */
    protected async isWrittenByGit(name: string, to: IndexEntry, now: DiskEntry, users: ReadEntries): Promise<boolean> {
        const isWritten = !now.isNameOnly && (await this.users.isWritten(name, to, (await users()).get(name)));
        const bytes = isWritten ? await this.bytesOf(name, now) : undefined;
        if (bytes) {
            this.aliases.set(name, { user: to.oid, own: await this.objects.put(bytes) });
        }
        return bytes !== undefined;
    }

    /** @returns `undefined` if it has changed since {@link Difference.now} was read */
    protected async bytesOf(name: string, now: DiskEntry): Promise<Buffer | undefined> {
        const bytes = (await this.tree.read(name))?.bytes;
        return bytes && this.objects.idOf(bytes) === now.oid ? bytes : undefined;
    }

    /** The disk is no answer, though it was as they are: git may have brought a text since. */
    protected async basesOf(names: readonly string[]): Promise<Map<string, Entry>> {
        if (names.length === 0) {
            return new Map();
        }
        const only = names.length <= MAX_ARGUMENTS ? ['--', ...names] : [];
        const bases = parseStaged(await this.git.run(['ls-files', '-s', '-z', ...only]), new Set(names));
        return new Map<string, Entry>([...bases, ...this.journal.entries]);
    }

    protected async changesOf({ from, to }: GitStep): Promise<TreeChange[]> {
        const empty = EMPTY_TREES[this.git.objectFormat];
        if (from === undefined || to === undefined) {
            await this.git.run(['hash-object', '-t', 'tree', '-w', '--stdin']);
        }
        const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', from ?? empty, to ?? empty];
        // A stash of no new files has no third parent.
        const output = await this.git.run(args, { env: this.git.readingObjects }).catch(() => '');
        const parts = output.split('\0');
        const changes: TreeChange[] = [];
        for (let at = 0; at + 1 < parts.length; at += 2) {
            const [oldMode, newMode, oldId, newId] = parts[at].slice(1).split(' ');
            const entry = (mode: string, oid: string): Entry => (/^0+$/.test(mode) ? null : { mode, oid });
            if (parts[at + 1].startsWith(this.prefix)) {
                changes.push({ name: parts[at + 1], from: entry(oldMode, oldId), to: entry(newMode, newId) });
            }
        }
        return changes;
    }

    /** Of a text that was not kept, what counts is what was kept of it. */
    protected targetOf(name: string, to: Entry): Entry {
        const known = this.recall(name, to);
        return known === undefined ? to : known;
    }

    protected async textOf(entry: Entry): Promise<string | null | undefined> {
        const bytes = entry && (await this.objects.bytesOf(entry.oid));
        return bytes && hasHunks(bytes, this.limits) ? decodeRaw(bytes) : bytes === null ? null : undefined;
    }
}

function stashSteps(id: string): GitStep[] {
    return [
        { from: id, to: `${id}^1`, isStash: true },
        { from: `${id}^3`, to: undefined, isStash: true }
    ];
}

function keyOfWritten(name: string, text: Entry | undefined): string {
    return `${keyOfText(text)} ${name}`;
}

function keyOfText(text: Entry | undefined): string {
    return text?.oid ?? 'none';
}

function unix(text: string | undefined): string | undefined {
    return text?.replaceAll('\r\n', '\n');
}
