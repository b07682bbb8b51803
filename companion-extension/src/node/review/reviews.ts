// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { Clock, SystemClock } from '../../common/clock';
import {
    FileFacts,
    KeptReason,
    LateReason,
    ReviewAnswer,
    ReviewSave,
    ReviewTraits,
    SeenFile,
    ShownText
} from '../../common/companion-protocol';
import { isSameText } from '../../common/same-text';
import { isSameProcess } from '../host/process-table';
import { coversRevision, editId, isSameRevision, PROPOSAL, Revision } from '../../common/revision';
import { ExpectedWrite } from './expected-write';
import { ExpectedWrites } from './expected-writes';
import { EditStore, KeptEdit, KeptEdits, StoredEdit } from './kept-edits';
import { Review, ReviewOwner, ReviewPlace, ReviewQuestion, ReviewState } from './review';
import { FileInspector } from '../host/file-inspector';
import { FileTexts } from './file-texts';
import { WriteJudge } from './write-judge';

/** Bounds on what is kept in memory; beyond them new reviews are refused. What users typed is never dropped for room. */
export const ReviewLimits = {
    /** Waiting reviews of one window: a CLI shows one diff at a time. */
    reviews: 100,
    /** Characters of all proposals and kept edits together. */
    characters: 128 * 1024 * 1024,
    /** Ended reviews that are remembered, for answers and texts that come late. */
    ended: 200
} as const;

/** How a review ended. */
interface ReviewEnd {
    readonly review: Review;
    readonly state: Exclude<ReviewState, 'waiting' | 'closing'>;
    /** The text that the CLI was given, or else the right side at the end. */
    readonly text: string;
}

interface ReviewsOptions {
    readonly files: Pick<FileTexts, 'look' | 'isGone'>;
    readonly inspector: Pick<FileInspector, 'inspect'>;
    /** Keeps texts over the end of the backend. */
    readonly store?: EditStore;
    /** A CLI's name for people. */
    readonly nameOf: (owner: ReviewOwner) => string;
    readonly traitsOf: (cliId: string) => ReviewTraits;
    /** Whether a window of this backend lists an edit. */
    readonly concerns?: (edit: StoredEdit) => boolean;
    /** Whether the file is shared with no CLI: of it no text is kept. */
    readonly isPrivate?: (review: Pick<Review, 'file' | 'place'>) => Promise<boolean>;
    readonly clock?: Clock;
    /** The day, as `2026-11-26`. */
    readonly today?: () => string;
}

/** A text of a review; without one: the proposal. */
interface RevisedText {
    readonly revision: Revision;
    readonly text?: string;
}

/** All reviews of the backend, with the one text that each has: the only truth about them. */
export class Reviews implements Disposable {
    protected readonly reviews = new Map<string, Review>();
    protected readonly edits: KeptEdits;
    protected readonly clock: Clock;
    /** What CLIs were told to write, and what became of it. */
    readonly writes: ExpectedWrites;
    protected disposed = false;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    /** Fires when pages must learn something about reviews or kept edits. */
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected readonly onDidOpenEmitter = new Emitter<Review>();
    readonly onDidOpen = this.onDidOpenEmitter.event;
    protected readonly onDidEndEmitter = new Emitter<ReviewEnd>();
    readonly onDidEnd = this.onDidEndEmitter.event;

    constructor(protected readonly options: ReviewsOptions) {
        this.clock = options.clock ?? new SystemClock();
        const { files, inspector, isPrivate = async () => false } = options;
        this.writes = new ExpectedWrites({ files, inspector, clock: this.clock, isPrivate });
        this.edits = new KeptEdits({
            files,
            writes: this.writes,
            store: options.store,
            clock: this.clock,
            today: options.today ?? (() => new Date().toISOString().slice(0, 10)),
            concerns: options.concerns ?? (() => true),
            waiting: () => this.waitingEdits
        });
        this.writes.onDidJudge(path => void this.edits.lookAt(path).then(() => this.update()));
        this.edits.onDidChange(() => void this.settle().catch(() => undefined));
    }

    find(id: string): Review | undefined {
        return this.reviews.get(id);
    }

    /** The name of its CLI for people. */
    nameOf({ cliName, owner }: Review): string {
        return cliName ?? (owner ? this.options.nameOf(owner) : '');
    }

    /** The oldest first. */
    waiting(): Review[] {
        return [...this.reviews.values()].filter(({ isWaiting }) => isWaiting);
    }

    /** The waiting reviews of a window that this session or another one of its process asked for, the oldest first. */
    waitingFor(owner: ReviewOwner, windowId: string): Review[] {
        return this.ofProcess(owner, windowId).filter(({ isWaiting }) => isWaiting);
    }

