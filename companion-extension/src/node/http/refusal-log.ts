// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';

/** How soon a reason is logged again. */
const REFUSAL_PERIOD_MS = 60_000;

/** Says why requests were refused, without flooding the log: any web page can send as many as it likes. */
export class RefusalLog {
    protected readonly logged = new Map<string, { at: number; since: number }>();

    /** @param now in milliseconds; the wall clock would silence a reason for a day if it is set back by a day */
    constructor(
        protected readonly logger: Pick<ILogger, 'warn'>,
        protected readonly now: () => number = () => performance.now()
    ) {}

    /** @param reason one of a fixed set: nothing of the request may be in it */
    add(reason: string): void {
        this.warn(`Refused a request: ${reason}`);
    }

    warn(text: string): void {
        const last = this.logged.get(text);
        if (last && this.now() - last.at < REFUSAL_PERIOD_MS) {
            last.since++;
            return;
        }
        const more = last?.since ? ` (and ${last.since} times since it was last logged)` : '';
        this.logged.set(text, { at: this.now(), since: 0 });
        void this.logger.warn(`${text}${more}`);
    }
}
