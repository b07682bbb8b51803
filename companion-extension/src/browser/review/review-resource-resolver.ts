// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationState, FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { CompanionBackend, ReviewContent } from '../../common/companion-protocol';
import { BackendReader } from '../window/backend-calls';
import { CompanionConnection } from '../window/companion-connection';
import { OriginalContents, OriginalResource } from './original-contents';
import { ProposalResource } from './proposal-model';
import { PROPOSED_SCHEME, ReviewUris } from './review-uris';

const BEFORE_LAYOUT: readonly FrontendApplicationState[] = ['init', 'started_contributions', 'attached_shell'];

/**
 * Makes both sides of a review's diff from their URIs. It asks the backend for the content, so that the diffs that Theia restores after a
 * reload show their proposal again. It does not resolve a review that no longer waits: Theia then drops the tab.
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
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;

    protected reader: BackendReader;

    @postConstruct()
    protected init(): void {
        this.reader = new BackendReader({
            connection: this.connection,
            restoring: () => BEFORE_LAYOUT.includes(this.appState.state)
        });
    }

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
        const content = await this.readProposal(reviewId);
        return uri.scheme === PROPOSED_SCHEME
            ? new ProposalResource(uri, content)
            : new OriginalResource(uri, content.review, this.contents, this.files);
    }

    protected async readProposal(reviewId: string): Promise<ReviewContent> {
        const read = (): Promise<ReviewContent | undefined> => this.backend.readReview(reviewId);
        const content = await this.reader.read(reviewId, read, 'The proposal could not be read in time.');
        if (!content) {
            throw new Error('The review is no longer waiting.');
        }
        return content;
    }

    protected async readEdit(id: string): Promise<string> {
        const read = (): Promise<string | undefined> => this.backend.readDroppedEdit(id);
        const text = await this.reader.read(`edit ${id}`, read, 'The edits could not be read in time.');
        if (typeof text !== 'string') {
            throw new Error('The edits are not kept any more.');
        }
        return text;
    }
}
