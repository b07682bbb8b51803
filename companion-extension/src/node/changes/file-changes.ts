// SPDX-License-Identifier: Apache-2.0

import { FileText, foldEdit, keepHunk, LineHunk } from '../../common/changes/line-hunks';
import { canMix } from '../../common/changes/raw-text';
import { hashOf, nameOnly } from './file-text';

/** Where a repository stands. */
export interface GitPosition {
    /** The commit of HEAD. */
    head: string;
    /** How many entries the reflog of HEAD has. */
    entries: number;
    /** Is another one after each change of the stash. */
    stash: string;
}

/** The repository of a root, which is read and never written. */
export interface Repository {
    /** `undefined` without a repository, or in a workspace that is not trusted. */
    position(): Promise<GitPosition | undefined>;
    /** What was done since then, as the reflogs name it, such as `commit` or `checkout`; `stash` for each change of the stash. */
    verbsSince(position: GitPosition): Promise<readonly string[]>;
    /** The paths whose files are not those of HEAD, ignored ones left out. */
    dirtyPaths(): Promise<readonly string[]>;
    /** The paths that differ between two commits. */
    changedPaths(from: string, to: string): Promise<readonly string[]>;
    /** The file in that commit; `undefined` if that cannot be said. */
    textIn(head: string, path: string): Promise<FileText | undefined>;
    /** Whether a user finds this text in git: in that commit, in one that the reflog names since, or in a stash. */
    has(path: string, hash: string, since: GitPosition): Promise<boolean>;
}

/** The files of a root, on disk. */
export interface FilesOnDisk {
    /** @returns `null` if there is no file */
    read(path: string): Promise<FileText>;
    /** Whether a file is there that was made before this time, in milliseconds since the epoch. */
    isOlder(path: string, time: number): Promise<boolean>;
}

/** How much is remembered; texts in UTF-16 units. */
export interface ChangeLimits {
    rows: number;
    text: number;
    texts: number;
    copies: number;
}

/** A file that was changed outside the editor. */
export interface ChangedFile {
    path: string;
    /** The text that the user last knew; `undefined` if it is not known. */
    base: FileText | undefined;
    /** Of what is on disk. */
    hash: string;
    /** Who is known to have written: names of CLIs, or {@link OUTSIDE}. */
    authors: string[];
    /** Never used twice, also not for a row that goes and comes again. */
    version: number;
    /** HEAD when it was listed. */
    head: string | undefined;
    /** When it was seen to change, in milliseconds since the epoch. */
    changedAt: number;
    /** The agent that ran at each change; absent if there were several. */
    onlyAgent?: string;
}

/** What an undo took out of a file. */
export interface UndoneCopy {
    path: string;
    text: FileText;
    /** Of the file that the undo left. */
    leftHash: string;
    authors: string[];
}

/** What outlives the backend. */
export interface StoredChanges {
    rows: ChangedFile[];
    known: Array<{ path: string; hash: string; text: FileText | undefined }>;
    copies: UndoneCopy[];
    position: GitPosition | undefined;
    tracking: boolean;
    more: string[];
    versions: number;
}

/** The author of a change that no CLI has named as its own. */
export const OUTSIDE = 'outside';

interface KnownText {
    hash: string;
    /** `undefined` if there was no room for it. */
    text: FileText | undefined;
}

/**
 * What was changed outside the editor while agents ran, in the files of one root. Two texts for each file decide: the baseline and the one on
 * disk. Events only say where to look, so they may be late, lost or doubled. Each call ends before the next one begins.
 */
export class FileChanges {
    protected readonly rows = new Map<string, ChangedFile>();
    /** Texts that are known better than git knows them: what the IDE wrote, what was looked at, what was dirty when tracking began. */
    protected readonly known = new Map<string, KnownText>();
    protected copies: UndoneCopy[] = [];
    /** The next save of a file, if it is an undo: it types nothing. The hash that it leaves, and what stood there. */
    protected readonly undoing = new Map<string, { leftHash: string; text: FileText }>();
    protected position: GitPosition | undefined;
    protected isTracking = false;
    /** In milliseconds since the epoch. After a restart only since then: nobody looked before. */
    protected trackedSince = Date.now();
    protected versions = 0;
    /** The paths of files that found no room in the list. */
    protected readonly missed = new Set<string>();
    /** The agent that runs now, if it is the only one. */
    onlyAgent: string | undefined;

