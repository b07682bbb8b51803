// SPDX-License-Identifier: Apache-2.0

import { version } from '@theia/core/package.json';
import { injectable } from '@theia/core/shared/inversify';

/** The release of Theia of which the application is made. */
@injectable()
export class TheiaRelease {
    readonly version: string = version;

    /** What `npm run matrix` passed with last. The table in docs/embedding.md has all. */
    readonly newestTried = '1.76.0-next.10';

    /** Absent if the companion was tried with this release, or with a newer one. */
    get untried(): Pick<TheiaRelease, 'version' | 'newestTried'> | undefined {
        const { version, newestTried } = this;
        const [release] = newestTried.split('-');
        // The pre-releases of a release come before it.
        const isNewer = version.localeCompare(release, 'en', { numeric: true }) >= 0 && !version.startsWith(`${release}-`);
        return isNewer ? { version, newestTried } : undefined;
    }
}
