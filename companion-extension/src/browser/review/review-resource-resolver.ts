// SPDX-License-Identifier: Apache-2.0

import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { CompanionBackend, ReviewContent } from '../../common/companion-protocol';
import { withTimeLimit } from '../clock';
import { CompanionConnection } from '../window/companion-connection';
import { OriginalContents } from './original-contents';
import { OriginalResource, ProposalResource } from './review-resources';
import { PROPOSED_SCHEME, ReviewUris } from './review-uris';

const HELLO_LIMIT = 5_000;
const READ_LIMIT = 20_000;

/**
 * Both sides of a review. What it needs comes from the backend, so that the diffs that Theia restores with the layout after a reload
 * show their proposal again. A review that no longer waits is not resolved: Theia then drops its tab.
 */
@injectable()
export class ReviewResourceResolver implements ResourceResolver {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(OriginalContents)
    protected readonly contents: OriginalContents;
    @inject(FileService)
    protected readonly files: FileService;

    /** Both sides are resolved at the same time; the texts cross the wire once. */
    protected readonly reading = new Map<string, Promise<ReviewContent>>();

    async resolve(uri: URI): Promise<Resource> {
        const editId = ReviewUris.editedIdOf(uri);
        if (editId !== undefined) {
            const text = await this.readEdit(editId);
            return { uri, readOnly: true, autosaveable: false, readContents: async () => text, dispose: () => undefined };
        }
        const reviewId = ReviewUris.reviewIdOf(uri);
        if (reviewId === undefined) {
            throw new Error(`Not a review: '${uri.toString()}'`);
        }
        const content = await this.read(reviewId);
        return uri.scheme === PROPOSED_SCHEME
            ? new ProposalResource(uri, content)
            : new OriginalResource(uri, content.review, this.contents, this.files);
    }

    protected read(reviewId: string): Promise<ReviewContent> {
        let content = this.reading.get(reviewId);
        if (!content) {
            content = this.doRead(reviewId).finally(() => this.reading.delete(reviewId));
            this.reading.set(reviewId, content);
        }
        return content;
    }

    protected async readEdit(id: string): Promise<string> {
        await withTimeLimit(this.connection.ready, HELLO_LIMIT, 'The companion is not ready.');
        const ask = (): Promise<string | undefined> => this.backend.readDroppedEdit(id);
        const text = await this.connection.ask(ask, READ_LIMIT, 'The edits could not be read in time.');
        if (typeof text !== 'string') {
            throw new Error('The edits are not kept any more.');
        }
        return text;
    }

    protected async doRead(reviewId: string): Promise<ReviewContent> {
        await withTimeLimit(this.connection.ready, HELLO_LIMIT, 'The companion is not ready.');
        const content = await this.connection.ask(
            () => this.backend.readReview(reviewId),
            READ_LIMIT,
            'The proposal could not be read in time.'
        );
        if (!content) {
            throw new Error('The review is no longer waiting.');
        }
        return content;
    }
}