    // --- the CLI

    /** Throws if there is no room. */
    open(question: ReviewQuestion): Review {
        const waiting = this.waiting().filter(({ place }) => place.windowId === question.place.windowId).length;
        if (waiting >= ReviewLimits.reviews) {
            throw new Error(`Too many diffs are open (${waiting}); accept or reject some of them first`);
        }
        const size = [...this.reviews.values()].reduce(
            (sum, review) => sum + review.size,
            this.edits.sizeIn(question.place) + question.proposal.length
        );
        if (size > ReviewLimits.characters) {
            throw new Error(
                'The open diffs and the edits that the IDE keeps take too much memory; answer some of the diffs, or discard some of the edits'
            );
        }
        const review = new Review(question);
        this.reviews.set(review.id, review);
        // Answered in the terminal, the file may be written before anybody hears of the answer.
        void this.writes.prepare(review);
        this.onDidOpenEmitter.fire(review);
        this.update();
        return review;
    }

    /**
     * The CLI closes the diff: it knows, so nothing is sent to it.
     *
     * @param askPages takes what they have not sent yet
     * @param answeredInTerminal otherwise the CLI ends, or its IDE mode
     * @returns the right side as the user left it; `undefined` if there is no such diff
     */
    async close(
        owner: ReviewOwner,
        windowId: string,
        filePath: string,
        answeredInTerminal: boolean,
        askPages: (review: Review) => Promise<void>
    ): Promise<string | undefined> {
        const review = this.waitingFor(owner, windowId).find(waiting => waiting.filePath === filePath);
        if (!review) {
            return undefined;
        }
        review.state = 'closing';
        await askPages(review);
        if (review.state !== ('closing' as ReviewState)) {
            // Its session has ended meanwhile.
            return undefined;
        }
        const { shown } = review;
        review.answeredInTerminal = answeredInTerminal;
        // A CLI that writes its own text drops that of the user.
        const isDropped = this.options.traitsOf(owner.cliId).dropsEditsInTerminal === true;
        this.end(review, 'closed', answeredInTerminal && !isDropped ? review : undefined);
        return shown;
    }

    /** A review that cannot be shown: the tool's error tells the CLI. */
    refuse(review: Review): void {
        if (review.isWaiting) {
            this.end(review, 'closed');
        }
    }

    /**
     * This process asks for another diff of the file. It finds outcomes by the path: an answer to an earlier question would answer this one. So
     * an earlier review ends, and what the CLI was told of one that has ended does not count any more.
     */
    replace(owner: ReviewOwner, windowId: string, filePath: string): void {
        for (const review of this.ofProcess(owner, windowId).filter(asked => asked.filePath === filePath)) {
            if (review.isWaiting) {
                this.end(review, 'replaced');
            } else if (this.edits.of(review.id).length > 0) {
                // The CLI may have written the answer that it got.
                void this.writes.lookAtFile(review.file.path).then(() => this.edits.release(review.id));
            }
        }
    }

    /** The outcome of this review can no longer reach its CLI. */
    markUndelivered(reviewId: string): void {
        this.edits.release(reviewId);
    }

    /** Another session of the same process takes over: the CLI still waits for these outcomes. */
    handOver(from: ReviewOwner, to: ReviewOwner): void {
        this.reviews.forEach(review => {
            if (review.owner === from) {
                review.owner = to;
            }
        });
    }

    /** Closes all but the newest diff of each file of a process that became known only after its sessions had asked. */
    closeSuperseded(owner: ReviewOwner, windowId: string): void {
        this.waitingFor(owner, windowId)
            .filter((review, index, all) => all.slice(index + 1).some(({ filePath }) => filePath === review.filePath))
            .forEach(review => this.end(review, 'replaced'));
    }

    /**
     * No session is left to notify.
     *
     * @param concerns by the session that asked, or by the window
     * @param reason who ended it: the CLI, or the IDE
     */
    orphan(concerns: (review: Review) => boolean, reason: 'ended' | 'stopped'): void {
        for (const review of [...this.reviews.values()].filter(concerns)) {
            if (!review.hasEnded) {
                this.end(review, 'orphaned', undefined, reason);
            }
            review.owner = undefined;
        }
    }

    // --- the pages

    /** Accepts if the file is what the user saw. Otherwise no outcome leaves, and the review waits with its text. */
    async acceptSeen(review: Review, shown: ShownText, loadId: string, seen: SeenFile | undefined): Promise<ReviewAnswer> {
        const preparing = review.isWaiting && this.writes.prepare(review, shown.encoding);
        const { state: file } = seen && review.isWaiting ? await this.inspect(review.file.path, seen) : { state: 'same' as const };
        await preparing;
        return file === 'same' || !review.isWaiting ? this.accept(review, shown, loadId) : { result: 'notSame', file };
    }

