// SPDX-License-Identifier: Apache-2.0

import { timeout } from '@theia/core/lib/common/promise-util';
import { CompanionLimits } from '../../common/companion-limits';
import { ReviewInfo } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { ChangeCount, countChanges } from '../review/change-count';

/** How long the texts of one review may take to come, in milliseconds. */
const READ_LIMIT = 5_000;

export interface ReviewTexts {
    original: string;
    proposal: string;
}

/** The texts of a review whose diff is open in this page. */
export interface OpenTexts {
    /** Another one after each change of one of the texts. */
    readonly version: string;
    /** In characters, of both texts together: comparing long ones would hold up the page. */
    readonly length: number;
    texts(): ReviewTexts;
}

export interface TextSources {
    open(review: ReviewInfo): OpenTexts | undefined;
    /** From the disk and from the backend. */
    read(review: ReviewInfo): Promise<ReviewTexts | undefined>;
}

/** How many lines each waiting review changes. Nothing is counted, and nothing is read, twice. */
export class ChangeCounts {
    protected readonly counts = new Map<string, { version: string; count: ChangeCount | undefined }>();

    constructor(protected readonly sources: TextSources) {}

    /** `undefined` until it is counted, and if the texts are too long, or cannot be read. */
    of(reviewId: string): ChangeCount | undefined {
        return this.counts.get(reviewId)?.count;
    }

    /**
     * Counts one review after the other, so that the page answers its user meanwhile. Never rejects.
     *
     * @param reviews all that wait; others are forgotten
     * @param counted called after each new count. @returns whether the rest is still wanted
     */
    async count(reviews: readonly ReviewInfo[], counted: () => boolean): Promise<void> {
        const waiting = new Set(reviews.map(({ id }) => id));
        [...this.counts.keys()].filter(id => !waiting.has(id)).forEach(id => this.counts.delete(id));
        for (const review of reviews) {
            const open = this.sources.open(review);
            const version = open?.version ?? `${review.draft.id} ${review.draft.revision}`;
            if (this.counts.get(review.id)?.version === version) {
                continue;
            }
            try {
                this.counts.set(review.id, { version, count: await this.countOne(review, open) });
            } catch {
                // Read again when the list is opened again.
                this.counts.delete(review.id);
            }
            if (!counted()) {
                return;
            }
            await timeout(0);
        }
    }

    protected async countOne(review: ReviewInfo, open: OpenTexts | undefined): Promise<ChangeCount | undefined> {
        if (review.long || (open && open.length > CompanionLimits.countedText)) {
            return undefined;
        }
        const texts = open?.texts() ?? (await withTimeLimit(this.sources.read(review), READ_LIMIT, ''));
        return texts && texts.original.length + texts.proposal.length <= CompanionLimits.countedText
            ? countChanges(texts.original, texts.proposal)
            : undefined;
    }
}
