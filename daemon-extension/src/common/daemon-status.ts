// SPDX-License-Identifier: Apache-2.0

/**
 * - `off`: not enabled; nothing is loaded, started or contacted
 * - `idle`: enabled; nothing is contacted before the first chat session or {@link QwenDaemonBackend.connect}
 * - `connecting`: the daemon's capabilities are being asked for
 * - `starting`: a managed daemon was started, or a daemon answers that it is not ready yet
 * - `connected`
 * - `reconnecting`: it was connected, and is being tried again without the user's help
 * - `lost`: it was connected, and trying again was given up
 * - `refused`: it cannot be used until the user changes something
 */
export type DaemonState = 'off' | 'idle' | 'connecting' | 'starting' | 'connected' | 'reconnecting' | 'lost' | 'refused';

/** The managed daemon is started and stopped by this backend; an external one is only ever talked to. */
export type DaemonKind = 'managed' | 'external';

/** What a page may know of the connection. No token, no credentials, no error bodies of the daemon. */
export interface DaemonStatus {
    /** Numbered by the backend; an older one than one already seen is ignored. */
    sequence: number;
    state: DaemonState;
    /** Absent until the kind is known. */
    kind?: DaemonKind;
    /** Host and port, e.g. `127.0.0.1:4170`. */
    host?: string;
    /** Folder, on the daemon's host, that the daemon works in. */
    workspaceCwd?: string;
    /** Version of Qwen Code that the daemon says. */
    version?: string;
    /** The reason for the state, and what the user can do about it. */
    problem?: DaemonProblem;
    /** Things that limit but do not prevent its use, in sentences for the user. */
    warnings: string[];
}

export type DaemonProblemCode =
    | 'off'
    | 'no-workspace'
    | 'bad-url'
    | 'remote-host'
    | 'token-in-preferences'
    | 'bad-token-file'
    | 'no-cli'
    | 'not-running'
    | 'starting'
    | 'start-failed'
    | 'wrong-token'
    | 'workspace-mismatch'
    | 'incompatible'
    | 'no-credentials'
    | 'session-limit'
    | 'prompt-limit'
    | 'session-gone'
    | 'session-died'
    | 'daemon-lost'
    | 'model-failed'
    /** The page asked for something that it was not offered. */
    | 'invalid'
    | 'failed';

/** A problem in words for the user; texts are plain text, never markup. */
export interface DaemonProblem {
    code: DaemonProblemCode;
    message: string;
    /** What the user can do. */
    nextStep?: string;
}

/** As one text for people. */
export function problemText({ message, nextStep }: DaemonProblem, separator = '\n'): string {
    return nextStep ? `${message}${separator}${nextStep}` : message;
}

export const daemonOff: DaemonProblem = {
    code: 'off',
    message: 'The Qwen Code daemon is not enabled.',
    nextStep: 'Set qwen-code.experimentalDaemon.enabled in the user settings.'
};

/** The answer to a call that may fail for reasons that the user should read. */
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: DaemonProblem };
