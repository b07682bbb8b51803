// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { DropReason, ReviewAnswer, ReviewEdit, ReviewEditAnswer, ShownText } from '../../common/companion-protocol';
import { isSameProcess, Review, ReviewFile, ReviewOwner, ReviewState } from './review';

/** Bounds on what waiting reviews may hold; each CLI shows one diff at a time. */
export const ReviewLimits = {
    /** Waiting reviews of one server. */
    reviews: 100,
    /** Characters of all their proposals and edits together. */
    characters: 128 * 1024 * 1024
} as const;

/** How a review ended. */
export interface ReviewEnd {
    readonly review: Review;
    readonly state: Exclude<ReviewState, 'pending'>;
    /** What the CLI was given, or what the user had made of the proposal if it was given nothing. */
    readonly text: string;
    /** Why the CLI does not get {@link text}; absent if it does, or is asked whether it takes it. */
    readonly dropped?: DropReason;
}

/** The waiting reviews of one server, and who may answer them. */
export class ReviewStore {
    protected readonly reviews = new Map<string, Review>();

    protected readonly onDidChangeEmitter = new Emitter<void>();
    /** A review began to wait or ended. */
    readonly onDidChange = this.onDidChangeEmitter.event;

    protected readonly onDidOpenEmitter = new Emitter<Review>();
    readonly onDidOpen = this.onDidOpenEmitter.event;

    protected readonly onDidEndEmitter = new Emitter<ReviewEnd>();
    readonly onDidEnd = this.onDidEndEmitter.event;

    /** How many wait. */
    get size(): number {
        return this.reviews.size;
    }

    waiting(): readonly Review[] {
        return [...this.reviews.values()];
    }

    get(id: string): Review | undefined {
        return this.reviews.get(id);
    }

    /** Takes the place of an earlier one as {@link replace} does. Throws if too many wait. */
    open(owner: ReviewOwner, filePath: string, proposal: string, file: ReviewFile): Review {
        this.replace(owner, filePath);
        const others = this.waiting();
        if (others.length >= ReviewLimits.reviews || sizeOf(others) + proposal.length > ReviewLimits.characters) {
            throw new Error(`Too many diffs are open (${others.length}); accept or reject some of them first`);
        }
        const review = new Review(owner, filePath, proposal, file);
        this.reviews.set(review.id, review);
        this.onDidOpenEmitter.fire(review);
        this.onDidChangeEmitter.fire();
        return review;
    }

    accept(id: string, shown: ShownText): ReviewAnswer {
        const review = this.reviews.get(id);
        if (!review) {
            return { result: 'late', how: 'unknown' };
        }
        if (shown.version && !review.isAt(shown.version)) {
            return { result: 'textNeeded' };
        }
        const content = textOf(review, shown);
        if (content === '' && review.proposal !== '') {
            return { result: 'emptied' };
        }
        this.end(review, 'accepted', { text: content });
        review.owner.notify({ method: 'ide/diffAccepted', params: { filePath: review.filePath, content } });
        return { result: 'done' };
    }

    reject(id: string, shown: ShownText = {}): ReviewAnswer {
        const review = this.reviews.get(id);
        if (!review) {
            return { result: 'late', how: 'unknown' };
        }
        this.end(review, 'rejected', { text: textOf(review, shown), dropped: 'rejected' });
        review.owner.notify({ method: 'ide/diffRejected', params: { filePath: review.filePath } });
        return { result: 'done' };
    }

    /** Ends a review of this session's process without a notification: the CLI knows. */
    close(owner: ReviewOwner, filePath: string): Review | undefined {
        const review = this.own(owner, filePath);
        return review && this.end(review, 'closed') ? review : undefined;
    }

    /**
     * Ends a review of this session's process, without a notification, because the CLI asks for another diff of the file. Whether that
     * one can be shown or not, the CLI would take an answer to the earlier one for an answer to it.
     */
    replace(owner: ReviewOwner, filePath: string): void {
        const review = this.own(owner, filePath);
        if (review) {
            this.end(review, 'closed', { dropped: 'replaced' });
        }
    }

    /** A review that cannot be shown: the tool's error tells the CLI. */
    discard(review: Review): void {
        this.end(review, 'closed');
    }

    /** @param writer the load of the page */
    edit(id: string, writer: string, edit: ReviewEdit): ReviewEditAnswer {
        const review = this.reviews.get(id);
        const others = this.waiting().filter(other => other !== review);
        if (review && sizeOf(others) + review.proposal.length + (edit.text?.length ?? 0) > ReviewLimits.characters) {
            return { result: 'full' };
        }
        return { result: review?.edit(writer, edit) ? 'done' : 'late' };
    }

    /** Another session of the same process takes over: the CLI still waits for these outcomes. */
    handOver(from: ReviewOwner, to: ReviewOwner): void {
        this.waiting()
            .filter(review => review.owner === from)
            .forEach(review => review.handOverTo(to));
    }

    /** Of a process that became known after its sessions had asked for diffs of one file, only the newest of these counts. */
    closeSuperseded(owner: ReviewOwner): void {
        this.ofProcess(owner)
            .filter((review, index, all) => all.slice(index + 1).some(({ filePath }) => filePath === review.filePath))
            .forEach(review => this.end(review, 'closed', { dropped: 'replaced' }));
    }

    /** The waiting reviews that this session or another one of its process asked for, the oldest first. */
    ofProcess(owner: ReviewOwner): readonly Review[] {
        return this.waiting().filter(review => isSameProcess(review.owner, owner));
    }

    /** The session is gone: nobody is left to tell. */
    orphan(owner: ReviewOwner): void {
        this.waiting()
            .filter(review => review.owner === owner)
            .forEach(review => this.end(review, 'orphaned', { dropped: 'ended' }));
    }

    dispose(): void {
        this.waiting().forEach(review => this.end(review, 'orphaned', { dropped: 'ended' }));
        this.onDidOpenEmitter.dispose();
        this.onDidEndEmitter.dispose();
        this.onDidChangeEmitter.dispose();
    }

    protected own(owner: ReviewOwner, filePath: string): Review | undefined {
        return this.ofProcess(owner).find(review => review.filePath === filePath);
    }

    protected end(review: Review, state: ReviewEnd['state'], { text = review.text, dropped }: Partial<ReviewEnd> = {}): boolean {
        if (!review.settle(state)) {
            return false;
        }
        this.reviews.delete(review.id);
        this.onDidEndEmitter.fire({ review, state, text, dropped });
        this.onDidChangeEmitter.fire();
        return true;
    }
}

/** The right side as the user left it. @param shown what the page that answers shows of it */
function textOf(review: Review, shown: ShownText): string {
    return shown.unedited ? review.proposal : (shown.text ?? review.text);
}

function sizeOf(reviews: readonly Review[]): number {
    return reviews.reduce((sum, { size }) => sum + size, 0);
}
