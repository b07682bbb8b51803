// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';

/**
 * Looks for what is patched of Theia and Monaco, which is no API: another version may not have it. The patch is then left out
 * (docs/theia-workarounds.md).
 */
@injectable()
export class TheiaInternals {
    @inject(ILogger)
    @named('companion:TheiaInternals')
    protected readonly logger: ILogger;

    protected readonly missing = new Set<string>();

    /** @param name of the member, with its class. Says once in the log that it is not there */
    has(owner: object | undefined, member: string, name: string): boolean {
        const isThere = owner !== undefined && member in owner;
        if (!isThere && !this.missing.has(name)) {
            this.missing.add(name);
            this.logger.warn(`This Theia has no ${name}: what the companion works around there is left as it is`);
        }
        return isThere;
    }
}
