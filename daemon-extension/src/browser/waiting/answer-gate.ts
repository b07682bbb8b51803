// SPDX-License-Identifier: Apache-2.0

import type { AnswerGuard } from 'theia-cli-companion/lib/browser';

/** The companion's guard against hasty answers, for proposals and permissions alike. */
export const AnswerGate = Symbol('AnswerGate');
export type AnswerGate = Pick<AnswerGuard, 'takesAnswer' | 'restart'>;
