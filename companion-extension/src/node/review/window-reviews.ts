// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { CompanionLimits } from '../../common/companion-limits';
import { ShowReviewResult } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { visibleText } from '../../common/visible-text';
import { FileAccess } from '../host/file-access';
import { isInside } from '../host/paths';
import { isSameProcess } from '../host/process-table';
import { CliSession, ReviewOutcome } from '../server/cli-session';
import { CliSessions } from '../server/cli-sessions';
import type { Window, WindowDiffs } from '../server/window';
import { placeIn, Review, ReviewOwner } from './review';
import { checkReviewPath, isOutside, ReviewPathResult } from './review-path';
import { Reviews } from './reviews';

/** How long the look at a proposal's path may take: a network file system may never answer. */
const CHECK_LIMIT_MS = 5_000;

/** The place of proposals' paths that are in no root. */
const OTHER_PROPOSALS = 'proposals outside the workspace';

/** Shows a review in the windows that it is for. */
export interface ReviewPresenter {
    /** @returns `undefined` if no page answered in time */
    show(review: Review): Promise<ShowReviewResult | undefined>;
    /** Closes its diffs. @returns when what the pages had not sent yet has come */
    close(review: Review): Promise<void>;
}

interface OpeningDiff {
    readonly owner: ReviewOwner;
    readonly filePath: string;
    readonly newContent: string;
}

/** What the CLIs of a window ask the user: opens and closes their reviews, and says who gets the outcomes. */
export class WindowReviews implements WindowDiffs {
    /** Diffs whose path is being checked. */
    protected readonly opening = new Set<OpeningDiff>();

    constructor(
        protected readonly window: Window,
        protected readonly reviews: Reviews,
        protected readonly presenter: ReviewPresenter,
        protected readonly fileAccess: FileAccess
    ) {}

    async open(
        owner: CliSession,
        filePath: string,
        newContent: string,
        onDidOpen?: (reviewId: string) => void
    ): Promise<string | undefined> {
        this.window.log.add(`openDiff ${visibleText(filePath)} (${newContent.length} characters)`, owner);
        const problem = await this.openReview(owner, filePath, newContent, onDidOpen);
        if (problem !== undefined) {
            this.window.log.add(`openDiff refused: ${visibleText(problem)}`, owner);
        }
        return problem;
    }

    /** @returns why it cannot be shown; `undefined` also if there is nothing to show any more, or reviews are not offered */
    protected async openReview(
        owner: CliSession,
        filePath: string,
        newContent: string,
        onDidOpen?: (reviewId: string) => void
    ): Promise<string | undefined> {
        // What this session asked before ends before anything is waited for. Then also what other sessions of its process asked.
        this.supersede(owner, filePath);
        await this.waitForProcesses();
        this.supersede(owner, filePath);
        if (newContent.length > CompanionLimits.reviewText) {
            return `The proposal for ${filePath} is larger than ${CompanionLimits.reviewText} characters`;
        }
        const checked = await this.checkPath(owner, filePath, newContent);
        if (!checked) {
            return undefined;
        }
        if ('problem' in checked) {
            return checked.problem;
        }
        const refusesOutside = this.window.preferences['companion.review.outsideWorkspace'] === 'refuse';
        if (refusesOutside && isOutside(checked.file.realPath, this.window.roots)) {
            return `${filePath} lies outside the workspace, and companion.review.outsideWorkspace refuses such files`;
        }
        if (!this.window.reviewsOffered) {
            // The session is older than the preference. After an error Gemini would fail the later answer in the terminal.
            return undefined;
        }
        if (!this.window.sessions.some(({ id }) => id === owner.id)) {
            // The session closed while the file system answered: nothing would ever end the review.
            return undefined;
        }
        let review: Review;
        try {
            const place = placeIn(this.window);
            review = this.reviews.open({ owner, filePath, proposal: newContent, file: checked.file, place });
        } catch (error) {
            return (error as Error).message;
        }
        onDidOpen?.(review.id);
        const shown = await this.presenter.show(review);
        if (shown && !shown.shown && review.isWaiting) {
            this.reviews.refuse(review);
            return shown.reason;
        }
        return undefined;
    }

