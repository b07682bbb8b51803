// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { alert, status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { LateReason, ReviewInfo } from '../../common/companion-protocol';
import { plainText } from '../plain-text';
import { CompanionConnection } from '../window/companion-connection';
import { ReviewLedger } from './review-ledger';
import { ReviewNotice } from './review-notices';
import { ReviewTexts } from './review-texts';
import { ReviewViews } from './review-views';
import { ReviewWarnings } from './review-warnings';

/** How long a message stays that asks for nothing, in milliseconds. */
const MESSAGE_TIME = 5_000;

/** Tabs that are closed within so many milliseconds are told of in one message. */
const CLOSED_TOGETHER = 200;

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
    /** Paths of files whose tab was closed, to be told together: "Close All" closes many. */
    protected closedPaths: string[] = [];
    protected rejectReview: (reviewId: string) => void = () => undefined;

    /** @param reject what the button of a notice does */
    start(reject: (reviewId: string) => void): void {
        this.rejectReview = reject;
        this.texts.onDidEdit(id => {
            this.emptied.delete(id);
            this.describe(id);
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
        const review = this.ledger.infoOf(reviewId);
        if (review?.cliGone) {
            const text = nls.localize(
                'companion/review/acceptedGone',
                '{0} does not respond. It writes {1} when it goes on; if it has ended, nothing is written.',
                review.cliName,
                review.path
            );
            this.messages.info(plainText(text), { timeout: MESSAGE_TIME });
        }
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

    /** Closing the tab has rejected the proposal. */
    closed(reviewId: string): void {
        const path = this.ledger.infoOf(reviewId)?.path;
        if (path !== undefined && this.closedPaths.push(path) === 1) {
            setTimeout(() => this.tellClosed(), CLOSED_TOGETHER);
        }
    }

    /** A proposal came while the user was typing elsewhere. */
    openedBehind(review: ReviewInfo, show: () => void): void {
        const text = nls.localize('companion/review/opened', '{0} proposes changes to {1}', review.cliName, review.path);
        const label = nls.localize('companion/review/show', 'Show');
        void this.messages.info(plainText(text), { timeout: MESSAGE_TIME }, label).then(answer => {
            if (answer === label) {
                show();
            }
        });
    }

    /** The answer changed nothing. */
    late(reviewId: string, how: LateReason): void {
        const review = this.ledger.infoOf(reviewId);
        const path = review?.path ?? '';
        const cliName = review?.cliName ?? nls.localize('companion/review/theCli', 'The CLI');
        this.messages.warn(plainText(this.lateText(how, path, cliName)), { timeout: MESSAGE_TIME });
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
            notices.push({ text: this.emptiedText(review.cliName), actions: [action] });
        }
        if (this.texts.hasOther(review.id)) {
            const text = nls.localize(
                'companion/review/diverged',
                'While this page was away, the proposal was also edited elsewhere. What you accept is what stands here.'
            );
            const label = nls.localize('companion/review/showOther', 'Show the Other Version');
            notices.push({ text, actions: [{ label, run: () => this.texts.swap(review.id) }] });
        }
        if (review.traits.dropsEditsInTerminal && this.texts.isEdited(review.id)) {
            const text = nls.localize(
                'companion/review/answerHere',
                'Answer here to keep your edits. An answer in the terminal drops them: {0} then writes its own text.',
                review.cliName
            );
            notices.push({ text });
        }
        return notices;
    }

    protected tellClosed(): void {
        const paths = this.closedPaths.sort();
        this.closedPaths = [];
        const text =
            paths.length === 1
                ? nls.localize('companion/review/closedOne', 'Closing the tab has rejected the proposal for {0}.', paths[0])
                : nls.localize('companion/review/closedMany', 'Closing the tabs has rejected the proposals for {0}.', paths.join(', '));
        this.messages.info(plainText(text), { timeout: MESSAGE_TIME });
    }

    protected lateText(how: LateReason, path: string, cliName: string): string {
        switch (how) {
            case 'accepted':
                return nls.localize('companion/review/lateAccepted', 'The proposal for {0} was already accepted elsewhere.', path);
            case 'rejected':
                return nls.localize('companion/review/lateRejected', 'The proposal for {0} was already rejected elsewhere.', path);
            case 'closed':
                return nls.localize(
                    'companion/review/lateClosed',
                    '{0} had already closed its proposal for {1}. This answer changed nothing.',
                    cliName,
                    path
                );
            case 'orphaned':
                return nls.localize(
                    'companion/review/lateOrphaned',
                    '{0} had ended before this answer to its proposal for {1}. Nothing was written.',
                    cliName,
                    path
                );
            case 'moved':
                return nls.localize(
                    'companion/review/lateMoved',
                    'Another window shows the proposal for {0} now. It still waits there for an answer.',
                    path
                );
            case 'unknown':
                return nls.localize(
                    'companion/review/lateUnknown',
                    'The review of {0} had ended before this answer, which changed nothing.',
                    path
                );
        }
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
