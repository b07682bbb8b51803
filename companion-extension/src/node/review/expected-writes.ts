// SPDX-License-Identifier: Apache-2.0

import { basename } from 'path';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { Clock } from '../../common/clock';
import { ExpectedWrite, OtherWriter } from './expected-write';
import { FileInspector } from '../host/file-inspector';
import { FileTexts, hashOf } from './file-texts';
import { Review } from './review';
import { WriteJudge } from './write-judge';

/** So many verdicts are kept. */
const MAX_JUDGED = 20;
/** In bytes: of all texts that an undo brings back, and of those that it takes away. */
const MAX_BYTES = 32 * 1024 * 1024;

interface ExpectedWritesOptions {
    readonly files: Pick<FileTexts, 'look'>;
    readonly inspector: Pick<FileInspector, 'inspect'>;
    readonly clock: Clock;
    /** Whether the file is shared with no CLI: of it no text is kept. */
    isPrivate(review: Pick<Review, 'file' | 'place'>): Promise<boolean>;
}

/**
 * What CLIs were told to write, and whether they did: a CLI may write late, or something else, and a formatter may come after it. Keeps the
 * texts before, for an undo. Everything is gone with the backend.
 */
export class ExpectedWrites implements Disposable {
    /** The oldest first. */
    protected writes: ExpectedWrite[] = [];
    protected cancelTimer: () => void = () => undefined;
    protected looking: Promise<void> = Promise.resolve();
    protected verdicts = 0;
    protected isDisposed = false;
    protected readonly onDidJudgeEmitter = new Emitter<string>();
    /** Fires with the path of a file that has a verdict, or another one. */
    readonly onDidJudge = this.onDidJudgeEmitter.event;

    constructor(protected readonly options: ExpectedWritesOptions) {}

    /** What pages are told, the newest first. In the terminal, the user may have said no. */
    get judged(): ExpectedWrite[] {
        return this.settled.filter(isTold);
    }

    find(reviewId: string): ExpectedWrite | undefined {
        return this.writes.find(({ review }) => review.id === reviewId);
    }

    /** A proposal is shown, or accepted: reads what stands there. Never rejects. */
    async prepare(review: Review, encoding = review.encoding): Promise<void> {
        const { path } = review.file;
        const [isPrivate, look, facts] = await Promise.all([
            this.options.isPrivate(review).catch(() => true),
            this.options.files.look(path),
            this.options.inspector.inspect(path)
        ]);
        const content = await look?.read(encoding);
        if (!review.hasEnded) {
            const notKept = !content ? 'unknown' : isPrivate ? 'private' : (content.bytes?.length ?? 0) > MAX_BYTES ? 'room' : undefined;
            const hash = content && hashOf(content.bytes);
            review.before = { stamp: look?.stamp, hash, facts, ...(notKept ? { notKept } : { content }) };
        }
    }

    /** The CLI of a review that has ended may write it from now on. */
    expect(review: Review, judge: WriteJudge): ExpectedWrite {
        const { before = { notKept: 'unknown' } } = review;
        if (before.content) {
            judge.noteBefore(before.content);
        }
        const { now, wall } = this.options.clock;
        return this.add(new ExpectedWrite(review, judge, before, now, wall));
    }

    /** A backend before this one has told it. @param ago in milliseconds @param hash of the file before */
    resume(review: Review, judge: WriteJudge, ago: number, hash: string | undefined): ExpectedWrite {
        const notKept = hash === undefined ? 'unknown' : 'private';
        const { now, wall } = this.options.clock;
        const since = Math.max(ago, 0);
        return this.add(new ExpectedWrite(review, judge, { hash, notKept }, now - since, wall - since));
    }

    /** It is undone. */
    remove(reviewId: string): void {
        this.writes = this.writes.filter(({ review }) => review.id !== reviewId);
        this.onDidJudgeEmitter.fire('');
    }

    /** The file has changed, or one of this name. @param isSaved the IDE has written it. Never rejects */
    async lookAtFile(file: string, isSaved = false): Promise<void> {
        const named = this.watched.filter(({ review }) => basename(review.file.path) === basename(file));
        if (named.length > 0) {
            // Its folders may have other names than the CLI knew.
            const saved = isSaved ? (await this.options.files.look(file))?.stamp : undefined;
            await this.look(named, saved);
        }
    }

