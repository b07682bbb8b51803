// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { WRITE_TIME } from '../../common/companion-limits';
import { Draft, DraftRef, KeptDraft, KeptReason, LateReason, PROPOSAL, ReviewAnswer, ShownText } from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import {
    DraftFate,
    FileLooks,
    isSameProcess,
    KEPT_TIME,
    OpenDraft,
    Review,
    ReviewOwner,
    ReviewPlace,
    ReviewQuestion,
    ReviewState,
    SettledDrafts,
    TextMark
} from './review';

/** Bounds on what is kept in memory; beyond them new reviews are refused. What users typed is never dropped for room. */
export const ReviewLimits = {
    /** Waiting reviews of one window: a CLI shows one diff at a time. */
    reviews: 100,
    /** Characters of all proposals and drafts together. */
    characters: 128 * 1024 * 1024,
    /** Ended reviews without drafts, remembered for answers and drafts that come late. */
    ended: 200
} as const;

/** How often the files of kept drafts are looked at, in milliseconds: a CLI or a person may have written one. */
const LOOK_TIME = 1_000;

/** How a review ended. */
export interface ReviewEnd {
    readonly review: Review;
    readonly state: Exclude<ReviewState, 'waiting' | 'closing'>;
    /** What the CLI was given, or what the user had made of the proposal if it was given nothing. */
    readonly text: string;
}

/** A draft that is to outlive the backend. */
export interface StoredDraft {
    readonly id: string;
    readonly revision: number;
    readonly text: string;
    readonly reviewId: string;
    /** Absolute path of the file. */
    readonly path: string;
    readonly cliName: string;
    readonly place: ReviewPlace;
    /** When it came, in milliseconds since the epoch. */
    readonly at: number;
    /** When a page first listed it; absent if none did. */
    readonly listedAt?: number;
}

/** What outlives the backend. */
export interface StoredDrafts {
    readonly drafts: readonly StoredDraft[];
    /** Those that are settled, but that a page may send again. */
    readonly settled: readonly DraftRef[];
}

export interface DraftStore {
    /** Hands over what ended backends have left, perhaps in several parts, also after it has returned. Never rejects. */
    claim(take: (left: StoredDrafts) => void): Promise<void>;
    /** From now on these are kept, and no others. */
    keep(stored: StoredDrafts): void;
    /** Resolves when what is kept is stored, or cannot be. */
    readonly saved: Promise<void>;
}

export interface ReviewsOptions {
    readonly files: FileLooks;
    /** Keeps drafts over the end of the backend. */
    readonly store?: DraftStore;
    /** A CLI's name for people. */
    readonly nameOf: (owner: ReviewOwner) => string;
}

/**
 * All reviews of the backend, waiting and ended, with what users typed into them: the only truth about them. A draft of an ended review
 * stays until the file has it or the user discards it.
 */
export class Reviews implements Disposable {
    protected readonly reviews = new Map<string, Review>();
    protected readonly settled = new SettledDrafts();
    /** What the files of ended reviews with drafts had last. */
    protected readonly fileNow = new Map<string, TextMark | undefined>();
    protected nextLook: NodeJS.Timeout | undefined;
    protected isLooking = false;
    protected disposed = false;
    /** What pages know of the kept drafts. */
    protected announced = '';

    protected readonly onDidChangeEmitter = new Emitter<void>();
    /** What pages know of reviews and drafts changed. */
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected readonly onDidOpenEmitter = new Emitter<Review>();
    readonly onDidOpen = this.onDidOpenEmitter.event;
    protected readonly onDidEndEmitter = new Emitter<ReviewEnd>();
    readonly onDidEnd = this.onDidEndEmitter.event;

    constructor(protected readonly options: ReviewsOptions) {}

    /** Takes over what ended backends have left: each draft is offered unless its file has it. Never rejects. */
    async restore(): Promise<void> {
        await this.options.store?.claim(left => this.takeOver(left));
    }

