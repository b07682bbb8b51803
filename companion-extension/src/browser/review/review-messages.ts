// SPDX-License-Identifier: Apache-2.0

import { MessageService } from '@theia/core/lib/common';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { LateReason, ReviewInfo } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { listOf, spokenLabel } from '../../common/sentences';
import { ClosableMessage, ClosableMessages } from '../window/closable-messages';
import { WorkspacePaths } from '../window/workspace-paths';
import { ReviewNotices } from './review-notices';

/** How long a message stays that needs no answer, in milliseconds. */
const MESSAGE_TIME = 5_000;

/** How long an offer stays, in milliseconds. */
const OFFER_TIME = 20_000;

/** One message names all tabs that are closed within this time, in milliseconds. */
const CLOSED_TOGETHER = 200;

/** The messages about reviews: what pops up in the corner because no diff can say it, and what only screen readers hear. */
@injectable()
export class ReviewMessages {
    @inject(ReviewNotices)
    protected readonly notices: ReviewNotices;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ClosableMessages)
    protected readonly closable: ClosableMessages;

    /** The messages about proposals that opened where the person does not see them, by the reviews' ids. */
    protected readonly behind = new Map<string, ClosableMessage>();
    /** The messages about answers that take long, by the reviews' ids. */
    protected readonly delayed = new Map<string, ClosableMessage>();

    /** Files whose tab was closed. One message names them all, because "Close All" closes many. */
    protected closedPaths: string[] = [];

    opened(review: ReviewInfo): void {
        const text = this.openedText(review);
        // One text: a second one would take the place of the first, which then may never be read out.
        status(spokenLabel([text, ...this.notices.of(review).map(notice => notice.text)]));
    }

    answered(review: ReviewInfo, how: 'accept' | 'reject'): void {
        const path = this.paths.display(review.path);
        status(
            how === 'accept'
                ? nls.localize('theia/cli-companion/review/accepted', 'Accepted: {0}', path)
                : nls.localize('theia/cli-companion/review/rejected', 'Rejected: {0}', path)
        );
    }

    /** Theia (1.74) never takes a message with a button away. */
    notWritten({ path, cliName }: ReviewInfo, askAgain: () => void): void {
        const text = nls.localize(
            'theia/cli-companion/review/notWritten',
            '{0} has not written {1}, which you accepted. Its terminal may say why.',
            cliName,
            this.paths.display(path)
        );
        status(text);
        const button = nls.localize('theia/cli-companion/review/askAgain', 'Ask Again');
        const message = this.closable.show('warn', text, button);
        const timer = setTimeout(() => message.dispose(), OFFER_TIME);
        void message.answer.then(answer => {
            clearTimeout(timer);
            if (answer === button) {
                askAgain();
            }
        });
    }

    /** A click after something moved may have been meant for what was there before. */
    tooSoon({ path }: ReviewInfo): void {
        const text = nls.localize(
            'theia/cli-companion/review/tooSoon',
            'Not answered: the screen has only just changed. Look at the proposal for {0}, then press again.',
            this.paths.display(path)
        );
        this.messages.info(plainText(text), { timeout: MESSAGE_TIME });
    }

    /** Closing the tab has rejected the proposal. */
    closed(review: ReviewInfo): void {
        if (this.closedPaths.push(this.paths.display(review.path)) === 1) {
            setTimeout(() => this.tellClosed(), CLOSED_TOGETHER);
        }
    }

    /** The proposal opened where the person does not see it. The message stays until {@link seen}. */
    openedBehind(review: ReviewInfo, show: () => void): void {
        const label = nls.localize('theia/cli-companion/review/show', 'Show');
        const message = this.closable.show('info', this.openedText(review), label);
        this.behind.set(review.id, message);
        void message.answer.then(answer => {
            if (answer === label) {
                show();
            }
        });
    }

    /** The person sees the proposal. */
    seen(reviewId: string): void {
        this.behind.get(reviewId)?.dispose();
        this.behind.delete(reviewId);
    }

    /** It has ended: the answer has arrived, if there is one. */
    ended(reviewId: string): void {
        this.seen(reviewId);
        this.delayed.get(reviewId)?.dispose();
        this.delayed.delete(reviewId);
    }

    /** The answer changed nothing. */
    late({ path, cliName }: ReviewInfo, how: LateReason): void {
        this.messages.warn(plainText(this.lateText(how, this.paths.display(path), cliName)), { timeout: MESSAGE_TIME });
    }

    /** It is sent again until it has arrived. The message stays until it has {@link ended}. */
    answerDelayed(review: ReviewInfo): void {
        if (!this.delayed.has(review.id)) {
            const text = nls.localize(
                'theia/cli-companion/review/answerDelayed',
                'Your answer for {0} has not arrived yet. It is sent again until it arrives.',
                this.paths.display(review.path)
            );
            this.delayed.set(review.id, this.closable.show('warn', text));
        }
    }

    /** The user wants to save a proposal under another name. */
    noCopy(): void {
        const text = nls.localize('theia/cli-companion/review/noCopy', 'A proposal is not a file yet. Accept it first, or copy its text.');
        this.messages.info(text, { timeout: MESSAGE_TIME });
    }

    notShown(reason: string): void {
        this.messages.warn(plainText(reason));
    }

    protected tellClosed(): void {
        const paths = this.closedPaths.sort();
        this.closedPaths = [];
        const text =
            paths.length === 1
                ? nls.localize('theia/cli-companion/review/closedOne', 'Closing the tab rejected the proposal for {0}.', paths[0])
                : nls.localize('theia/cli-companion/review/closedMany', 'Closing the tabs rejected the proposals for {0}.', listOf(paths));
        this.messages.info(plainText(text), { timeout: MESSAGE_TIME });
    }

    protected lateText(how: LateReason, path: string, cliName: string): string {
        switch (how) {
            case 'accepted':
                return nls.localize(
                    'theia/cli-companion/review/lateAccepted',
                    'The proposal for {0} was already accepted elsewhere.',
                    path
                );
            case 'rejected':
                return nls.localize(
                    'theia/cli-companion/review/lateRejected',
                    'The proposal for {0} was already rejected elsewhere.',
                    path
                );
            case 'closed':
                return nls.localize(
                    'theia/cli-companion/review/lateClosed',
                    '{0} had already closed its proposal for {1}. Your answer changed nothing.',
                    cliName,
                    path
                );
            case 'orphaned':
                return nls.localize(
                    'theia/cli-companion/review/lateOrphaned',
                    '{0} was no longer connected when you answered its proposal for {1}. Nothing was written.',
                    cliName,
                    path
                );
            case 'unknown':
                return nls.localize(
                    'theia/cli-companion/review/lateUnknown',
                    'The proposal for {0} had ended before your answer, which changed nothing.',
                    path
                );
        }
    }

    protected openedText({ cliName, path }: ReviewInfo): string {
        return nls.localize('theia/cli-companion/review/opened', '{0} proposes changes to {1}', cliName, this.paths.display(path));
    }
}
