// SPDX-License-Identifier: Apache-2.0
// The page's contract: docs/embedding.md, "The contract". All else is below `theia-cli-companion/lib/browser/internal`.

export { PageAgent, PageAgents, PageAgentStatus } from './agents/page-agents';
export { WaitingAgent, WaitingAgentContribution } from './agents/waiting-agent-contribution';
export { PageChanges } from './changes/page-changes';
export { CompanionCommands } from './companion-commands';
export { ContextFilter, PreferenceContextFilter } from './context/context-filter';
export { ContextTracker } from './context/context-tracker';
export { ReviewFacts, ReviewNotice, ReviewNotices } from './review/review-notices';
export { ORIGINAL_SCHEME, PROPOSED_SCHEME } from './review/review-uris';
export { AnswerGuard } from './window/answer-guard';
export { CompanionConnection } from './window/companion-connection';
export {
    RowButton,
    StatusAction,
    StatusBrief,
    StatusRow,
    StatusSection,
    StatusSectionContribution
} from './window/status-section-contribution';
export { WorkspacePaths } from './window/workspace-paths';
