// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { AcceptedTexts, ReviewAnswer, ReviewContent, ReviewSave, SeenFile, ShownText } from '../../common/companion-protocol';
import { ReviewBackend } from '../../common/review-protocol';
import { PageConnection } from '../server/page-connection';
import { ReviewRouting } from './review-routing';

/** What a page calls about reviews and kept edits. */
@injectable()
export class ReviewService implements ReviewBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(ReviewRouting)
    protected readonly routing: ReviewRouting;

    async readReview(reviewId: string): Promise<ReviewContent | undefined> {
        return this.routing.read(this.connection.window, this.connection.payloads.id.parse(reviewId));
    }

    async markShown(reviewId: string): Promise<void> {
        this.routing.markShown(this.connection.window, this.connection.payloads.id.parse(reviewId));
    }

    async acceptReview(reviewId: string, shown: ShownText, file?: SeenFile): Promise<ReviewAnswer> {
        const window = this.connection.window;
        const seen = this.connection.payloads.seenFile.parse(file) ?? undefined;
        return this.routing.accept(window, this.connection.payloads.id.parse(reviewId), this.connection.payloads.shown.parse(shown), seen);
    }

    async rejectReview(reviewId: string): Promise<ReviewAnswer> {
        return this.routing.reject(this.connection.window, this.connection.payloads.id.parse(reviewId));
    }

    async closeReview(reviewId: string): Promise<ReviewAnswer> {
        return this.routing.rejectByClosing(this.connection.window, this.connection.payloads.id.parse(reviewId));
    }

    async saveReview(save: ReviewSave): Promise<void> {
        await this.routing.save(this.connection.window, this.connection.payloads.save.parse(save));
    }

    async readEdit(id: string): Promise<string | undefined> {
        return this.routing.readEdit(this.connection.window, this.connection.payloads.id.parse(id));
    }

    async discardEdit(id: string): Promise<void> {
        await this.routing.discardEdit(this.connection.window, this.connection.payloads.id.parse(id));
    }

    async readAccepted(reviewId: string): Promise<AcceptedTexts | undefined> {
        return this.routing.readAccepted(this.connection.window, this.connection.payloads.id.parse(reviewId));
    }

    async forgetAccepted(reviewId: string): Promise<void> {
        this.routing.forgetAccepted(this.connection.window, this.connection.payloads.id.parse(reviewId));
    }
}
