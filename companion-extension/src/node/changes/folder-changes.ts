// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { homedir } from 'os';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { Baseline, ChangesTrouble, ChangeKind, FileChange, UndoneChange } from '../../common/changes/changes-protocol';
import { FileText, hunksOf, LineHunk } from '../../common/changes/line-hunks';
import { fromWire, toWire } from '../../common/changes/raw-text';
import { ContextPrivacy } from '../../common/context-privacy';
import { withTimeLimit } from '../../common/time-limit';
import { FileAccess } from '../host/file-access';
import { ChangeStore } from './change-store';
import { DiskFiles, FileKind } from './disk-files';
import { areTexts, ChangedFile, ChangeLimits, FileChanges, OUTSIDE, UndoneCopy } from './file-changes';
import { hashOf, nameOnly } from './file-text';
import { GitReader } from './git-reader';

const LIMITS: ChangeLimits = { rows: 500, text: 1024 * 1024, texts: 32 * 1024 * 1024, copies: 50 };
/** How long events are gathered. */
const GATHER_MS = 300;
/** An agent that ends may have written just before. */
const AFTER_AGENT_MS = 10_000;
/** Between two looks at everything that no file's own event asks for. */
const RESCAN_PERIOD_MS = 10_000;
const STORE_DELAY_MS = 500;
/** So many times as long as it takes: 32 MB of texts take 0.6 s of the one thread. */
const STORE_PAUSE = 20;
const STORE_LIMIT_MS = 10_000;
/** How long a CLI may take to write what was accepted. */
const WRITE_TIME_MS = 30_000;
const STOP_LIMIT_MS = 3_000;
const MAX_EVENTS = 5_000;
const MAX_WAITING = 500;

interface FolderServices {
    readonly tasks: FileAccess;
    readonly store: ChangeStore;
    readonly logger: Pick<ILogger, 'warn'>;
    /** The list has changed. */
    readonly onDidChange: () => void;
}

/** A text that a user accepted, and that its CLI has not written yet. */
interface AcceptedText {
    /** What stood there. */
    readonly from: FileText;
    readonly until: number;
    /** Of the text; `undefined` until it is known. */
    hash?: string;
}

/** A write of the IDE. */
export interface IdeWrite {
    /** What stands there is read. */
    readonly read: Promise<void>;
    /** What happened before is known. */
    readonly ready: Promise<void>;
    /** After the write. */
    readonly finish: () => Promise<void>;
}

/** The changes in one root: says the rules what happens there, one thing after the other, and describes what they list. */
export class FolderChanges {
    /** Whether the user trusts the workspace. */
    isTrusted = false;
    files: readonly FileChange[] = [];
    undone: readonly UndoneChange[] = [];
    /** How many files have no room in the list. */
    more = 0;
    /** What is there is known: from now on changes are listed. */
    tracking = false;

    protected readonly git: GitReader;
    protected readonly disk: DiskFiles;
    protected changes: FileChanges;
    protected last: Promise<unknown>;
    protected waiting = 0;
    /** What is never shared with a CLI is known by its name alone, and never read. */
    protected privacy = new ContextPrivacy([], []);
    /** The user's patterns. */
    protected excluded = '[]';
    protected hasAgent = false;
    /** The agent that runs, if it is the only one. */
    protected onlyAgent: string | undefined;
    protected isStopped = false;
    protected readonly events = new Set<string>();
    protected gathering: NodeJS.Timeout | undefined;
    protected starting: NodeJS.Timeout | undefined;
    protected ending: NodeJS.Timeout | undefined;
    protected rescanning: NodeJS.Timeout | undefined;
    protected storing: NodeJS.Timeout | undefined;
    /** Waits for its turn. */
    protected looking: Promise<void> | undefined;
    protected rescannedAt = 0;
    /** How long the last store took. */
    protected storeMs = 0;
    protected readonly accepted = new Map<string, AcceptedText>();
    /** Who is about to write which file. */
    protected readonly writers = new Map<string, { cli: string; until: number }>();
    protected shown = '';
    /** What was described, by the versions of the rows. */
    protected readonly described = new Map<string, { key: string; change: FileChange }>();

