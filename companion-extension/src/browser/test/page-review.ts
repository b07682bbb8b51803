// SPDX-License-Identifier: Apache-2.0

import { SystemClock } from '../../common/clock';
import { ReviewInfo } from '../../common/companion-protocol';
import { OwnReview, PageReview } from '../review/page-review';
import { ReviewText } from '../review/review-text';
import { reviewInfo } from './review-info';

/** A review that waits, as its owner has it. */
export function pageReview(id: string, changes: Partial<ReviewInfo> = {}): OwnReview {
    const info = reviewInfo(id, changes);
    const about = { reviewId: id, uri: info.uri, cliName: info.cliName };
    const text = new ReviewText(about, {
        clock: new SystemClock(),
        newRevision: () => ({ page: 'page', n: 1 }),
        flush: () => undefined
    });
    text.load({ review: info, proposal: 'proposed\n' });
    return Object.assign(new PageReview(text), { info, isListed: true });
}
