// SPDX-License-Identifier: Apache-2.0

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const COMPILED = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/;

/**
 * Removes from `lib` what was compiled from a source that is no longer in `src`: the compiler leaves it there, where a renamed spec would
 * still be run and a removed file still be published.
 */
export function removeStaleOutput(packageFolder) {
    const output = join(packageFolder, 'lib');
    if (!existsSync(output)) {
        return;
    }
    for (const file of readdirSync(output, { recursive: true })) {
        const [, name] = COMPILED.exec(file) ?? [];
        if (name !== undefined && !['.ts', '.tsx'].some(extension => existsSync(join(packageFolder, 'src', name + extension)))) {
            rmSync(join(output, file), { recursive: true });
        }
    }
}
