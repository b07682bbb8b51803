// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';
import { WaitingReviews } from '../review/review-contribution';
import { ClosableMessages } from '../window/closable-messages';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';

/** Says that a proposal which this window showed is in another one now, and fetches it back. */
@injectable()
export class MovedReviews implements FrontendApplicationContribution {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(ClosableMessages)
    protected readonly messages: ClosableMessages;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;

    /** Ids of the reviews that this window showed last. */
    protected here: ReadonlySet<string> = new Set();
    /** By the reviews' ids: what was said of those that are in another window. */
    protected readonly told = new Map<string, Disposable>();
    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        this.toDispose.push(this.connection.onDidChangeState(() => this.update()));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected update(): void {
        const { reviews = [], reviewsElsewhere = [] } = this.connection.state ?? {};
        reviewsElsewhere.filter(({ id }) => this.here.has(id)).forEach(review => void this.tell(review));
        this.here = new Set(reviews.map(({ id }) => id));
        for (const [id, message] of this.told) {
            if (!reviewsElsewhere.some(review => review.id === id)) {
                message.dispose();
                this.told.delete(id);
            }
        }
    }

    protected async tell(review: ReviewInfo): Promise<void> {
        const text = nls.localize(
            'theia/cli-companion/status/movedAway',
            'The proposal for {0} was moved to another window.',
            this.paths.display(review.path)
        );
        const takeBack = nls.localize('theia/cli-companion/status/takeBack', 'Take Back');
        const message = this.messages.show('info', text, takeBack);
        this.told.set(review.id, message);
        if ((await message.answer) === takeBack) {
            await this.waiting.open(review);
        }
    }
}