    inspect(path: string, seen?: SeenFile): Promise<FileFacts> {
        return this.options.inspector.inspect(path, seen);
    }

    /**
     * The first answer wins. Throws if the CLI cannot take it.
     *
     * @param loadId of the page whose user answers
     */
    accept(review: Review, shown: ShownText, loadId: string): ReviewAnswer {
        if (!review.isWaiting) {
            return this.answerLate(review, 'accepted', loadId);
        }
        review.encoding = shown.encoding ?? review.encoding;
        const told = this.findText(review, shown);
        if (!told) {
            return { result: 'textNeeded' };
        }
        const content = told.text ?? review.proposal;
        if (content === '' && review.proposal !== '') {
            // No page of ours sends it. Both CLIs would write their own proposal instead (Gemini CLI 0.61, Qwen Code 0.24).
            throw new Error('A CLI cannot empty a file');
        }
        review.answeredBy = loadId;
        this.end(review, 'accepted', told);
        const { id: reviewId, filePath } = review;
        if (!review.owner?.notify({ method: 'ide/diffAccepted', params: { filePath, content }, reviewId })) {
            this.markUndelivered(reviewId);
        }
        return { result: 'done' };
    }

    reject(review: Review, loadId: string): ReviewAnswer {
        if (!review.isWaiting) {
            return this.answerLate(review, 'rejected', loadId);
        }
        review.answeredBy = loadId;
        this.end(review, 'rejected');
        const { id: reviewId, filePath } = review;
        review.owner?.notify({ method: 'ide/diffRejected', params: { filePath }, reviewId });
        return { result: 'done' };
    }

    /**
     * The one way in for what was typed, whatever became of its review. The last one who typed wins, also if the text comes from a page that
     * was away; what the other one typed, and nobody went on with, becomes a kept edit.
     *
     * @param place of the page, for a review that nobody knows any more
     * @returns when it is on disk. Rejects if it cannot be stored
     */
    save({ about, revision, base, text, encoding, ago = 0, apart }: ReviewSave, place: ReviewPlace): Promise<void> {
        const review = this.reviews.get(about.reviewId) ?? this.forgotten(about, place);
        review.encoding = encoding ?? review.encoding;
        if (!review.isKnown(revision)) {
            review.markKnown(base, revision);
            this.edits.dropContinued(review.id, base);
            const typedAt = this.clock.now - ago;
            const isTypedOn = coversRevision(base, review.revision);
            if (review.hasEnded || apart) {
                this.keep(review, { revision, text }, review.hasEnded ? 'late' : 'elsewhere');
            } else if (!isTypedOn && typedAt < review.typedAt) {
                this.keep(review, { revision, text }, 'elsewhere');
            } else {
                if (!isTypedOn) {
                    this.keep(review, review, 'elsewhere');
                }
                review.text = text;
                review.revision = revision;
                review.typedAt = typedAt;
                this.edits.dropShown(review);
            }
        }
        return this.settle();
    }

    /** Kept edits that these windows list, the oldest first. */
    listEdits(belongs: (edit: StoredEdit) => boolean): KeptEdit[] {
        return this.edits.listed.filter(belongs);
    }

    /** A page lists these. */
    noteListed(kept: readonly KeptEdit[]): void {
        if (!this.disposed && this.edits.countDay(kept)) {
            void this.edits.store().catch(() => undefined);
        }
    }

    findEdit(id: string): KeptEdit | undefined {
        return this.edits.find(id);
    }

    /** @returns when that is on disk. Rejects if it cannot be stored */
    discard(id: string): Promise<void> {
        this.edits.discard(id);
        return this.settle();
    }

    /** Somebody looks at the kept edits: reads what other backends have left, and drops what the files have. Never rejects. */
    look(): Promise<void> {
        return this.edits.look();
    }

    /** The IDE has written this file: it may have a kept edit now. Never rejects. */
    lookAtWritten(file: string): Promise<void> {
        return this.edits.lookAtWritten(file);
    }

    /** @returns when every text is on disk. Rejects if they cannot be stored */
    store(): Promise<void> {
        return this.edits.store();
    }

    dispose(): void {
        this.orphan(() => true, 'stopped');
        this.disposed = true;
        this.edits.dispose();
        this.writes.dispose();
        this.onDidOpenEmitter.dispose();
        this.onDidEndEmitter.dispose();
        this.onDidChangeEmitter.dispose();
    }

