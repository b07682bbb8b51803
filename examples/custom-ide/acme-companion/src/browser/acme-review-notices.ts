// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { ReviewNotices } from 'theia-cli-companion/lib/browser';
import { ReviewInfo } from 'theia-cli-companion/lib/common';

/** Says one thing more above a diff. */
@injectable()
export class AcmeReviewNotices extends ReviewNotices {
    protected override ofFile(review: ReviewInfo): string[] {
        const notices = super.ofFile(review);
        return review.path.endsWith('LICENSE') ? [...notices, 'The legal team must agree to a change of this file.'] : notices;
    }
}
