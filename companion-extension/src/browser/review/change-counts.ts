// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { withTimeLimit } from '../window/backend-calls';
import { ChangeCount, countChanges } from './count-changes';
import { ReviewViews } from './review-views';

const READ_LIMIT = 5_000;

/** How many lines a proposal adds and removes, as Monaco's diff counts them. */
@injectable()
export class ChangeCounts {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(FileService)
    protected readonly files: FileService;
    @inject(ReviewViews)
    protected readonly views: ReviewViews;

    /** `undefined` where it cannot be told. Never rejects. */
    async of(review: ReviewInfo): Promise<ChangeCount | undefined> {
        try {
            const [original, proposal] = await withTimeLimit(
                Promise.all([this.readOriginal(review), this.readProposal(review)]),
                READ_LIMIT,
                'The texts were not read in time.'
            );
            return proposal === undefined ? undefined : countChanges(original, proposal);
        } catch {
            return undefined;
        }
    }

    protected async readProposal({ id }: ReviewInfo): Promise<string | undefined> {
        return this.views.modelOf(id)?.textEditorModel.getValue() ?? (await this.backend.readReview(id))?.text;
    }

    protected async readOriginal({ uri, modifiedAt }: ReviewInfo): Promise<string> {
        return modifiedAt === undefined ? '' : (await this.files.read(new URI(uri), { acceptTextOnly: true })).value;
    }
}
