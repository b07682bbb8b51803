// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { HostEnvironment } from './host-environment';
import { ProcessTable, ScannedProcess } from './process-table';

/** Between two scans of all processes. */
const SCAN_PAUSE_MS = 2_000;
/** Between two scans while an agent is known, also if nothing is written. */
export const SCAN_PERIOD_MS = 10_000;

/** Looks at all processes of the user, when somebody wants it. */
@injectable()
export class ProcessScans {
    @inject(ProcessTable)
    protected readonly processes: Pick<ProcessTable, 'scan'>;
    @inject(HostEnvironment)
    protected readonly host: Pick<HostEnvironment, 'uid'>;

    protected scanning: { readonly timer: NodeJS.Timeout; readonly due: number } | undefined;
    /** When the last scan ended, as `performance.now` counts. */
    protected scannedAt = -Infinity;
    protected readonly onDidScanEmitter = new Emitter<readonly ScannedProcess[]>();
    /** Fires with all processes. */
    readonly onDidScan = this.onDidScanEmitter.event;

    /** Not more often than every 2 s. @param ms how soon that is wanted */
    scanWithin(ms: number): void {
        const now = performance.now();
        const due = Math.max(now + ms, this.scannedAt + SCAN_PAUSE_MS);
        if (!this.scanning || due < this.scanning.due) {
            clearTimeout(this.scanning?.timer);
            this.scanning = { timer: setTimeout(() => void this.scan(), due - now).unref(), due };
        }
    }

    protected async scan(): Promise<void> {
        const processes = await this.processes.scan(this.host.uid);
        this.scannedAt = performance.now();
        this.scanning = undefined;
        this.onDidScanEmitter.fire(processes);
    }
}
