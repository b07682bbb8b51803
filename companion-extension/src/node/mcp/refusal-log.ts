// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';

/** A reason is told again after so many milliseconds. */
const PERIOD = 60_000;

/** Says why requests were refused, without flooding the log: any web page can send as many as it likes. */
export class RefusalLog {
    private readonly told = new Map<string, { at: number; since: number }>();

    /** @param now milliseconds since the epoch */
    constructor(
        private readonly logger: Pick<ILogger, 'warn'>,
        private readonly now: () => number = Date.now
    ) {}

    /** @param reason one of a fixed set: nothing of the request may be in it */
    add(reason: string): void {
        const last = this.told.get(reason);
        if (last && this.now() - last.at < PERIOD) {
            last.since++;
            return;
        }
        const more = last?.since ? ` (and ${last.since} times since it was last told)` : '';
        this.told.set(reason, { at: this.now(), since: 0 });
        void this.logger.warn(`Refused a request: ${reason}${more}`);
    }
}
