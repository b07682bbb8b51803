// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem, DaemonWarning } from './daemon-problem';

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
    warnings: DaemonWarning[];
}

/** The answer to a call that may fail for reasons that the user should read. */
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: DaemonProblem };
