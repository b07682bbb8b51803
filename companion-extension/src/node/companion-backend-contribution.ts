// SPDX-License-Identifier: Apache-2.0

import type { EventEmitter } from 'events';
import { ILogger } from '@theia/core/lib/common/logger';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { DiscoveryFiles } from './discovery/discovery-files';
import { TheiaRelease } from './host/theia-release';
import { WindowServers } from './server/window-servers';

/** Ties the servers to the life of the backend process. */
@injectable()
export class CompanionBackendContribution implements BackendApplicationContribution {
    @inject(WindowServers)
    protected readonly servers: WindowServers;

    @inject(DiscoveryFiles)
    protected readonly files: DiscoveryFiles;

    @inject(TheiaRelease)
    protected readonly theia: TheiaRelease;

    @inject(ILogger)
    @named('companion:CompanionBackendContribution')
    protected readonly logger: ILogger;

    async initialize(): Promise<void> {
        const { untried } = this.theia;
        if (untried) {
            this.logger.info(`The companion was tried with Theia up to ${untried.newestTried}. This one is newer: ${untried.version}`);
        }
        // docs/theia-workarounds.md, "A hang-up ends the backend without a stop".
        process.on('SIGHUP', this.hangUp);
        // The start does not wait for it.
        this.files.startSweeping();
    }

    protected readonly hangUp = (): void => {
        // With another listener, such as one that reads a configuration again, the signal ends nothing. What it ends runs `onStop`.
        if (process.listenerCount('SIGHUP') === 1) {
            process.off('SIGHUP', this.hangUp);
            this.files.removeSync();
            process.kill(process.pid, 'SIGHUP');
        }
    };

    /**
     * A page is coming: the backend loads what no backend without a page needs. Not with the first request, which would delay the page's
     * scripts, but when the web socket opens: the page then runs them, and asks for nothing yet.
     */
    onStart(server: Pick<EventEmitter, 'once'>): void {
        server.once('upgrade', () => {
            // What cannot be loaded fails again, with its reason, where it is needed.
            import('../common/page-payloads').catch(() => undefined);
        });
    }

    /** Removes the files first: on `process.exit` only what runs before the first `await` happens (Theia 1.74). */
    async onStop(): Promise<void> {
        this.files.removeSync();
        await this.servers.stop();
    }
}