    /**
     * @param root its real path
     * @param previous the end of whoever followed it before
     */
    constructor(
        readonly root: string,
        protected readonly services: FolderServices,
        previous: Promise<unknown> = Promise.resolve()
    ) {
        this.git = new GitReader(
            root,
            () => this.isTrusted,
            LIMITS.text,
            file => this.isSecret(file)
        );
        this.disk = new DiskFiles(root, services.tasks, file => this.isSecret(file), LIMITS.text);
        this.changes = new FileChanges(this.disk, this.git, LIMITS);
        this.last = previous.then(() => this.load()).catch(error => services.logger.warn(`Changes in ${root} were not read`, error));
    }

    get trouble(): ChangesTrouble | undefined {
        return this.git.trouble;
    }

    /** @param forget otherwise what is listed stays on disk */
    async stop(forget = false): Promise<void> {
        [this.gathering, this.starting, this.ending, this.rescanning].forEach(clearTimeout);
        await withTimeLimit(this.last, STOP_LIMIT_MS).catch(() => undefined);
        // Whoever follows the folder next has its file from now on.
        this.isStopped = true;
        if (forget) {
            this.changes = new FileChanges(this.disk, this.git, LIMITS);
        }
        await this.store();
        this.git.dispose();
    }

    /** What the user never shares. Of files that come to be secret, no text is left. */
    exclude(value: readonly string[]): void {
        const [before, patterns] = [this.privacy, JSON.stringify(value)];
        if (patterns !== this.excluded) {
            const privacy = new ContextPrivacy([], [{ scope: PreferenceScope.User, value }], homedir());
            Object.assign(this, { privacy, excluded: patterns });
            this.enqueue(() => this.changes.relearn(file => this.isSecret(file, before) !== this.isSecret(file, privacy)));
        }
    }

    /** Says who runs. The last one may have written just before its end. */
    nameAgents(names: ReadonlySet<string>): void {
        if (names.size > 0) {
            this.onlyAgent = names.size === 1 ? [...names][0] || undefined : undefined;
        }
    }

    /** Says whether an agent runs in a terminal. */
    setAgent(isThere: boolean): void {
        this.hasAgent = isThere;
        if (isThere) {
            clearTimeout(this.ending);
            this.ending = undefined;
            if (!this.changes.tracking && !this.starting) {
                // A repository that does not answer is asked again after a while.
                this.starting = setTimeout(() => {
                    this.starting = undefined;
                    this.setAgent(this.hasAgent);
                }, RESCAN_PERIOD_MS).unref();
                this.enqueue(async () => {
                    await this.changes.startTracking();
                    clearTimeout(this.starting);
                    this.starting = undefined;
                });
            }
        } else if (this.changes.tracking && !this.ending) {
            this.ending = setTimeout(() => {
                this.ending = undefined;
                this.enqueue(() => this.changes.stopTracking());
            }, AFTER_AGENT_MS).unref();
        }
    }

    /** Looks at everything soon: an agent's turn may have ended. In a repository that takes long, whoever opens the list looks. */
    lookSoon(): void {
        if (this.git.isSlow) {
            return;
        }
        const wait = Math.max(this.rescannedAt + RESCAN_PERIOD_MS - performance.now(), GATHER_MS);
        this.rescanning ??= setTimeout(() => {
            this.rescanning = undefined;
            this.enqueue(() => this.rescan());
        }, wait).unref();
    }

    /** In a large repository it takes seconds: whoever asks until its turn comes gets what it finds. */
    async look(): Promise<void> {
        if (this.tracking || this.changes.all.length > 0) {
            const begin = (): Promise<void> => {
                this.looking = undefined;
                return this.rescan();
            };
            this.looking ??= this.run(begin).finally(() => (this.looking = undefined));
            await this.looking;
        }
    }

    /** @param file its path in the root */
    handleEvent(file: string): void {
        const isFollowed = this.tracking || this.changes.get(file) || this.accepted.has(file);
        if (isFollowed && this.events.size < MAX_EVENTS) {
            this.events.add(file);
            this.gathering ??= setTimeout(() => {
                this.gathering = undefined;
                this.enqueue(() => this.handleEvents());
            }, GATHER_MS).unref();
        } else if (this.tracking) {
            this.lookSoon();
        }
    }

