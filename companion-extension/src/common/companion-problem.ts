// SPDX-License-Identifier: Apache-2.0

import { PreferenceScope } from '@theia/core/lib/common/preferences';

/** A problem. `problem-text.ts` has the sentences. @since 0.1 */
export type CompanionProblem =
    /** A part of the backend could not be made. */
    | { code: 'part-failed'; cause: string }
    /** The policy of the platform does not count, so no CLI is served. */
    | { code: 'policy'; file: string; fault: Fault }
    /** The window's server could not be started. */
    | { code: 'not-started' | 'too-many-open-files'; cause: string }
    /** Texts that users typed into proposals could not be written to disk. */
    | { code: 'edits-not-stored'; cause: string }
    /** Those that are kept on disk. */
    | { code: 'edits-not-read'; cause: string }
    /** The CLI does not understand the root's path, because of this text in it. */
    | { code: 'root-left-out'; cliName: string; root: string; text: string }
    /** The CLI's discovery files could not be written. */
    | { code: 'cannot-connect'; cliName: string; fault: Fault }
    | { code: 'old-files-stay'; cliName: string; fault: Fault }
    /** Two IDEs have the folder open, so the CLI connects to neither. `file` is the other one's. */
    | { code: 'other-ide'; cliName: string; ide: string; file: string }
    /** The defaults could not be written that have the CLI ask before it edits. */
    | { code: 'no-defaults'; cliName: string; fault: Fault }
    /** The variables of the CLI could not be made for a new terminal. */
    | { code: 'no-variables'; cliName: string; fault: Fault }
    /**
     * Values of a preference on sharing do not count, or nobody knows what they mean, as JSON and perhaps cut. `settings` is the file in which they stand, or its scope if that
     * says enough.
     */
    | { code: 'share-not-boolean' | 'exclude-not-counted' | 'exclude-not-understood'; value: string; settings: string | PreferenceScope }
    /** An ignore file is there, but nobody knows what it says. */
    | { code: 'ignore-unreadable' | 'ignore-undecodable'; file: string }
    /** The numbers of lines of an ignore file that are no patterns. */
    | { code: 'ignore-lines'; file: string; lines: string }
    /** From a CLI that an application contributes, in its own words. The command is for a shell. */
    | { code: 'contributed'; text: string; command?: string };

/** Why something failed. `command` is a shell command that fixes it. */
export type Fault =
    /** The cause is in the system's words, such as `EACCES: permission denied`. */
    | { code: 'failed' | 'not-published'; cause: string }
    /** File systems do not answer; the places are folders or mounts. */
    | { code: 'silent'; places: string[] }
    /** Another folder helps, which the variable names. */
    | { code: 'folder-not-made' | 'folder-not-writable'; folder: string; cause: string; variable: string; command: string }
    | { code: 'folder-of-another-user'; folder: string; variable: string; command: string }
    | { code: 'folder-relative'; variable: string; command: string }
    | { code: 'folder-is-link' | 'folder-is-file' | 'folder-open-to-others'; folder: string; command: string }
    /** A policy, or what lies on the way to it, can be written by those whom it binds. */
    | { code: 'policy-open'; place: string }
    | { code: 'policy-not-json'; cause: string }
    /** The key is unknown, or its value is. */
    | { code: 'policy-wrong'; key: string }
    /** A CLI's settings. */
    | { code: 'settings-unreadable'; file: string; cause: string }
    | { code: 'settings-not-json'; file: string; line: number }
    | { code: 'settings-no-object' | 'settings-changed'; file: string };
