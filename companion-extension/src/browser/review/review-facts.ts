// SPDX-License-Identifier: Apache-2.0

import { FileFacts, ReviewInfo } from '../../common/companion-protocol';
import { OriginalDifference } from './original-difference';

/**
 * What the user has answered, where that takes long. It waits for
 * - `connection`: nothing of it has left the page
 * - `confirmation`: it may have arrived
 * - `reload`: until then nothing arrives
 */
export interface UnconfirmedAnswer {
    readonly accepts: boolean;
    readonly waitsFor: 'connection' | 'confirmation' | 'reload';
}

/** The facts about a review that matter for a decision. */
export interface ReviewFacts {
    readonly info: ReviewInfo;
    /** The user's text. */
    readonly isEdited: boolean;
    readonly isEmptied: boolean;
    readonly isTooLong: boolean;
    /** True if the typed text would be lost with the page. */
    readonly isAtRisk: boolean;
    readonly unconfirmed?: UnconfirmedAnswer;
    /** No line differs. */
    readonly changesNothing: boolean;
    readonly differences: readonly OriginalDifference[];
    /** The name of the encoding that the user has chosen for the file. */
    readonly chosenEncoding?: string;
    /** What the backend has seen of the file. */
    readonly file?: FileFacts;
    /** How many lines of an edited proposal may get another line end. */
    readonly uncertainLineEnds?: number;
    /** The file is open with unsaved changes. */
    readonly isUnsaved: boolean;
}

/** A sentence above the diff, and what it offers: to start the CLI again, to ask it again, to take the answer back, or to choose the encoding. */
export interface ReviewNotice {
    readonly text: string;
    readonly action?: 'runCli' | 'askAgain' | 'takeBack' | 'chooseEncoding';
}
