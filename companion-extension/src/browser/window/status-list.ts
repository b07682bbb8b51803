// SPDX-License-Identifier: Apache-2.0

import { ReviewInfo } from '../../common/companion-protocol';

/** True while the list of the status is open. */
export const STATUS_LISTED_KEY = 'companionReviewsListed';

export const StatusList = Symbol('StatusList');
/** The list that opens from the status bar. While it is open, the keys of an answer mean its highlighted row. */
export interface StatusList {
    readonly isOpen: boolean;
    /** The review of the highlighted row, if it has one. */
    readonly activeReview: ReviewInfo | undefined;
    hide(): void;
}