    constructor(
        protected readonly disk: FilesOnDisk,
        protected readonly git: Repository,
        protected readonly limits: ChangeLimits,
        stored?: StoredChanges
    ) {
        if (stored) {
            stored.rows.forEach(row => this.rows.set(row.path, { ...row }));
            stored.known.forEach(({ path, hash, text }) => this.known.set(path, { hash, text }));
            this.copies = [...stored.copies];
            this.position = stored.position;
            this.isTracking = stored.tracking;
            stored.more.forEach(path => this.missed.add(path));
            this.versions = stored.versions;
        }
    }

    get stored(): StoredChanges {
        return {
            rows: this.all.map(row => ({ ...row })),
            known: [...this.known].map(([path, { hash, text }]) => ({ path, hash, text })),
            copies: [...this.copies],
            position: this.position,
            tracking: this.isTracking,
            more: [...this.missed],
            versions: this.versions
        };
    }

    get all(): readonly ChangedFile[] {
        return [...this.rows.values()];
    }

    get(path: string): ChangedFile | undefined {
        return this.rows.get(path);
    }

    /** Whether it is listed, or was seen since tracking began. */
    knows(path: string): boolean {
        return this.rows.has(path) || this.known.has(path);
    }

    /** What undo took away, the newest last. */
    get undone(): readonly UndoneCopy[] {
        return this.copies;
    }

    get tracking(): boolean {
        return this.isTracking;
    }

    get currentPosition(): GitPosition | undefined {
        return this.position;
    }

    /** How many files found no room in the list. */
    get more(): number {
        return this.missed.size;
    }

    // --- who writes

    /** The first agent starts: what is there now is what the user knows. */
    async startTracking(): Promise<void> {
        if (this.isTracking) {
            return;
        }
        this.trackedSince = Date.now();
        await this.rescan();
        const dirty = this.position ? await this.git.dirtyPaths() : [];
        this.known.clear();
        await this.knowAll(dirty);
        this.isTracking = true;
    }

    async stopTracking(): Promise<void> {
        await this.rescan();
        this.isTracking = false;
    }

    /** Events of a watcher: they may come late, twice or never. */
    async handleEvents(paths: readonly string[]): Promise<void> {
        if (await this.hasGitChanged()) {
            await this.rescan(paths);
        } else {
            for (const path of paths) {
                await this.look(path, false);
            }
        }
    }

    /** What a user sees, of a file of which nothing else is known without git. */
    learn(path: string, text: FileText): void {
        if (this.isTracking && !this.position && !this.knows(path)) {
            this.know(path, text);
        }
    }

    /**
     * A CLI has written what a user accepted: as if the user had saved it.
     * @param before what stood there when it was accepted; `undefined` if nobody knows: what is not listed is the user's then
     */
    async handleAccepted(path: string, before: FileText | undefined): Promise<void> {
        const [row, undo, to] = [this.rows.get(path), this.undoing.get(path), await this.disk.read(path)];
        const from = before === undefined && undo?.leftHash === hashOf(to) ? undo.text : before;
        const last = await this.lastHash(path);
        if (from !== undefined && last !== undefined && last !== hashOf(from)) {
            await this.list(path, row ? row.base : await this.before(path), hashOf(from), OUTSIDE);
        }
        if (from === undefined && row && row.hash !== hashOf(to)) {
            // Lines of both stand there, and nothing tells them apart.
            row.base = undefined;
        }
        this.take(path, from === undefined ? to : from, to);
        this.undoing.delete(path);
    }