    async close(owner: CliSession, filePath: string, answered: boolean): Promise<string | undefined> {
        this.window.log.add(`closeDiff ${visibleText(filePath)}`, owner);
        const isOf = (asked: OpeningDiff | Review): boolean => asked.owner === owner && asked.filePath === filePath;
        // The CLI has its answer: none that is given from now on may follow.
        if (![...this.opening, ...this.reviews.waiting()].some(isOf)) {
            await this.waitForProcesses();
        }
        const attempt = this.takeOpening(owner, filePath);
        const text = await this.reviews.close(owner, this.window.id, filePath, answered, review => this.presenter.close(review));
        if (text === undefined && !attempt) {
            this.window.log.add('closeDiff refused: no such diff is open', owner);
        }
        // The user may have been faster in the terminal than the check of the path.
        return text ?? attempt?.newContent;
    }

    isOpenFor(session: CliSession): boolean {
        const isOpening = [...this.opening].some(({ owner }) => owner.id === session.id);
        return isOpening || this.reviews.waitingFor(session, this.window.id).length > 0;
    }

    follow(sessions: CliSessions): Disposable {
        const { id, log } = this.window;
        const listening = new DisposableCollection(
            sessions.onDidChangeSession(session => this.settleOwnership(session, sessions)),
            this.reviews.onDidEnd(({ review: { owner, filePath, place }, state }) => {
                if (owner && place.windowId === id) {
                    log.add(`diff ${visibleText(filePath)} ${state}`, owner);
                }
            })
        );
        return Disposable.create(() => {
            this.reviews.orphan(({ place }) => place.windowId === id, 'stopped');
            listening.dispose();
        });
    }

    /** @returns `undefined` if this diff was closed, or another one asked for in its place, while the file system answered */
    protected async checkPath(owner: CliSession, filePath: string, newContent: string): Promise<ReviewPathResult | undefined> {
        const attempt = { owner, filePath, newContent };
        this.opening.add(attempt);
        const { roots } = this.window;
        const place = roots.find(root => isInside(root, filePath)) ?? OTHER_PROPOSALS;
        const checked = await this.fileAccess.run(place, () => checkReviewPath(filePath, roots), CHECK_LIMIT_MS).catch(() => undefined);
        if (!this.opening.delete(attempt)) {
            return undefined;
        }
        return checked ?? { problem: `${filePath} cannot be reached: its file system does not answer` };
    }

    /** A CLI finds an outcome by its path alone: a past or later answer to an earlier diff would answer the one that it asks for now. */
    protected supersede(owner: CliSession, filePath: string): void {
        this.takeOpening(owner, filePath);
        this.forgetOutcomes(owner, filePath);
        this.reviews.replace(owner, this.window.id, filePath);
    }

    protected takeOpening(owner: CliSession, filePath: string): OpeningDiff | undefined {
        const found = [...this.opening].find(attempt => attempt.filePath === filePath && isSameProcess(attempt.owner, owner));
        if (found) {
            this.opening.delete(found);
        }
        return found;
    }

    /** A session's process is looked for while its stream opens; until it is known, its diffs would count as another CLI's. */
    protected async waitForProcesses(): Promise<void> {
        const identified = this.window.server?.sessions.identified ?? Promise.resolve();
        await withTimeLimit(identified, CHECK_LIMIT_MS).catch(() => undefined);
    }

    protected forgetOutcomes(owner: CliSession, filePath: string): void {
        this.window.sessions.filter(session => isSameProcess(session, owner)).forEach(session => session.forgetOutcomes(filePath));
    }

    /**
     * A CLI that was told to reconnect (`/ide enable`) has a new session and still waits for the outcome that its old one asked
     * for (Gemini CLI 0.61).
     */
    protected settleOwnership(changed: CliSession, sessions: CliSessions): void {
        // Its process may have become known just now.
        this.reviews.closeSuperseded(changed, this.window.id);
        this.reviews.waitingFor(changed, this.window.id).forEach(({ filePath }) => this.forgetOutcomes(changed, filePath));
        for (const session of new Set([changed, ...sessions.all()])) {
            const successor = session.state === 'streaming' ? undefined : sessions.successorOf(session);
            if (successor) {
                this.reviews.handOver(session, successor);
                // Also those that may have arrived: the CLI finds them by their path, and a second one changes nothing.
                this.deliver(session, outcome => successor.notify(outcome));
            } else if (session.state === 'closed') {
                this.reviews.orphan(({ owner }) => owner === session, this.window.server ? 'ended' : 'stopped');
                this.deliver(session, () => false);
            }
        }
    }

    /** @param deliver returns false if an outcome can reach nobody any more */
    protected deliver(session: CliSession, deliver: (outcome: ReviewOutcome) => boolean): void {
        for (const outcome of session.takeUndelivered()) {
            if (!deliver(outcome)) {
                this.reviews.markUndelivered(outcome.reviewId);
            }
        }
    }
}