    /** Resolves when the drafts that were taken are on disk, or cannot be stored. */
    get stored(): Promise<void> {
        return this.options.store?.saved ?? Promise.resolve();
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

    /** Throws if there is no room. */
    open(question: ReviewQuestion): Review {
        const waiting = this.waiting().filter(({ place }) => place.windowId === question.place.windowId).length;
        if (waiting >= ReviewLimits.reviews) {
            throw new Error(`Too many diffs are open (${waiting}); accept or reject some of them first`);
        }
        const size = [...this.reviews.values()].reduce((sum, review) => sum + review.size, question.proposal.length);
        if (size > ReviewLimits.characters) {
            throw new Error(
                'The open diffs and the edits that the IDE keeps take too much memory; answer some of the diffs, or discard some of the edits'
            );
        }
        const review = new Review(question, this.settled);
        this.reviews.set(review.id, review);
        this.onDidOpenEmitter.fire(review);
        this.changed();
        return review;
    }

    /** Throws if the text is not known. @param loadId of the page whose user answers */
    accept(review: Review, shown: ShownText, loadId: string): ReviewAnswer {
        if (!review.isWaiting) {
            return this.late(review, 'accepted', loadId);
        }
        const content = this.textOf(review, shown);
        if (content === undefined) {
            throw new Error('The text that you accepted is not kept any more');
        }
        if (content === '' && review.proposal !== '') {
            // No page of ours sends it. Both CLIs would write their own proposal instead (Gemini CLI 0.61, Qwen Code 0.24).
            throw new Error('A CLI cannot empty a file');
        }
        review.answeredBy = loadId;
        this.end(review, 'accepted', content, content);
        const { id: reviewId, filePath } = review;
        if (!review.owner?.notify({ method: 'ide/diffAccepted', params: { filePath, content }, reviewId })) {
            this.undelivered(reviewId);
        }
        return { result: 'done' };
    }

    reject(review: Review, loadId: string): ReviewAnswer {
        if (!review.isWaiting) {
            return this.late(review, 'rejected', loadId);
        }
        review.answeredBy = loadId;
        this.end(review, 'rejected', review.text);
        const { id: reviewId, filePath } = review;
        review.owner?.notify({ method: 'ide/diffRejected', params: { filePath }, reviewId });
        return { result: 'done' };
    }

    /**
     * The CLI closes the diff: it knows, so nothing is sent to it.
     *
     * @param askPage for the text that the user sees
     * @param answeredInTerminal otherwise the CLI ends, or its IDE mode
     * @returns the right side as the user left it; `undefined` if there is no such diff
     */
    async close(
        owner: ReviewOwner,
        windowId: string,
        filePath: string,
        answeredInTerminal: boolean,
        askPage: (review: Review) => Promise<ShownText | undefined>
    ): Promise<string | undefined> {
        const review = this.waitingFor(owner, windowId).find(one => one.filePath === filePath);
        if (!review) {
            return undefined;
        }
        review.state = 'closing';
        const text = this.textOf(review, (await askPage(review)) ?? {}) ?? review.text;
        review.answeredInTerminal = answeredInTerminal;
        // Unless its server stopped meanwhile.
        if (review.state === ('closing' as ReviewState)) {
            this.end(review, 'closed', text, answeredInTerminal ? text : undefined);
        }
        return text;
    }

    /** A review that cannot be shown: the tool's error tells the CLI. */
    refuse(review: Review): void {
        if (review.isWaiting) {
            this.end(review, 'closed', review.text);
        }
    }

    /**
     * This process asks for another diff of the file. It finds outcomes by the path: an answer to an earlier question would answer this one. So
     * an earlier review ends, and what the CLI was told of one that has ended does not count any more.
     */
    replace(owner: ReviewOwner, windowId: string, filePath: string): void {
        for (const review of this.ofProcess(owner, windowId)) {
            if (review.filePath === filePath && review.isWaiting) {
                this.end(review, 'replaced', review.text);
            } else if (review.filePath === filePath && review.told) {
                // The CLI may have written the answer that it got.
                void this.lookAt(review.file.path).then(() => {
                    if (review.drafts.some(draft => this.fateOf(review, draft) === 'due')) {
                        this.undelivered(review.id);
                    }
                });
            }
        }
    }

    /** The outcome of this review can no longer reach its CLI. */
    undelivered(reviewId: string): void {
        const review = this.reviews.get(reviewId);
        if (review) {
            review.told = undefined;
            this.changed();
        }
    }

    /** Another session of the same process takes over: the CLI still waits for these outcomes. */
    handOver(from: ReviewOwner, to: ReviewOwner): void {
        this.reviews.forEach(review => {
            if (review.owner === from) {
                review.owner = to;
            }
        });
    }

    /** Of a process that became known after its sessions had asked for diffs of one file, only the newest of these counts. */
    closeSuperseded(owner: ReviewOwner, windowId: string): void {
        this.waitingFor(owner, windowId)
            .filter((review, index, all) => all.slice(index + 1).some(({ filePath }) => filePath === review.filePath))
            .forEach(review => this.end(review, 'replaced', review.text));
    }

    /** No session is left to notify. @param concerns by the session that asked, or by the window */
    orphan(concerns: (review: Review) => boolean): void {
        for (const review of this.reviews.values()) {
            if ((review.isWaiting || review.state === 'closing') && concerns(review)) {
                this.end(review, 'orphaned', review.text);
            }
        }
    }

    /** @param place of the page, for a review that nobody knows any more */
    take(reviewId: string, draft: Draft, place: ReviewPlace): void {
        const now = Date.now();
        const review = this.reviews.get(reviewId) ?? this.ended(reviewId, FileUri.fsPath(draft.about.uri), draft.about.cliName, place, now);
        review.take(draft, now);
        if (review.endedAt > 0) {
            this.options.store?.keep(this.toStore);
            // The file may have it already: then it is not offered.
            void this.lookAt(review.file.path).then(() => this.changed());
            this.lookSoon();
        } else {
            this.changed();
        }
    }

    /** Drafts that the file does not have: of ended reviews, and those of waiting reviews that are not shown. */
    kept(belongs: (review: Review) => boolean): KeptDraft[] {
        return [...this.reviews.values()].filter(belongs).flatMap(review => this.keptOf(review));
    }

    /** A page lists these: their time begins, unless their review still waits. */
    noteListed(kept: readonly DraftRef[]): void {
        const ids = new Set(kept.map(({ id }) => id));
        const ended = [...this.reviews.values()].filter(({ endedAt }) => endedAt > 0);
        const fresh = ended.flatMap(({ drafts }) => drafts).filter(({ id, listedAt }) => ids.has(id) && listedAt === undefined);
        fresh.forEach(draft => (draft.listedAt = Date.now()));
        if (fresh.length > 0 && !this.disposed) {
            this.options.store?.keep(this.toStore);
        }
    }

    /** The text of a draft, whether it is kept or on the screen. */
    read(draftId: string, belongs: (review: Review) => boolean): string | undefined {
        const drafts = [...this.reviews.values()].filter(belongs).flatMap(review => review.drafts);
        return drafts.find(({ id }) => id === draftId)?.text;
    }

    /** Exactly this revision: a later one is a new text. */
    discard(draft: DraftRef, belongs: (review: Review) => boolean): void {
        const review = [...this.reviews.values()].find(({ drafts }) => drafts.some(({ id }) => id === draft.id));
        if (!review) {
            // It may come later.
            this.settled.add(draft);
        } else if (belongs(review)) {
            review.settle(draft);
        }
        this.changed();
    }

    dispose(): void {
        this.orphan(() => true);
        this.disposed = true;
        clearTimeout(this.nextLook);
        this.onDidOpenEmitter.dispose();
        this.onDidEndEmitter.dispose();
        this.onDidChangeEmitter.dispose();
    }

    protected takeOver({ drafts, settled }: StoredDrafts): void {
        for (const draft of settled) {
            this.settled.add(draft);
            // Its page may have sent it again before this folder could be read.
            this.reviews.forEach(review => review.settle(draft));
        }
        for (const { reviewId, path, cliName, place, at, listedAt, ...draft } of drafts) {
            const review = this.reviews.get(reviewId) ?? this.ended(reviewId, path, cliName, place, at);
            review.take({ ...draft, about: { uri: '', cliName } }, at);
            review.drafts.filter(({ id }) => id === draft.id).forEach(restored => (restored.listedAt = listedAt));
            void this.lookAt(path).then(() => this.changed());
        }
        this.changed();
        this.lookSoon();
    }

    protected ofProcess(owner: ReviewOwner, windowId: string): Review[] {
        return [...this.reviews.values()].filter(
            review => review.place.windowId === windowId && review.owner && isSameProcess(review.owner, owner)
        );
    }

    /** @returns `undefined` if it is no longer known */
    protected textOf(review: Review, { draft, text }: ShownText): string | undefined {
        if (!draft) {
            return review.text;
        }
        if (draft.id === PROPOSAL.id) {
            return review.proposal;
        }
        if (text !== undefined) {
            review.take({ ...draft, text, about: { uri: '', cliName: '' } }, Date.now());
            return text;
        }
        return review.drafts.find(({ id, revision }) => id === draft.id && revision === draft.revision)?.text;
    }

    /** If a page asks again because it lost the first answer, it is not late. */
    protected late(review: Review, wanted: 'accepted' | 'rejected', loadId: string): ReviewAnswer {
        const { state, answeredBy } = review;
        if (state === wanted && answeredBy === loadId) {
            return { result: 'done' };
        }
        const how: Partial<Record<ReviewState, LateReason>> = { accepted: 'accepted', rejected: 'rejected', orphaned: 'orphaned' };
        return { result: 'late', how: how[state] ?? 'closed' };
    }

    protected end(review: Review, state: ReviewEnd['state'], text: string, told?: string): void {
        review.state = state;
        review.endedAt = Date.now();
        review.told = told === undefined ? undefined : new TextMark(told);
        review.cliName = this.nameOf(review);
        this.onDidEndEmitter.fire({ review, state, text });
        this.changed();
        this.lookSoon();
        if (review.drafts.length > 0) {
            void this.lookAt(review.file.path);
        }
    }

    /** One that is no longer known. */
    protected ended(id: string, path: string, cliName: string, place: ReviewPlace, endedAt: number): Review {
        const question = { owner: undefined, filePath: path, proposal: '', file: { path, realPath: path }, place };
        const review = new Review(question, this.settled, id);
        review.state = 'orphaned';
        review.endedAt = endedAt;
        review.cliName = cliName;
        this.reviews.set(id, review);
        return review;
    }

    /** What is to outlive the backend. */
    protected get toStore(): StoredDrafts {
        const drafts = [...this.reviews.values()].flatMap(review => {
            const { id: reviewId, file, place } = review;
            const cliName = this.nameOf(review);
            return review.drafts.map(({ id, revision, text, at, listedAt }) => ({
                id,
                revision,
                text,
                at,
                listedAt,
                reviewId,
                path: file.path,
                cliName,
                place
            }));
        });
        return { drafts, settled: this.settled.all };
    }

    protected keptOf(review: Review): KeptDraft[] {
        const { file } = review;
        return review.drafts.flatMap(draft => {
            const fate = this.fateOf(review, draft);
            const isElsewhere = fate === 'open' && draft !== review.newest && !draft.mark.is(review.proposalMark);
            if (fate !== 'offered' && fate !== 'listed' && !isElsewhere) {
                return [];
            }
            const { id, revision, at, listedAt = Date.now() } = draft;
            return {
                id,
                revision,
                reviewId: review.id,
                path: visibleText(file.path),
                uri: FileUri.create(file.path).toString(),
                cliName: this.nameOf(review),
                reason: reasonOf(review, draft),
                keptAt: Math.max(at, review.endedAt),
                keptUntil: listedAt + KEPT_TIME,
                ...(fate === 'offered' ? {} : { quiet: true as const })
            };
        });
    }

    protected fateOf(review: Review, draft: OpenDraft): DraftFate {
        return review.fateOf(draft, this.fileNow.get(review.file.path), Date.now());
    }

    /** The only way out: settles what the file has, forgets what is no longer needed, and notifies the pages. */
    protected changed(): void {
        if (this.disposed) {
            return;
        }
        for (const review of this.reviews.values()) {
            review.drafts.filter(draft => this.fateOf(review, draft) === 'settled').forEach(draft => review.settle(draft));
        }
        const done = [...this.reviews.values()].filter(({ endedAt, drafts }) => endedAt > 0 && drafts.length === 0);
        done.slice(0, -ReviewLimits.ended).forEach(({ id }) => this.reviews.delete(id));
        // Nobody looks at the file of a review that only waits.
        const kept = [...this.reviews.values()].filter(({ endedAt, drafts }) => endedAt > 0 && drafts.length > 0);
        const files = new Set(kept.map(({ file }) => file.path));
        [...this.fileNow.keys()].filter(path => !files.has(path)).forEach(path => this.fileNow.delete(path));
        this.announced = this.summary;
        this.options.store?.keep(this.toStore);
        this.onDidChangeEmitter.fire();
    }

    protected get summary(): string {
        return JSON.stringify(this.kept(() => true).map(({ id, revision, quiet, reason }) => [id, revision, quiet, reason]));
    }

    /** As long as an ended review has drafts, or texts that are no longer needed. */
    protected lookSoon(): void {
        if (this.disposed || this.isLooking) {
            return;
        }
        this.isLooking = true;
        this.nextLook = setTimeout(() => void this.look(), LOOK_TIME).unref();
    }

    protected async look(): Promise<void> {
        const now = Date.now();
        const ended = [...this.reviews.values()].filter(({ state }) => state !== 'waiting' && state !== 'closing');
        ended.filter(({ drafts, endedAt }) => drafts.length === 0 || now > endedAt + WRITE_TIME).forEach(review => review.release());
        const kept = ended.filter(({ drafts }) => drafts.length > 0);
        for (const review of kept) {
            review.drafts.filter(({ listedAt = now }) => now > listedAt + KEPT_TIME).forEach(draft => review.settle(draft));
        }
        await Promise.all([...new Set(kept.map(({ file }) => file.path))].map(path => this.lookAt(path)));
        this.isLooking = false;
        // Others may have ended meanwhile.
        if ([...this.reviews.values()].some(({ endedAt, drafts, owner }) => endedAt > 0 && (drafts.length > 0 || owner !== undefined))) {
            this.lookSoon();
        }
    }

    protected async lookAt(path: string): Promise<void> {
        const mark = await this.options.files.look(path);
        if (this.disposed) {
            return;
        }
        this.fileNow.set(path, mark);
        const ended = [...this.reviews.values()].filter(({ file, endedAt }) => file.path === path && endedAt > 0);
        ended.forEach(review => (review.fileThen ??= mark));
        if (
            this.summary !== this.announced ||
            ended.some(review => review.drafts.some(draft => this.fateOf(review, draft) === 'settled'))
        ) {
            this.changed();
        }
    }
}

function reasonOf({ state, told, answeredInTerminal, endedAt }: Review, draft: OpenDraft): KeptReason {
    switch (state) {
        case 'waiting':
        case 'closing':
            return 'elsewhere';
        case 'accepted':
            return !told || told.is(draft.mark) ? 'notWritten' : draft.at > endedAt ? 'late' : 'elsewhere';
        case 'closed':
            return draft.at > endedAt ? 'late' : answeredInTerminal ? 'terminal' : 'ended';
        case 'rejected':
            return draft.at > endedAt ? 'late' : 'rejected';
        case 'replaced':
            return 'replaced';
        case 'orphaned':
            return 'ended';
    }
}
