// SPDX-License-Identifier: Apache-2.0

/** Bounds on what crosses between page and backend; more is refused. */
export const CompanionLimits = {
    /** Characters of a proposal's text, as a CLI may propose it and as a page may send it. */
    reviewText: 16 * 1024 * 1024,
    /** Characters of what a user makes of a proposal: longer than one, so that pasting into the longest one loses nothing. */
    editText: 32 * 1024 * 1024,
    /** Characters of a proposal that goes to the page with the request to show it. */
    shortText: 128 * 1024,
    roots: 100,
    /** Files in one context (specification, section II). */
    openFiles: 10,
    /** Bytes of UTF-8 of the selected text (specification, section II: 16 KB). */
    selectedText: 16 * 1024,
    /** Paths in one question where they lead. */
    paths: 500,
    /** Shells of one page. */
    shells: 500,
    /** Files in one answer about their problems. */
    diagnosedFiles: 100,
    /** Problems in one answer about them. */
    diagnostics: 500,
    /** Patterns of files that a user never shares. */
    patterns: 10_000,
    /** Characters of a sentence that says why something failed. */
    reason: 2000,
    /** Characters of a file's path. */
    path: 4096,
    /** Characters of a file's URI: of each character of its path it may make nine. */
    uri: 9 * 4096
} as const;

/** Keys and clicks within this time after something appears are ignored: they were aimed at what was there before. @since 0.1 */
export const MIN_VISIBLE_MS = 500;

/**
 * Whether a key or a click was aimed at what appeared then.
 *
 * @param appeared as `performance.now()` counts, as does `pressed`
 * @since 0.1
 */
export function isAimedAt(appeared: number, pressed = performance.now()): boolean {
    return pressed - appeared >= MIN_VISIBLE_MS;
}

/** After a look at a file that got no answer, the user may do the same again without one for so long. */
export const UNREAD_TIME_MS = 30_000;

/** How long a CLI may take to write what it was told. Then the user is told that it did not, and offered what was typed. */
export const WRITE_TIME_MS = 30_000;
