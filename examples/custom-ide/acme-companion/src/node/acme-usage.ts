// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common';
import { BackendApplicationContribution } from '@theia/core/lib/node';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CompanionEvents } from 'theia-cli-companion/lib/node';

/** Logs what happens, and how many files are shared. No path: a log may leave the machine. */
@injectable()
export class AcmeUsage implements BackendApplicationContribution {
    @inject(CompanionEvents)
    protected readonly events: CompanionEvents;

    @inject(ILogger)
    @named('acme:AcmeUsage')
    protected readonly logger: ILogger;

    initialize(): void {
        this.events.onDidShareContext(({ displayName, files }) => this.logger.info(`${displayName} knows of ${files.length} open files`));
        this.events.onDidRecord(record => {
            const who = 'cliId' in record ? record.cliId : record.agents.join(', ');
            this.logger.info(`${who}: ${record.kind}`);
        });
    }
}
