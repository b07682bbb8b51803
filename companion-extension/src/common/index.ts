// SPDX-License-Identifier: Apache-2.0
// The contract of both sides: docs/embedding.md, "The contract". All else is below `theia-cli-companion/lib/common/internal`.

export { Calls } from './calls';
export { Clock, SystemClock } from './clock';
export { isAimedAt, MIN_VISIBLE_MS } from './companion-limits';
export type { BackendPreferences } from './companion-preferences';
export { CompanionProblem } from './companion-problem';
export {
    AgentKind,
    AgentState,
    AgentStatus,
    IdeContext,
    IdeContextFile,
    MentionStyle,
    ReviewInfo,
    ReviewTraits
} from './companion-protocol';
export { ContributionGuard } from './contribution-guard';
export { plainText, withoutIcons } from './plain-text';
export { listOf, SentenceRow, SentenceTable, spokenLabel } from './sentences';
export { withTimeLimit } from './time-limit';
export { visibleLines, visibleText } from './visible-text';
