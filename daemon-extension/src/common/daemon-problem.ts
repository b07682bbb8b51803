// SPDX-License-Identifier: Apache-2.0

import { ImageFlaw } from './prompt-image';

/**
 * What went wrong, as the backend sends it: a code with its arguments. The page makes the sentences (`daemon-problem-text.ts`, `daemon-notice-text.ts`).
 * Arguments in the daemon's or the system's own words are plain text, never markup, and without secrets.
 */
export type DaemonProblem =
    | {
          code:
              | 'off'
              | 'no-workspace'
              | 'untrusted'
              | 'ai-off'
              | 'token-in-preferences'
              | 'starting'
              | 'no-credentials'
              | 'session-limit'
              | 'prompt-limit';
      }
    /** While a turn ran. */
    | { code: 'switched-off' }
    /** The source is the setting or the variable that holds the address. */
    | { code: 'bad-url'; source: string; flaw: 'no-url' | 'no-http' | 'credentials' | 'query' }
    | { code: 'remote-host'; source: string; hostname: string }
    | { code: 'bad-token-file'; flaw: 'relative' | 'no-token-file' | 'no-token' }
    | { code: 'bad-token-file'; flaw: 'unreadable'; cause?: string }
    | { code: 'bad-token-file'; flaw: 'open-to-others'; file: string }
    | { code: 'no-cli'; configured: boolean }
    | { code: 'not-running'; host: string }
    | { code: 'start-failed'; fault: StartFault }
    | { code: 'wrong-token'; hasToken: boolean }
    | { code: 'workspace-mismatch'; requested: string; offered: string[] }
    | { code: 'incompatible'; flaw: 'answer' }
    | { code: 'incompatible'; flaw: 'protocol'; mode: string; protocols?: string[] }
    | { code: 'incompatible'; flaw: 'features'; version?: string; missing: string[] }
    /** The daemon does not know the session. */
    | { code: 'session-gone' }
    /** Some client closed it. */
    | { code: 'session-closed' }
    | { code: 'session-died'; reason?: string }
    | { code: 'turn-runs' }
    /** Qwen's session does not know the turn. */
    | { code: 'no-undo' }
    /** The connection to the daemon. */
    | { code: 'daemon-lost'; host?: string }
    /** The user configured another one. */
    | { code: 'other-daemon' }
    /** The daemon ended in the middle of a turn. */
    | { code: 'turn-lost' }
    /** The cause is in the model's words, and may be empty. */
    | { code: 'model-failed'; isPast?: boolean; cause: string }
    /** The page asked for something that it was not offered. */
    | { code: 'invalid'; flaw: InvalidRequest }
    | { code: 'no-answer'; call: DaemonCall }
    | { code: 'call-failed'; call: DaemonCall; status: number; daemonCode?: string }
    /** The name is that of the image which is wrong. */
    | { code: 'bad-image'; flaw: ImageFlaw; name?: string }
    /** The daemon takes none. */
    | { code: 'no-images' }
    | { code: 'not-sent' | 'stopping' }
    | { code: 'failed'; cause: string };

export type ProblemOf<Code extends DaemonProblem['code']> = Extract<DaemonProblem, { code: Code }>;

/** A problem in sentences; plain text, never markup. */
export interface DaemonProblemText {
    readonly message: string;
    /** What the user can do. */
    readonly nextStep?: string;
}

/** The same, where they are made: the message, and the next step if there is one. */
export type Sentences = readonly [message: string, nextStep?: string];

/** Why a managed daemon does not start. */
export type StartFault = DaemonEnd | { code: 'silent' } | { code: 'failed'; cause: string };

/** How the process of a managed daemon ended. */
export interface DaemonEnd {
    code: 'ended';
    exitCode?: number;
    signal?: string;
    /** The last that it said, without secrets. */
    lastLine?: string;
}

export type InvalidRequest =
    | 'session-not-opened'
    | 'turn-unknown'
    | 'model-not-offered'
    | 'mode-not-offered'
    | 'answer-not-offered'
    | 'no-questions'
    | 'answer-missing';

/** What was asked of the daemon. */
export type DaemonCall =
    | 'connect'
    | 'list-sessions'
    | 'open-session'
    | 'load-session'
    | 'read-events'
    | 'send-prompt'
    | 'cancel-turn'
    | 'undo-turn'
    | 'answer-permission'
    | 'upload-image'
    | 'set-model'
    | 'set-mode';

/** What limits but does not prevent the daemon's use. */
export type DaemonWarning =
    /** It wants no token. */
    'open-daemon' | 'unencrypted';

/** Something that a chat cannot show faithfully, or that the user should know. */
export type SessionNotice =
    | { code: 'history-shortened' | 'history-unreadable' | 'unreadable' | 'rewound' | 'vote-missing' | 'vote-refused' }
    /** Of the answer; the kind is the daemon's word. */
    | { code: 'part-not-shown'; kind: string }
    /** The event is the daemon's word. */
    | { code: 'event-unreadable'; event: string }
    /** The text may be empty. */
    | { code: 'prompt-extended'; text: string }
    /** What became of a command or agent in the background; the text is Qwen's. */
    | { code: 'background'; text: string }
    /** How the goal is on which Qwen works by itself; the status is the daemon's word, and absent if there is no goal. */
    | { code: 'goal'; objective: string; status?: string }
    /** An image of a prompt that was asked elsewhere, or earlier. */
    | { code: 'prompt-image'; name: string }
    /** By another model; `sent`: it got them. */
    | { code: 'images-described'; described: number; omitted: number; by: string; sent: boolean };