    /**
     * A user's write of a file, or of all in a folder. It does not wait for long: if it has begun when its turn comes, what stood there before
     * is known all the same.
     *
     * @param hasBegun whether what stands there may be the user's already
     */
    prepareWrite(file: string, hasBegun: () => boolean): IdeWrite {
        if (!this.tracking && !this.starting && this.changes.all.length === 0) {
            return { read: Promise.resolve(), ready: Promise.resolve(), finish: async () => undefined };
        }
        const before = new Map<string, FileText>();
        const holds: Array<() => void> = [];
        const release = (): void => holds.forEach(end => end());
        let [isRead, isPrepared] = [false, false];
        const readAll = async (): Promise<void> => {
            for (const each of await this.disk.filesIn(file)) {
                const text = await this.disk.readNow(each);
                if (hasBegun()) {
                    return;
                }
                before.set(each, text);
                holds.push(this.disk.hold(each, text));
            }
            isRead = true;
        };
        const read = readAll();
        const prepare = async (): Promise<void> => {
            await read;
            await this.run(async () => {
                if (!hasBegun()) {
                    await this.changes.prepareSaves(await this.followable([...before.keys()]));
                    isPrepared = true;
                }
            });
        };
        const finish = async (): Promise<void> => {
            await read.catch(() => undefined);
            await this.run(async () => {
                release();
                const all = [...new Set([...before.keys(), ...(await this.disk.filesIn(file))])];
                // Where git does not say what is ignored, it is the user's all the same.
                for (const each of await this.followable(all).catch(() => all)) {
                    const from = before.get(each) ?? (isRead || before.has(each) ? null : undefined);
                    await (isPrepared ? this.changes.handleSaved(each, from ?? null) : this.changes.handleAccepted(each, from));
                }
            }).finally(release);
        };
        return { read, ready: prepare(), finish };
    }

    /** A CLI is about to write a file, as the user told it in its terminal. */
    expectWriter(file: string, cli: string): void {
        if (this.tracking) {
            this.writers.set(file, { cli, until: performance.now() + WRITE_TIME_MS });
        }
    }

    /** The user accepts a proposal for the file: remembers what stands there. */
    async prepareAccepted(file: string): Promise<void> {
        if (this.tracking || this.changes.get(file)) {
            const from = await this.disk.readNow(file);
            this.accepted.set(file, { from, until: performance.now() + WRITE_TIME_MS });
            this.changes.learn(file, from);
        }
    }

    /** This is the text that the user has accepted. */
    expectAccepted(file: string, text: string): void {
        const accepted = this.accepted.get(file);
        if (accepted) {
            accepted.hash = hashOf(text);
        }
    }

    async baseline(file: string): Promise<Baseline | undefined> {
        const row = this.changes.get(file);
        if (!row || row.base === undefined || nameOnly(row.base)) {
            return undefined;
        }
        if (row.base === null) {
            return { version: row.version };
        }
        // Nothing else says any more how its lines ended.
        const isCrlf = (await this.disk.read(file)) === null && (await this.git.writesCrlf(file));
        return { version: row.version, text: toWire(isCrlf ? row.base.replace(/\r?\n/g, '\r\n') : row.base) };
    }

    /** It is on disk before anybody sees it done: a restart must not bring back what was kept. */
    keep(file: string, version: number, lines?: LineHunk): Promise<boolean> {
        return this.run(async () => {
            const isKept = await this.changes.keep(file, version, lines);
            // Of many at once, the last one stores them all.
            if (isKept && this.waiting === 1) {
                await this.store();
            }
            return isKept;
        });
    }

    mayUndo(file: string, version: number, left: FileText | undefined): Promise<boolean> {
        return this.run(async () => {
            const isOffered = !this.described.get(file)?.change.equalsHead && (await this.disk.isItself(file));
            return isOffered && this.changes.mayUndo(file, version, left && fromWire(left));
        });
    }

    /** @returns `undefined` also if the file is not as the undo left it: newer lines would be lost. Or it is a link now */
    async readUndone(id: string): Promise<{ uri: string; text?: string } | undefined> {
        const copy = this.changes.undone.find(candidate => copyId(candidate) === id);
        if (!copy || !(await this.disk.isItself(copy.path)) || hashOf(await this.disk.read(copy.path)) !== copy.leftHash) {
            return undefined;
        }
        return { uri: this.uriOf(copy.path), ...(copy.text !== null && { text: toWire(copy.text) }) };
    }