    /** Looks at everything that may have changed, without events. @param paths of which there were events */
    async rescan(paths: readonly string[] = []): Promise<void> {
        const position = await this.git.position();
        const moved = await this.hasGitMoved();
        const dirty = position && this.isTracking ? await this.git.dirtyPaths() : [];
        if (!this.position && dirty.length > 0) {
            // Its user trusts the folder only now: what is there is known.
            this.position = position;
            await this.knowAll(dirty.filter(path => !paths.includes(path)));
        }
        const committed =
            position && this.position && !moved && position.head !== this.position.head
                ? await this.git.changedPaths(this.position.head, position.head)
                : [];
        const isDirty = new Set(dirty);
        for (const path of new Set([...paths, ...this.known.keys(), ...this.rows.keys(), ...dirty, ...committed])) {
            const text = await this.look(path, moved);
            if (isDirty.has(path) && !this.rows.has(path) && !this.known.has(path)) {
                // As it was seen: what comes afterwards is news.
                this.know(path, text);
            }
        }
        this.position = position;
        if (position && this.isTracking) {
            // What git has again needs no text here.
            [...this.known.keys()].filter(path => !isDirty.has(path)).forEach(path => this.known.delete(path));
        }
    }

    /** A CLI has written a file, and does not say what stood there. */
    async handleWriter(path: string, cli: string): Promise<void> {
        await this.handleEvents([path]);
        const row = this.rows.get(path);
        if (row) {
            this.addAuthor(row, cli);
        }
    }

    /**
     * The IDE is about to write a file, for a user. What was not seen before is not the user's.
     * @returns the text that it replaces
     */
    async prepareSave(path: string): Promise<FileText> {
        await this.prepareSaves([path]);
        return this.disk.read(path);
    }

    /** The IDE is about to write, move or delete files. */
    async prepareSaves(paths: readonly string[]): Promise<void> {
        const known: string[] = [];
        for (const path of paths) {
            // Of a file of which nothing is known, the user has seen what stands there: Theia does not save over another text.
            if ((await this.lastHash(path)) !== undefined) {
                known.push(path);
            }
        }
        await this.handleEvents(known);
    }

    /** The IDE has written it. @param from as {@link prepareSave} returned it */
    async handleSaved(path: string, from: FileText): Promise<void> {
        const to = await this.disk.read(path);
        const hash = hashOf(to);
        const row = this.rows.get(path);
        const copy = this.copies.findLast(
            ({ path: of, text, leftHash }) => of === path && hashOf(text) === hash && leftHash === hashOf(from)
        );
        const bringsBack = row ? row.base !== undefined && hashOf(row.base) !== hash : this.isTracking;
        if (copy && bringsBack) {
            // Undo of an undo: nobody typed that.
            this.copies = this.copies.filter(one => one !== copy);
            for (const author of copy.authors) {
                await this.list(path, row ? row.base : from, hash, author);
            }
        } else {
            this.take(path, from, to);
        }
        this.undoing.delete(path);
    }

    // --- what a user does

    /**
     * Takes the file, or one change of it, for known.
     * @param version of the row that the user saw
     * @returns false, and nothing happens, if anything has changed since
     */
    async keep(path: string, version: number, hunk?: LineHunk): Promise<boolean> {
        const now = await this.disk.read(path);
        const row = this.rows.get(path);
        if (!row || !(await this.isCurrent(row, version, now))) {
            return false;
        }
        if (hunk && !areTexts(row.base, now)) {
            return false;
        }
        if (hunk && row.base !== undefined) {
            row.base = keepHunk(row.base, now, hunk);
        }
        row.version = ++this.versions;
        if (!hunk || row.base === undefined || hashOf(row.base) === row.hash) {
            this.drop(path, now);
        }
        this.makeRoom();
        return true;
    }

    /**
     * Whether the page may take back what it shows. Not without a text before, and not where no copy can be kept.
     * @param left the file after it, whose save types nothing; `undefined` if the user saves it later
     */
    async mayUndo(path: string, version: number, left: FileText | undefined): Promise<boolean> {
        const now = await this.disk.read(path);
        const row = this.rows.get(path);
        if (!row || !(await this.isCurrent(row, version, now))) {
            return false;
        }
        if (left !== undefined) {
            this.undoing.set(path, { leftHash: hashOf(left), text: now });
        }
        return areTexts(row.base, now) && (now?.length ?? 0) <= this.limits.text;
    }

