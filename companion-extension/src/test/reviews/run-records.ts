// SPDX-License-Identifier: Apache-2.0

import { PageReviews } from '../../browser/review/page-reviews';
import { ReviewAbout, SeenFile } from '../../common/companion-protocol';
import { ModelTab } from './model-tab';
import { ModelCli } from './review-world';

/** What a person typed, on top of what, and when. An undo that takes back the text of another page is on top of nothing. */
export interface Typed {
    readonly text: string;
    readonly before: string;
    readonly about: ReviewAbout;
    readonly at: number;
    readonly tab: ModelTab;
    readonly page: PageReviews;
    /** It is the proposal again. */
    readonly takesBack: boolean;
    /** By an undo: the text had been typed before. */
    readonly isUndo: boolean;
    /** What that undo has taken back, if it was typed here. */
    readonly undoes?: Typed;
    /** Of the revision that it became a part of. */
    readonly n: number;
}

export interface Asked {
    readonly path: string;
    readonly proposal: string;
    readonly cli: ModelCli;
}

export interface Answered {
    readonly tab: ModelTab;
    readonly loadId: string;
    readonly reviewId: string;
    readonly accepts: boolean;
    readonly text: string;
    /** What was on the left; absent if the person accepted without a look at the file. */
    readonly file?: SeenFile;
}
