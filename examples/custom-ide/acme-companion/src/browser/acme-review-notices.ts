// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { ReviewFacts, ReviewNotices } from 'theia-cli-companion/lib/browser';

/** Says one thing more above a diff. */
@injectable()
export class AcmeReviewNotices extends ReviewNotices {
    protected override ofFile(facts: ReviewFacts): string[] {
        const notices = super.ofFile(facts);
        return facts.info.path.endsWith('LICENSE') ? [...notices, 'The legal team must agree to a change of this file.'] : notices;
    }
}
