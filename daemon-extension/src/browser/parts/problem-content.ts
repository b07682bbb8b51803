// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem } from '../../common/daemon-problem';
import { StoredContent } from './stored-content';

export const PROBLEM_KIND = 'qwenDaemonProblem';

/** Kept in sentences, as notices are: a stored chat says what it said before. */
export interface ProblemData {
    message: string;
    code: DaemonProblem['code'];
    /** The daemon did not get the message. */
    isUnsent?: boolean;
}

/** What went wrong and what helps, with a button if one does. */
export class ProblemContent extends StoredContent<ProblemData> {
    readonly kind = PROBLEM_KIND;

    override asString(): string {
        return this.data.message;
    }
}
