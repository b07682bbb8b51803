// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { LateReason, ReviewAnswer, ReviewInfo } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { listOf, spokenLabel } from '../../common/sentences';
import { ClosableMessage, ClosableMessages } from '../window/closable-messages';
import { WorkspacePaths } from '../window/workspace-paths';
import { tooSoonText } from '../diff/diff-editor';
import { AnswerKind, PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';

/** How long a message stays that needs no answer. */
const MESSAGE_TIME_MS = 5_000;

/** How long an offer stays. */
const OFFER_TIME_MS = 20_000;

/** One message names all tabs that are closed within this time. */
const CLOSED_TOGETHER_MS = 200;

/** The messages about a review. */
interface Told {
    problem?: string;
    answer?: PageReview['answer'];
    /** It opened where the user does not see it. */
    behind?: ClosableMessage;
}

/** The messages about reviews: what pops up in the corner because no diff can say it, and what only screen readers hear. */
@injectable()
export class ReviewMessages implements FrontendApplicationContribution {
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ClosableMessages)
    protected readonly closable: ClosableMessages;

    protected readonly told = new WeakMap<PageReview, Told>();
    /** Files whose tab was closed. One message names them all, because "Close All" closes many. */
    protected closedPaths: string[] = [];
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.pushAll([
            this.reviews.onDidChange(review => this.follow(review)),
            this.editors.onDidOpen(review => this.tellOpened(review)),
            this.editors.onDidOpenBehind(review => this.tellBehind(review)),
            this.reviews.onDidSee(review => this.toldOf(review).behind?.dispose())
        ]);
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected follow(review: PageReview): void {
        const { problem, answer, isListed } = review;
        const told = this.toldOf(review);
        if (problem !== undefined && problem !== told.problem) {
            this.messages.warn(plainText(problem));
        }
        told.problem = problem;
        if (answer?.result && told.answer !== answer) {
            told.answer = answer;
            this.tellAnswered(review, answer.kind, answer.result);
        }
        if (!isListed) {
            told.behind?.dispose();
        }
    }

    protected toldOf(review: PageReview): Told {
        const told = this.told.get(review) ?? {};
        this.told.set(review, told);
        return told;
    }

    protected tellOpened(review: PageReview): void {
        // One text: a second one would take the place of the first, which then may never be read out.
        const [editor] = this.editors.editorsOf(review.id);
        status(spokenLabel([this.openedText(review), ...(editor?.notices ?? [])]));
    }

    /** The message stays until the user sees the proposal. */
    protected tellBehind(review: PageReview): void {
        const label = nls.localize('theia/cli-companion/review/show', 'Show');
        const message = this.closable.show('info', this.openedText(review), label);
        this.toldOf(review).behind = message;
        void message.answer.then(answer => {
            if (answer === label) {
                void this.editors.activate(review);
            }
        });
    }

    protected tellAnswered(review: PageReview, kind: AnswerKind, result: ReviewAnswer): void {
        const path = this.pathOf(review);
        if (result.result === 'late') {
            this.messages.warn(plainText(this.lateText(result.how, path, review.text.about.cliName)), { timeout: MESSAGE_TIME_MS });
        } else if (kind === 'accept') {
            status(nls.localize('theia/cli-companion/review/accepted', 'Accepted: {0}', path));
        } else if (kind === 'reject') {
            status(nls.localize('theia/cli-companion/review/rejected', 'Rejected: {0}', path));
        } else if (!review.text.isEdited && this.closedPaths.push(path) === 1) {
            // If there are edits, the message that offers them says it.
            setTimeout(() => this.tellClosed(), CLOSED_TOGETHER_MS);
        }
    }

    protected pathOf({ info, text }: PageReview): string {
        return this.paths.display(info?.path ?? new URI(text.about.uri).path.fsPath());
    }

    /** Theia (1.74) never takes a message with a button away. */
    notWritten({ path, cliName }: Pick<ReviewInfo, 'path' | 'cliName'>, obstacle: string | undefined, askAgain: () => void): void {
        const file = this.paths.display(path);
        const text =
            obstacle === undefined
                ? nls.localize(
                      'theia/cli-companion/review/notWritten',
                      '{0} has not written {1}, which you accepted. Its terminal may say why.',
                      cliName,
                      file
                  )
                : nls.localize(
                      'theia/cli-companion/review/notWrittenBecause',
                      '{0} has not written {1}, which you accepted. The system says: {2}',
                      cliName,
                      file,
                      obstacle
                  );
        status(text);
        const button = nls.localize('theia/cli-companion/review/askAgain', 'Ask Again');
        const message = this.closable.show('warn', text, button);
        const timer = setTimeout(() => message.dispose(), OFFER_TIME_MS);
        void message.answer.then(answer => {
            clearTimeout(timer);
            if (answer === button) {
                askAgain();
            }
        });
    }

    /** A key or a click on something that has just appeared may have been meant for what was there before. Said where the user looks. */
    tooSoon(review: PageReview): void {
        const editor = this.editors.editorsOf(review.id).find(({ isOnScreen }) => isOnScreen);
        if (editor) {
            editor.say(tooSoonText());
            return;
        }
        const text = nls.localize(
            'theia/cli-companion/review/tooSoon',
            'Not answered: the screen has only just changed. Look at the proposal for {0}, then press again.',
            this.pathOf(review)
        );
        this.messages.info(plainText(text), { timeout: MESSAGE_TIME_MS });
    }

    /** The user wants to save a proposal under another name. */
    noCopy(): void {
        const text = nls.localize('theia/cli-companion/review/noCopy', 'A proposal is not a file yet. Accept it first, or copy its text.');
        this.messages.info(text, { timeout: MESSAGE_TIME_MS });
    }

    protected tellClosed(): void {
        const paths = this.closedPaths.sort();
        this.closedPaths = [];
        const text =
            paths.length === 1
                ? nls.localize('theia/cli-companion/review/closedOne', 'Closing the tab rejected the proposal for {0}.', paths[0])
                : nls.localize('theia/cli-companion/review/closedMany', 'Closing the tabs rejected the proposals for {0}.', listOf(paths));
        this.messages.info(plainText(text), { timeout: MESSAGE_TIME_MS });
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

    protected openedText(review: PageReview): string {
        const { cliName } = review.text.about;
        return nls.localize('theia/cli-companion/review/opened', '{0} proposes changes to {1}', cliName, this.pathOf(review));
    }
}
