// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { alert, status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { ReviewInfo } from '../../common/companion-protocol';
import { plainText } from '../plain-text';
import { CompanionConnection } from '../window/companion-connection';
import { ReviewLedger } from './review-ledger';
import { ReviewNotice } from './review-notices';
import { ReviewTexts } from './review-texts';
import { ReviewViews } from './review-views';
import { ReviewWarnings } from './review-warnings';

/** What the user is told of reviews: in their diffs, to screen readers, and as messages where there is no diff to say it in. */
@injectable()
export class ReviewMessages {
    @inject(ReviewLedger)
    protected readonly ledger: ReviewLedger;
    @inject(ReviewViews)
    protected readonly views: ReviewViews;
    @inject(ReviewTexts)
    protected readonly texts: ReviewTexts;
    @inject(ReviewWarnings)
    protected readonly warnings: ReviewWarnings;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(MessageService)
    protected readonly messages: MessageService;

    /** Ids of reviews that could not be accepted since nothing is left of the proposal. */
    protected readonly emptied = new Set<string>();
    protected rejectReview: (reviewId: string) => void = () => undefined;

    /** @param reject what the button of a notice does */
    start(reject: (reviewId: string) => void): void {
        this.rejectReview = reject;
        this.texts.onDidEdit(id => {
            if (this.emptied.delete(id)) {
                this.describe(id);
            }
        });
        this.texts.onDidDiverge(id => this.describe(id));
        this.warnings.onDidChange(affected => this.describeAll(affected));
    }

    /** Puts the notices that hold now over the review's diff. */
    describe(reviewId: string): void {
        const review = this.ledger.infoOf(reviewId);
        if (review) {
            const notices = this.noticesOf(review);
            this.views.viewsOf(reviewId).forEach(view => view.describe(review, notices));
        }
    }

    describeAll(affected: (review: ReviewInfo) => boolean = () => true): void {
        this.connection.state?.reviews.filter(affected).forEach(({ id }) => this.describe(id));
    }

    /** The review has ended. */
    forget(reviewId: string): void {
        this.emptied.delete(reviewId);
    }

    opened(review: ReviewInfo): void {
        this.describe(review.id);
        const text = nls.localize('companion/review/opened', '{0} proposes changes to {1}', review.cliName, review.path);
        // In one go: a text takes the place of the one before, which then may never be read out.
        status([text, ...this.noticesOf(review).map(notice => notice.text)].join('. '));
    }

    accepted(reviewId: string): void {
        this.tell(reviewId, path => nls.localize('companion/review/accepted', 'Accepted: {0}', path));
    }

    rejected(reviewId: string): void {
        this.tell(reviewId, path => nls.localize('companion/review/rejected', 'Rejected: {0}', path));
    }

    /** Says it in the diff itself where there is one, so that it goes with the diff, however the review ends. */
    emptiedRefused(reviewId: string): void {
        const review = this.ledger.infoOf(reviewId);
        if (review) {
            this.emptied.add(reviewId);
            this.describe(reviewId);
            alert(this.emptiedText(review.cliName));
        } else {
            this.messages.warn(plainText(this.emptiedText(nls.localize('companion/review/theCli', 'The CLI'))));
        }
    }

    /** An answer came too late. The diff closes, and what was typed in it goes. */
    editsNotSent(reviewId: string): void {
        const text = nls.localize(
            'companion/review/late',
            'The review of {0} had ended or moved to another window before this answer, which changed nothing. ' +
                'Look at the file to see whether your edits are in it.',
            this.ledger.infoOf(reviewId)?.path ?? ''
        );
        this.messages.warn(plainText(text));
    }

    answerUnknown(error: unknown): void {
        const text = nls.localize(
            'companion/review/notSent',
            'It is not known whether your decision reached the CLI. Decide again if the diff stays open. ({0})',
            error instanceof Error ? error.message : String(error)
        );
        this.messages.error(plainText(text));
    }

    notShown(reason: string): void {
        this.messages.warn(plainText(reason));
    }

    /** The most urgent first. */
    protected noticesOf(review: ReviewInfo): ReviewNotice[] {
        return [...this.ownNotices(review), ...this.warnings.of(review).map(text => ({ text }))];
    }

    protected ownNotices(review: ReviewInfo): ReviewNotice[] {
        const notices: ReviewNotice[] = [];
        if (this.emptied.has(review.id)) {
            const action = { label: nls.localizeByDefault('Reject'), run: () => this.rejectReview(review.id) };
            notices.push({ text: this.emptiedText(review.cliName), action });
        }
        if (this.texts.hasOther(review.id)) {
            const text = nls.localize(
                'companion/review/diverged',
                'While this page was away, the proposal was also edited elsewhere. What you accept is what stands here.'
            );
            const label = nls.localize('companion/review/showOther', 'Show the Other Version');
            notices.push({ text, action: { label, run: () => this.texts.swap(review.id) } });
        }
        return notices;
    }

    protected emptiedText(cliName: string): string {
        return nls.localize(
            'companion/review/emptied',
            '{0} cannot be told that the file is to be empty: it would write its own proposal instead. ' +
                'Reject the proposal, or leave some text.',
            cliName
        );
    }

    protected tell(reviewId: string, text: (path: string) => string): void {
        const path = this.ledger.infoOf(reviewId)?.path;
        if (path !== undefined) {
            status(text(path));
        }
    }
}