    protected ofProcess(owner: ReviewOwner, windowId: string): Review[] {
        return [...this.reviews.values()].filter(
            review => review.place.windowId === windowId && review.owner && isSameProcess(review.owner, owner)
        );
    }

    /** @returns `undefined` if it is not here */
    protected findText(review: Review, { revision, text }: ShownText): RevisedText | undefined {
        if (isSameRevision(revision, PROPOSAL)) {
            return { revision };
        }
        if (isSameRevision(revision, review.revision)) {
            return review;
        }
        return text === undefined ? this.edits.find(editId(review.id, revision)) : { revision, text };
    }

    /** If a page asks again because it lost the first answer, it is not late. */
    protected answerLate(review: Review, wanted: 'accepted' | 'rejected', loadId: string): ReviewAnswer {
        const { state, answeredBy } = review;
        if (state === wanted && answeredBy === loadId) {
            return { result: 'done' };
        }
        const how: Partial<Record<ReviewState, LateReason>> = { accepted: 'accepted', rejected: 'rejected', orphaned: 'orphaned' };
        return { result: 'late', how: how[state] ?? 'closed' };
    }

    /** @param told the text that the CLI may write; absent if it writes nothing of ours */
    protected end(review: Review, state: ReviewEnd['state'], told?: RevisedText, reason?: KeptReason): void {
        review.state = state;
        review.cliName = this.nameOf(review);
        const text = state === 'accepted' ? (told?.text ?? review.proposal) : review.shown;
        this.onDidEndEmitter.fire({ review, state, text });
        if (told ?? review.answeredInTerminal) {
            // A CLI that drops the user's text writes its own.
            this.expect(review, told ?? { revision: PROPOSAL });
        }
        if (!told || !isSameRevision(told.revision, review.revision)) {
            this.keep(review, review, reason ?? review.keptReason);
        }
        review.release();
        this.update();
    }

    /** A CLI may write this text. */
    protected expect(review: Review, { revision, text = review.proposal }: RevisedText): void {
        const write = this.writes.expect(review, new WriteJudge(review.proposal, text));
        this.keep(review, { revision, text }, review.state === 'accepted' ? 'notWritten' : 'terminal', write);
    }

    /** @param write of the CLI that was told it */
    protected keep(review: Review, { revision, text }: RevisedText, reason: KeptReason, write?: ExpectedWrite): void {
        if (text !== undefined && text !== '' && !isSameText(text, review.proposal)) {
            const told = write && { told: { at: Date.now(), before: write.before.hash } };
            const judge = write?.judge ?? new WriteJudge(review.proposal, text);
            this.edits.keep({ ...this.describe(review, revision, text), reason, ...told }, judge, write);
        }
    }

    /** A review that is no longer known. Its texts come late. */
    protected forgotten({ reviewId, uri, cliName }: ReviewSave['about'], place: ReviewPlace): Review {
        const path = FileUri.fsPath(uri);
        const review = new Review({ owner: undefined, filePath: path, proposal: '', file: { path, realPath: path }, place }, reviewId);
        review.state = 'orphaned';
        review.cliName = cliName;
        // A page may send again what an earlier backend had.
        this.edits.of(reviewId).forEach(({ revision }) => review.markKnown([], revision));
        this.reviews.set(reviewId, review);
        return review;
    }

    protected get waitingEdits(): StoredEdit[] {
        return [...this.reviews.values()].flatMap(review => {
            const { hasEnded, revision, text } = review;
            return hasEnded || text === undefined ? [] : { ...this.describe(review, revision, text), waits: true as const };
        });
    }

    protected describe(review: Review, revision: Revision, text: string): StoredEdit {
        const { id: reviewId, file, place, encoding } = review;
        return {
            id: editId(reviewId, revision),
            reviewId,
            revision,
            text,
            encoding,
            path: file.path,
            cliName: this.nameOf(review),
            place,
            // While it waits, and another backend finds it.
            reason: 'stopped',
            keptAt: Date.now(),
            days: 0,
            lastDay: ''
        };
    }

    protected update(): void {
        void this.settle().catch(() => undefined);
    }

    /**
     * The only way out: forgets what is no longer needed, stores the rest, and tells the pages.
     *
     * @returns when it is on disk. Rejects if it cannot be stored
     */
    protected settle(): Promise<void> {
        if (this.disposed) {
            // Nobody is told any more, but a text that still comes is confirmed only when it is on disk.
            return this.edits.store();
        }
        const ended = [...this.reviews.values()].filter(({ hasEnded }) => hasEnded);
        ended.slice(0, -ReviewLimits.ended).forEach(({ id }) => this.reviews.delete(id));
        this.onDidChangeEmitter.fire();
        return this.edits.store();
    }
}
