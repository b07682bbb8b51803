// SPDX-License-Identifier: Apache-2.0

import { URI } from '@theia/core/lib/common/uri';
import { injectable } from '@theia/core/shared/inversify';
import { PreferenceContextFilter } from 'theia-cli-companion/lib/browser';

const CUSTOMERS = /(^|[\\/])customers[\\/]/;

/** As the default one, and CLIs never learn of a file in a folder `customers`. */
@injectable()
export class AcmeContextFilter extends PreferenceContextFilter {
    override isShared(path: string): boolean {
        return !CUSTOMERS.test(path) && super.isShared(path);
    }

    override withheldBy(uri: URI): string | undefined {
        return CUSTOMERS.test(uri.path.toString()) ? "Acme's rule for customers' data" : super.withheldBy(uri);
    }
}
