// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { ConnectedDaemon } from '../connection/daemon-connection';
import { loadDaemonSdk } from '../connection/daemon-sdk';
import { withSlowAgent } from '../connection/slow-agent';

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
