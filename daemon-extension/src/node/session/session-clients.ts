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
    /** @param stillWanted called before every request; throws where nobody wants the session any more */
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
 * Makes or loads a session. The daemon starts one agent process per workspace with the first of them, gives it ten seconds, and on
 * a busy machine answers `init_timeout` where a second request is answered (Qwen Code 0.24). Nothing was made by the first one then.
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
