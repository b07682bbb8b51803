// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common';
import { BackendApplicationContribution } from '@theia/core/lib/node';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CompanionEvents } from 'theia-cli-companion/lib/node';

/** Logs who connects, what is shared, and what becomes of proposals. No path: a log may leave the machine. */
@injectable()
export class AcmeUsage implements BackendApplicationContribution {
    @inject(CompanionEvents)
    protected readonly events: CompanionEvents;

    @inject(ILogger)
    @named('acme:AcmeUsage')
    protected readonly logger: ILogger;

    initialize(): void {
        this.events.onDidConnect(({ displayName }) => this.logger.info(`${displayName} is connected`));
        this.events.onDidDisconnect(({ displayName }) => this.logger.info(`${displayName} is gone`));
        this.events.onDidShareContext(({ displayName, files }) => this.logger.info(`${displayName} knows of ${files.length} open files`));
        this.events.onDidOpenReview(({ displayName }) => this.logger.info(`${displayName} proposes a change`));
        this.events.onDidCloseReview(({ displayName, outcome, edited }) =>
            this.logger.info(`The proposal of ${displayName} was ${outcome}${edited ? ' after an edit' : ''}`)
        );
    }
}
