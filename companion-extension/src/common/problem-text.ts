// SPDX-License-Identifier: Apache-2.0

import { CompanionProblem } from './companion-protocol';

/** A problem in one line. */
export function problemText({ text, command }: CompanionProblem): string {
    return command === undefined ? text : `${text} Run: ${command}`;
}