    /** What may be known of these files has changed: nothing is left of their texts. */
    async relearn(isAffected: (path: string) => boolean): Promise<void> {
        this.copies = this.copies.filter(({ path }) => !isAffected(path));
        for (const path of [...this.known.keys()].filter(isAffected)) {
            this.know(path, await this.disk.read(path));
        }
        for (const row of this.all.filter(({ path }) => isAffected(path))) {
            const hash = hashOf(await this.disk.read(row.path));
            Object.assign(row, { base: undefined, hash, version: ++this.versions });
        }
    }

    // --- within

    protected async isCurrent(row: ChangedFile, version: number, now: FileText): Promise<boolean> {
        const isCurrent = row.version === version && row.hash === hashOf(now);
        if (!isCurrent) {
            await this.handleEvents([row.path]);
        }
        return isCurrent;
    }

    /** The user knows what stands there. */
    protected take(path: string, from: FileText, to: FileText): void {
        const row = this.rows.get(path);
        if (row) {
            this.foldSave(row, from, to);
        } else if (this.isTracking) {
            this.know(path, to);
        }
    }

    protected foldSave(row: ChangedFile, from: FileText, to: FileText): void {
        const { path } = row;
        const hash = hashOf(to);
        const isUndo = this.undoing.get(path)?.leftHash === hash;
        const isText = areTexts(row.base, from) && areTexts(row.base, to);
        const base = row.base === undefined || isUndo || !isText ? row.base : foldEdit(row.base, from, to);
        // A save that types nothing takes something back, whichever button did it.
        if (base !== undefined && base === row.base && hashOf(from) !== hash && isText) {
            this.keepCopy({ path, text: from, leftHash: hash, authors: row.authors });
        }
        Object.assign(row, { base, hash, version: ++this.versions });
        this.makeRoom();
        if (row.base !== undefined && hashOf(row.base) === hash) {
            this.drop(path, to);
        }
    }

    /** Compares a file with what was last known of it. @param moved whether git has put other files there since */
    protected async look(path: string, moved: boolean): Promise<FileText> {
        const now = await this.disk.read(path);
        const hash = hashOf(now);
        const row = this.rows.get(path);
        const base = row ? row.base : await this.before(path);
        const last = await this.lastHash(path);
        if (last === hash || (!row && !this.isTracking)) {
            return now;
        }
        const undo = this.undoing.get(path);
        if (row && undo?.leftHash === hash) {
            // Written already, and not told yet.
            this.foldSave(row, undo.text, now);
        } else if (moved && last !== undefined && (await this.isOfGit(path, last, now))) {
            this.drop(path, now);
        } else {
            await this.list(path, base, hash, OUTSIDE);
        }
        return now;
    }

    protected keepCopy(copy: UndoneCopy): void {
        const isSame = ({ path, text, leftHash }: UndoneCopy): boolean =>
            path === copy.path && leftHash === copy.leftHash && hashOf(text) === hashOf(copy.text);
        this.copies = [...this.copies.filter(other => !isSame(other)), copy];
    }

    /** The text of a file that is not listed, as the user last knew it. */
    protected async before(path: string): Promise<FileText | undefined> {
        if (!this.isTracking) {
            return undefined;
        }
        const known = this.known.get(path);
        if (known) {
            return known.text;
        }
        const text = this.position && (await this.git.textIn(this.position.head, path));
        // A file that git ignored until now, or that was moved here, is not new.
        return text === null && (await this.disk.isOlder(path, this.trackedSince)) ? undefined : text;
    }

    protected async lastHash(path: string): Promise<string | undefined> {
        const known = this.rows.get(path)?.hash ?? this.known.get(path)?.hash;
        if (known !== undefined) {
            return known;
        }
        const before = await this.before(path);
        return before === undefined ? undefined : hashOf(before);
    }

    protected async hasGitChanged(): Promise<boolean> {
        const position = await this.git.position();
        return JSON.stringify(position) !== JSON.stringify(this.position);
    }

