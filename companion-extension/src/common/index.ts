// SPDX-License-Identifier: Apache-2.0

/** Modules of both sides: wire types, RPC interfaces, preferences, and text that is safe to show. */
export * from './agents-protocol';
export * from './calls';
export * from './clock';
export * from './companion-limits';
export * from './companion-preferences';
export * from './companion-problem';
export * from './companion-protocol';
export * from './context-protocol';
export * from './contribution-guard';
export * from './doctor-protocol';
export * from './plain-text';
export * from './problem-text';
export * from './prompt-protocol';
export * from './review-protocol';
export { joinClauses, joinSentences, listOf, SentenceTable, spokenLabel } from './sentences';
export * from './time-limit';
export * from './visible-text';