    protected async load(): Promise<void> {
        const stored = await this.services.store.read(this.root);
        if (stored) {
            this.changes = new FileChanges(this.disk, this.git, LIMITS, stored);
            await this.describe();
        }
    }

    protected async handleEvents(): Promise<void> {
        const events = [...this.events];
        this.events.clear();
        try {
            this.forgetExpired();
            const kinds = await this.disk.kindsOf(events.filter(file => !isOfGit(file)));
            if (!this.changes.currentPosition) {
                // CLIs write another file first, and rename it. Without git, nobody knows whether it was there before.
                [...kinds].forEach(([file, kind]) => kind === 'missing' && !this.changes.knows(file) && kinds.delete(file));
            }
            const files = await this.followable([...kinds.keys()], kinds);
            const accepted = await this.handleAccepted();
            await this.changes.handleEvents(files.filter(file => !accepted.has(file)));
            for (const [file, { cli }] of this.writers) {
                if (files.includes(file)) {
                    await this.changes.handleWriter(file, cli);
                }
            }
            // Of a folder that came or went, the files may have had no events.
            if (
                [...kinds].some(
                    ([file, kind]) => kind === 'folder' || (kind === 'missing' && files.includes(file) && !this.changes.get(file))
                )
            ) {
                this.lookSoon();
            }
        } catch (error) {
            this.lookSoon();
            throw error;
        }
    }

    /** @returns the files in which what was accepted stands by now */
    protected async handleAccepted(): Promise<ReadonlySet<string>> {
        const handled = new Set<string>();
        for (const file of await this.followable([...this.accepted.keys()])) {
            const accepted = this.accepted.get(file);
            if (accepted && hashOf(await this.disk.read(file)) === accepted.hash) {
                this.accepted.delete(file);
                await this.changes.handleAccepted(file, accepted.from);
                handled.add(file);
            }
        }
        return handled;
    }

    /** A CLI that was told no writes nothing. */
    protected forgetExpired(): void {
        for (const expected of [this.accepted, this.writers]) {
            [...expected].filter(([, { until }]) => performance.now() > until).forEach(([file]) => expected.delete(file));
        }
    }

    /** Files that stand there, or did, and that git does not ignore. */
    protected async followable(files: readonly string[], kinds?: ReadonlyMap<string, FileKind>): Promise<string[]> {
        const own = files.filter(file => !isOfGit(file) && !file.split(path.sep).includes('node_modules'));
        const known = kinds ?? (await this.disk.kindsOf(own));
        const candidates = own.filter(file => known.get(file) === 'file' || known.get(file) === 'missing');
        const ignored = await this.git.ignored(candidates);
        return candidates.filter(file => !ignored.has(file));
    }

    protected async rescan(): Promise<void> {
        try {
            await this.handleAccepted();
            await this.changes.rescan();
        } catch (error) {
            // Such as a call of git that failed.
            this.lookSoon();
            throw error;
        } finally {
            this.rescannedAt = performance.now();
        }
    }

    protected enqueue(task: () => Promise<void>): void {
        this.run(task).catch(error => this.services.logger.warn(`Changes in ${this.root} were not followed`, error));
    }

    /** One after the other. Rejects if too much waits. */
    protected run<T>(task: () => Promise<T>): Promise<T> {
        if (this.isStopped || this.waiting >= MAX_WAITING) {
            return Promise.reject(new Error('Too much is going on with the changed files, or the folder was closed; try again'));
        }
        this.waiting++;
        const described = async (): Promise<T> => {
            try {
                this.changes.onlyAgent = this.onlyAgent;
                return await task();
            } finally {
                this.waiting--;
                await (this.isStopped ? Promise.resolve() : this.describe()).catch(error =>
                    this.services.logger.warn(`Changes in ${this.root} were not described`, error)
                );
            }
        };
        const running = this.last.then(described);
        this.last = running.catch(() => undefined);
        return running;
    }

