// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TelemetryService } from '@theia/telemetry/lib/common';
import { CompanionEvents, CompanionRecord } from 'theia-cli-companion/lib/node';

/** Reports each event to Theia's telemetry: it goes to the sinks that the product has. */
@injectable()
export class AcmeTelemetry implements BackendApplicationContribution {
    @inject(CompanionEvents)
    protected readonly events: CompanionEvents;

    @inject(TelemetryService)
    protected readonly telemetry: TelemetryService;

    initialize(): void {
        this.events.onDidRecord(record => this.telemetry.report<CompanionRecord>(`acme/companion/${record.kind}`, record));
    }
}