    /** @returns what a CLI has written there as it was accepted, also as a formatter left it, and what stood there before; each once */
    async takeAccepted(realPath: string): Promise<{ readonly from: Buffer | null; readonly to: Buffer } | undefined> {
        const writes = this.writes.filter(({ review }) => review.file.realPath === realPath);
        if (writes.length > 0) {
            await this.look(writes);
        }
        const write = writes.find(({ isAsAccepted, before, after, taken }) => isAsAccepted && before.content && after && after !== taken);
        const { before, after: to, taken } = write ?? {};
        if (!write || !to || !before?.content) {
            return undefined;
        }
        write.taken = to;
        return { from: taken ?? before.content.bytes, to };
    }

    dispose(): void {
        this.isDisposed = true;
        this.cancelTimer();
        this.onDidJudgeEmitter.dispose();
    }

    protected get watched(): ExpectedWrite[] {
        return this.writes.filter(write => write.isWatched(this.options.clock.now));
    }

    /** The newest first. */
    protected get settled(): ExpectedWrite[] {
        return this.writes.filter(({ isPending }) => !isPending).sort((one, other) => other.judged - one.judged);
    }

    protected add(write: ExpectedWrite): ExpectedWrite {
        this.writes.push(write);
        this.schedule();
        return write;
    }

    /** One look after the other: each begins with what the one before found. @param saved the stamp of what the IDE has written */
    protected look(writes: readonly ExpectedWrite[], saved?: string): Promise<void> {
        const paths = new Set(writes.map(({ review }) => review.file.path));
        this.looking = this.looking.then(async () => {
            await Promise.all([...paths].map(path => this.lookNow(path, saved)));
            this.schedule();
        });
        return this.looking;
    }

    protected async lookNow(path: string, saved: string | undefined): Promise<void> {
        const look = await this.options.files.look(path);
        const writes = this.watched.filter(({ review }) => review.file.path === path);
        const encoding = writes.find(({ review }) => review.encoding)?.review.encoding;
        const content = look && writes.some(write => write.mayHaveChanged(look.stamp)) ? await look.read(encoding) : undefined;
        // The same text may have been accepted again after it was not written.
        let taker =
            content && (writes.find(write => write.isPending && write.takes(content)) ?? writes.find(write => write.takes(content)));
        const judged: ExpectedWrite[] = [];
        for (const write of writes) {
            const other = writes.indexOf(write) < writes.indexOf(taker ?? write) ? 'later' : 'earlier';
            const by: OtherWriter | undefined = taker && taker !== write ? other : look && look.stamp === saved ? 'saved' : undefined;
            if (write.look(look && { stamp: look.stamp, content }, by, this.options.clock.now)) {
                taker ??= write.isWritten ? write : undefined;
                judged.push(write);
            }
        }
        for (const write of judged) {
            write.judged = ++this.verdicts;
            write.facts = await this.options.inspector.inspect(path);
        }
        if (judged.length > 0 && !this.isDisposed) {
            this.dropOld();
            this.onDidJudgeEmitter.fire(path);
        }
    }

    protected dropOld(): void {
        const { settled } = this;
        const tooOld = [settled.filter(isTold), settled.filter(write => !isTold(write))].flatMap(some => some.slice(MAX_JUDGED));
        this.writes = this.writes.filter(write => !tooOld.includes(write));
        let room = MAX_BYTES;
        for (const write of [...this.writes].reverse()) {
            const size = (write.before.content?.bytes?.length ?? 0) + (write.after?.length ?? 0);
            if (size <= room) {
                room -= size;
            } else {
                write.dropTexts();
            }
        }
    }

    protected schedule(): void {
        this.cancelTimer();
        const { clock } = this.options;
        const watched = this.isDisposed ? [] : this.watched;
        if (watched.length > 0) {
            const next = Math.min(...watched.map(({ nextLook }) => nextLook));
            this.cancelTimer = clock.after(Math.max(next - clock.now, 0), () => {
                void this.look(this.watched.filter(({ nextLook }) => nextLook <= clock.now));
            });
        }
    }
}

function isTold({ review: { state }, verdict }: ExpectedWrite): boolean {
    return state === 'accepted' || (state === 'closed' && (verdict === 'written' || verdict === 'formatted'));
}