    protected async describe(): Promise<void> {
        const head = this.changes.currentPosition?.head;
        const files: FileChange[] = [];
        for (const row of this.changes.all) {
            const key = [row.version, head, row.base === undefined, ...row.authors].join(' ');
            const known = this.described.get(row.path);
            const change = known?.key === key ? known.change : await this.describeRow(row, head);
            this.described.set(row.path, { key, change });
            files.push(change);
        }
        [...this.described.keys()].filter(file => !this.changes.get(file)).forEach(file => this.described.delete(file));
        files.sort((left, right) => right.changedAt - left.changedAt);
        const undone = this.changes.undone
            .map(copy => ({ id: copyId(copy), uri: this.uriOf(copy.path), authors: authorsOf(copy) }))
            .reverse();
        const { more, tracking } = this.changes;
        const shown = JSON.stringify([files, undone, more, tracking, this.trouble]);
        if (shown !== this.shown) {
            Object.assign(this, { shown, files, undone, more, tracking });
            this.services.onDidChange();
        }
        const pause = Math.min(Math.max(STORE_DELAY_MS, this.storeMs * STORE_PAUSE), STORE_LIMIT_MS);
        this.storing ??= setTimeout(() => void this.store(), pause).unref();
    }

    protected async store(): Promise<void> {
        clearTimeout(this.storing);
        this.storing = undefined;
        const start = performance.now();
        await this.services.store
            .write(this.root, this.changes.stored)
            .catch(error => this.services.logger.warn('Changes were not stored', error));
        this.storeMs = performance.now() - start;
    }

    protected async describeRow(row: ChangedFile, head: string | undefined): Promise<FileChange> {
        const disk = await this.disk.read(row.path);
        const kind = kindOf(row.base, disk);
        const isCompared = kind === 'modified' || kind === 'added' || kind === 'deleted';
        const hunks = isCompared ? hunksOf(row.base ?? null, disk) : [];
        const count = (lines: (hunk: LineHunk) => number): number => hunks.reduce((sum, hunk) => sum + lines(hunk), 0);
        return {
            uri: this.uriOf(row.path),
            kind,
            version: row.version,
            authors: authorsOf(row),
            changedAt: row.changedAt,
            ...(isCompared && {
                added: count(({ diskStart, diskEnd }) => diskEnd - diskStart),
                removed: count(({ baseStart, baseEnd }) => baseEnd - baseStart)
            }),
            ...(row.onlyAgent !== undefined && { onlyAgent: row.onlyAgent }),
            ...(await this.compareWithHead(row, head))
        };
    }

    /** It counts as committed if that was since it was listed. What git has put there itself, as `git checkout` does, is no commit of it. */
    protected async compareWithHead({ path: file, hash, head: before }: ChangedFile, head?: string): Promise<Partial<FileChange>> {
        const hashIn = async (commit: string): Promise<string | undefined> => {
            // A blob that is missing must not keep the list from being shown.
            const text = await this.git.textIn(commit, file).catch(() => undefined);
            return text === undefined ? undefined : hashOf(text);
        };
        if (head === undefined || (await hashIn(head)) !== hash) {
            return {};
        }
        const isCommitted = before !== undefined && before !== head && (await hashIn(before)) !== hash;
        return { ...(hash !== hashOf(null) && { equalsHead: true }), ...(isCommitted && { committed: true }) };
    }

    /** Such as `.env`. */
    protected isSecret(file: string, privacy = this.privacy): boolean {
        return privacy.withheldBy(path.join(this.root, file), new Map([[this.root, [file]]])) !== undefined;
    }

    protected uriOf(file: string): string {
        return FileUri.create(path.join(this.root, file)).toString();
    }
}

function isOfGit(file: string): boolean {
    return file === '.git' || file.startsWith(`.git${path.sep}`);
}

function kindOf(base: FileText | undefined, disk: FileText): ChangeKind {
    const names = [nameOnly(base), nameOnly(disk)];
    if (names.includes('binary')) {
        return 'binary';
    }
    if (base === undefined || !areTexts(base, disk)) {
        return 'unknown';
    }
    return base === null ? 'added' : disk === null ? 'deleted' : 'modified';
}

function authorsOf({ authors }: { authors: readonly string[] }): string[] {
    return authors.filter(author => author !== OUTSIDE);
}

function copyId({ path: file, text, leftHash }: UndoneCopy): string {
    return createHash('sha1')
        .update([file, leftHash, hashOf(text)].join('\0'))
        .digest('hex');
}
