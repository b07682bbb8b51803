// SPDX-License-Identifier: Apache-2.0

/** The page's modules that an application may import. docs/embedding.md says what is stable. */
export * from './companion-commands';
export * from './agents/page-agents';
export * from './changes/page-changes';
export * from './context/context-contribution';
export * from './context/context-tracker';
export * from './context/context-filter';
export * from './doctor/doctor-contribution';
export * from './doctor/log-contribution';
export * from './review/kept-edits';
export * from './review/page-review';
export * from './review/page-reviews';
export * from './review/review-bars';
export * from './review/review-commands';
export * from './diff/diff-editor';
export * from './review/review-editors';
export * from './review/review-notices';
export * from './review/review-focus';
export * from './review/review-messages';
export * from './review/review-notices';
export * from './review/review-uris';
export * from './review/reviews-contribution';
export * from './review/waiting-reviews';
export * from './status/companion-status';
export * from './status/status-pick';
export * from './window/answer-guard';
export * from './window/cli-terminals';
export * from './terminal/cli-starter';
export * from './terminal/ide-mode-question';
export * from './terminal/cli-prompt';
export * from './terminal/prompt-contribution';
export * from './terminal/run-contribution';
export * from './window/companion-connection';
export * from './window/status-section-contribution';
export * from './window/window-identity';
export * from './window/workspace-paths';