    /** Git has put other files there. A commit does not, and an agent may have made it. */
    protected async hasGitMoved(): Promise<boolean> {
        const verbs = this.position ? await this.git.verbsSince(this.position) : [];
        return verbs.some(verb => verb !== 'commit');
    }

    /** A change is git's where it has the text that went, and the one that came. Then nothing is lost. */
    protected async isOfGit(path: string, last: string, now: FileText): Promise<boolean> {
        const { position } = this;
        const current = await this.git.position();
        if (!position || !current || !(await this.git.has(path, last, position))) {
            return false;
        }
        const committed = await this.git.textIn(current.head, path);
        if (committed !== undefined && hashOf(committed) === hashOf(now)) {
            return true;
        }
        const isStashed = (await this.git.verbsSince(position)).includes('stash');
        return isStashed && now !== null && this.git.has(path, hashOf(now), position);
    }

    protected async list(path: string, base: FileText | undefined, hash: string, author: string): Promise<void> {
        let row = this.rows.get(path);
        if (!row) {
            if (this.rows.size >= this.limits.rows) {
                this.missed.add(path);
                this.know(path, await this.disk.read(path));
                return;
            }
            row = {
                path,
                base,
                hash,
                authors: [],
                version: 0,
                head: this.position?.head,
                changedAt: 0,
                onlyAgent: this.onlyAgent
            };
            this.rows.set(path, row);
        }
        row.onlyAgent = row.onlyAgent === this.onlyAgent ? row.onlyAgent : undefined;
        row.hash = hash;
        row.version = ++this.versions;
        row.changedAt = Date.now();
        this.addAuthor(row, author);
        this.makeRoom();
        if (row.base !== undefined && hashOf(row.base) === hash) {
            this.drop(path, row.base);
        }
    }

    protected addAuthor({ authors }: ChangedFile, author: string): void {
        if (!authors.includes(author)) {
            authors.push(author);
        }
    }

    protected drop(path: string, now: FileText): void {
        this.rows.delete(path);
        if (this.rows.size === 0) {
            // They were kept with the others, and the next ones find room.
            this.missed.clear();
        }
        if (this.isTracking) {
            this.know(path, now);
        }
    }

    protected know(path: string, text: FileText): void {
        this.known.delete(path);
        this.known.set(path, { hash: hashOf(text), text });
        this.makeRoom();
    }

    protected async knowAll(paths: Iterable<string>): Promise<void> {
        for (const path of paths) {
            if (!this.rows.has(path) && !this.known.has(path)) {
                this.know(path, await this.disk.read(path));
            }
        }
    }

    protected get size(): number {
        return sizeOf([...this.known.values()].map(({ text }) => text)) + sizeOf(this.all.map(({ base }) => base));
    }

    /**
     * The oldest texts go first, and leave their hashes: git's older text would be another one. Copies have room of their own: an undo must
     * not cost a baseline.
     */
    protected makeRoom(): void {
        const { limits } = this;
        // Counted once: each keep comes here, and there may be hundreds.
        let { size } = this;
        const isTooMuch = (text: string): boolean => text.length > limits.text || size > limits.texts;
        for (const known of this.known.values()) {
            if (known.text && isTooMuch(known.text)) {
                size -= known.text.length;
                known.text = undefined;
            }
        }
        for (const row of [...this.all].reverse()) {
            if (row.base && isTooMuch(row.base)) {
                size -= row.base.length;
                row.base = undefined;
            }
        }
        while (this.copies.length > limits.copies || sizeOf(this.copies.map(({ text }) => text)) > limits.texts) {
            this.copies.shift();
        }
    }
}

/** Both are known, and in the same encoding: lines of one may stand in the other. */
export function areTexts(base: FileText | undefined, disk: FileText): boolean {
    return base !== undefined && !nameOnly(base) && !nameOnly(disk) && (base === null || disk === null || canMix(base, disk));
}

function sizeOf(texts: ReadonlyArray<FileText | undefined>): number {
    return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
