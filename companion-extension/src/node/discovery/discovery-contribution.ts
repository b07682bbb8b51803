// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { inject, injectable } from '@theia/core/shared/inversify';
import { StaleDiscoveryFiles } from './stale-discovery-files';

/** Tidies up after backends that were killed. The start does not wait for it. */
@injectable()
export class DiscoveryContribution implements BackendApplicationContribution {
    @inject(StaleDiscoveryFiles)
    protected readonly staleFiles: StaleDiscoveryFiles;

    initialize(): void {
        void this.staleFiles.sweep();
    }
}
