// SPDX-License-Identifier: Apache-2.0

import { TestHost } from './test-host';

export const USER = 12345;

/** A user whom a policy binds, on a machine where somebody else has made all files of the test. */
export class BoundHost extends TestHost {
    override uid: number | undefined = USER;
    /** Where the user may write. */
    readonly writable = new Set<string>();

    override canWrite(place?: string): boolean {
        return this.writable.has(place ?? '');
    }
}
