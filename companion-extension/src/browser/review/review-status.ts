// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { REVIEW_COMMANDS } from './review-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { StatusRow, StatusSection, StatusSectionContribution, WAITING } from '../window/status-section-contribution';
import { describeAge } from '../window/status-words';
import { WorkspacePaths } from '../window/workspace-paths';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';

const { ACCEPT_REVIEW, REJECT_REVIEW } = SHARED_COMMANDS;
const { ANSWER_REVIEW, OPEN_REVIEW } = REVIEW_COMMANDS;

/** The proposals that wait. */
@injectable()
export class ReviewStatus implements StatusSectionContribution {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;
    @inject(PageReviews)
    protected readonly reviews: Pick<PageReviews, 'get'>;
    @inject(ReviewEditors)
    protected readonly editors: Pick<ReviewEditors, 'editorsOf' | 'onDidCompare'>;
    @inject(WorkspacePaths)
    protected readonly paths: Pick<WorkspacePaths, 'display' | 'name'>;

    get onDidChange(): Event<unknown> {
        return this.editors.onDidCompare;
    }

    sections(now: number): StatusSection[] {
        // The page receives its reviews only when Theia has restored the layout. Until then, the backend's state counts.
        const waiting = (this.connection.state?.reviews ?? []).filter(({ id }) => this.reviews.get(id)?.isWaiting !== false);
        const text =
            waiting.length === 1
                ? nls.localize('theia/cli-companion/status/oneReview', '1 proposal waiting')
                : nls.localize('theia/cli-companion/status/reviews', '{0} proposals waiting', waiting.length);
        return [
            {
                id: WAITING,
                order: 10,
                title: nls.localize('theia/cli-companion/status/waiting', 'Waiting for you'),
                rows: waiting.map(review => this.row(review, now)),
                briefs: waiting.length > 0 ? [{ kind: 'count', rank: 20, text, icon: 'git-compare' }] : []
            }
        ];
    }

    protected row(review: ReviewInfo, now: number): StatusRow {
        const { id, path, cliName, openedAt } = review;
        const display = this.paths.display(path);
        const label = this.paths.name(path);
        const age = describeAge(now - openedAt);
        // Empty while no diff of it is open.
        const changes = this.editors.editorsOf(id)[0]?.changesText;
        return {
            id,
            icon: 'git-compare',
            label,
            description: cliName,
            detail: [display, changes, age].filter(Boolean).join(' · '),
            sentences: [nls.localize('theia/cli-companion/status/reviewOf', 'Waiting: {0} ({1})', display, cliName)],
            ariaLabel: nls.localize(
                'theia/cli-companion/status/reviewItem',
                '{0}, proposed by {1}, {2}, {3}',
                label,
                cliName,
                age,
                display
            ),
            buttons: [
                { icon: 'check', tooltip: ACCEPT_REVIEW.label ?? '', command: ANSWER_REVIEW.id, args: [review, 'accept'] },
                { icon: 'circle-slash', tooltip: REJECT_REVIEW.label ?? '', command: ANSWER_REVIEW.id, args: [review, 'reject'] }
            ],
            review,
            command: OPEN_REVIEW.id,
            args: [review]
        };
    }
}
