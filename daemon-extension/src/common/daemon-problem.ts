// SPDX-License-Identifier: Apache-2.0

/**
 * What went wrong, as the backend sends it: a code with its arguments. The page makes the sentences (`daemon-problem-text.ts`).
 * Arguments in the daemon's or the system's own words are plain text, never markup, and without secrets.
 */
export type DaemonProblem =
    | { code: 'off' | 'no-workspace' | 'untrusted' | 'ai-off' | 'token-in-preferences' | 'starting' | 'no-credentials' }
    | { code: 'session-limit' | 'prompt-limit' }
    /** Off, or on with another daemon, since the turn began. */
    | { code: 'switched-off' | 'other-daemon' }
    /** The source is the setting or the variable that holds the address. */
    | { code: 'bad-url'; source: string }
    | { code: 'remote-host'; source: string; hostname: string }
    /** The path is of a file that others can read or write. */
    | { code: 'bad-token-file'; openToOthers?: string }
    | { code: 'no-cli'; configured: boolean }
    | { code: 'not-running'; host: string }
    /** The cause is in the system's and the daemon's words, and empty if it only did not say where it listens. */
    | { code: 'start-failed'; cause: string }
    | { code: 'wrong-token'; hasToken: boolean }
    | { code: 'workspace-mismatch'; requested: string; offered: string[] }
    | { code: 'incompatible'; version?: string; missing: string[] }
    /** The daemon does not know the session; some client closed it; its process ended. */
    | { code: 'session-gone' | 'session-closed' | 'session-died' }
    /** Qwen works; or its session does not know the turn. */
    | { code: 'turn-runs' | 'no-undo' }
    /** The connection to the daemon; or the daemon itself ended in the middle of a turn. */
    | { code: 'daemon-lost' | 'turn-lost' }
    /** The cause is in the model's words, and may be empty. */
    | { code: 'model-failed'; cause: string }
    /** The page asked for something that it was not offered; the daemon did not answer; the prompt was not sent in time. */
    | { code: 'invalid' | 'no-answer' | 'not-sent' | 'stopping' }
    | { code: 'call-failed'; status: number; daemonCode?: string }
    /** The name is that of the image which is wrong; absent if all together are too large. */
    | { code: 'bad-image'; name?: string }
    | { code: 'failed'; cause: string };

/** A problem in sentences; plain text, never markup. */
export interface DaemonProblemText {
    readonly message: string;
    /** What the user can do. */
    readonly nextStep?: string;
}

/** What limits but does not prevent the daemon's use. */
export type DaemonWarning =
    /** It wants no token. */
    'open-daemon' | 'unencrypted';

/** Something that a chat cannot show faithfully, or that the user should know. */
export type SessionNotice =
    | { code: 'history-shortened' | 'rewound' | 'vote-elsewhere' }
    /** A part of the answer, or an event that cannot be read; the kind is the daemon's word. */
    | { code: 'part-not-shown'; kind: string }
    /** The text may be empty. */
    | { code: 'prompt-extended'; text: string }
    /** What became of a command or agent in the background; the text is Qwen's. */
    | { code: 'background'; text: string }
    /** How the goal is on which Qwen works by itself; the status is the daemon's word, and absent if there is no goal. */
    | { code: 'goal'; objective: string; status?: string }
    /** An image of a prompt that was asked elsewhere, or earlier. */
    | { code: 'prompt-image'; name: string }
    /** By another model, which got them. */
    | { code: 'images-described'; described: number; by: string };
