// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { inject, injectable } from '@theia/core/shared/inversify';
import { DaemonParts } from './daemon-parts';

/** Ties the managed daemons to the life of the backend process. */
@injectable()
export class DaemonBackendContribution implements BackendApplicationContribution {
    // Made here, in the backend's own container: what it makes must outlive the connections of pages.
    @inject(DaemonParts)
    protected readonly parts: DaemonParts;

    async initialize(): Promise<void> {
        if (process.platform !== 'win32') {
            // Theia does not handle SIGHUP (1.74), and the process would end without a stop.
            process.once('SIGHUP', () => {
                this.parts.workspaces?.terminateSync();
                process.kill(process.pid, 'SIGHUP');
            });
        }
    }

    /** On `process.exit` only what runs before the first `await` happens (Theia 1.74). */
    async onStop(): Promise<void> {
        this.parts.workspaces?.terminateSync();
        await this.parts.workspaces?.stop();
    }
}
