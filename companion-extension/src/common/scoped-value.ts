// SPDX-License-Identifier: Apache-2.0

import { PreferenceScope } from '@theia/core/lib/common/preferences';

/** A preference's value in one scope. Theia (1.74) checks the type of no value in a settings file. */
export interface ScopedValue {
    readonly scope: PreferenceScope;
    readonly value: unknown;
    /** The URI of the root whose own settings these are; `undefined` in any other scope. */
    readonly root?: string;
    /** The settings file, as the user knows it; `undefined` if the value is in no file, or the scope says enough. */
    readonly file?: string;
}
