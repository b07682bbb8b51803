// SPDX-License-Identifier: Apache-2.0

import { appendFileSync } from 'fs';
import { BackendApplicationContribution } from '@theia/core/lib/node';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionEvents } from 'theia-cli-companion/lib/node';

/** Appends each event, as a line of JSON, to the file that the platform names. Whose backend this is, the platform knows. */
@injectable()
export class AcmeRecord implements BackendApplicationContribution {
    @inject(CompanionEvents)
    protected readonly events: CompanionEvents;

    initialize(): void {
        const name = process.env.ACME_RECORD;
        if (name) {
            // At once: the last events come while the backend ends.
            this.events.onDidRecord(record => appendFileSync(name, `${JSON.stringify(record)}\n`, { mode: 0o600 }));
        }
    }
}
