// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { ConnectedDaemon, loadDaemonSdk } from '../connection/daemon-connection';
import { DaemonError } from '../connection/daemon-problems';

/** What a new session is made with. */
export interface NewSession {
    approvalMode: string;
    /** The daemon keeps both with the session. */
    sourceType: string;
    sourceId: string;
}

/** Makes the client library's objects for sessions. */
export namespace SessionClients {
    /** @param stillWanted called before every request; throws if nobody wants the session any more */
    export async function create(daemon: ConnectedDaemon, options: NewSession, stillWanted: () => void): Promise<DaemonSessionClient> {
        const { DaemonSessionClient: clients } = await loadDaemonSdk();
        return withSlowAgent(async () => {
            stillWanted();
            // The default scope shares one session among all clients of the workspace.
            return clients.createOrAttach(daemon.client, { ...options, workspaceCwd: daemon.workspaceCwd, sessionScope: 'thread' });
        });
    }

    /** @param approvalMode a load without it comes back in the settings' default, which is looser */
    export async function load(
        daemon: ConnectedDaemon,
        sessionId: string,
        approvalMode: string,
        stillWanted: () => void
    ): Promise<DaemonSessionClient> {
        const { DaemonSessionClient: clients } = await loadDaemonSdk();
        return withSlowAgent(async () => {
            stillWanted();
            return clients.load(daemon.client, sessionId, { workspaceCwd: daemon.workspaceCwd, approvalMode });
        });
    }
}

const ATTEMPTS = 3;

/**
 * Makes or loads a session. With the first session of a workspace the daemon starts an agent process and gives it ten seconds. On a busy
 * machine it answers `init_timeout` and has made nothing; a second request then succeeds (Qwen Code 0.24).
 */
export async function withSlowAgent<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
        try {
            return await call();
        } catch (error) {
            if (attempt >= ATTEMPTS || DaemonError.code(error) !== 'init_timeout') {
                throw error;
            }
        }
    }
}
