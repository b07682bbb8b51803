// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';

/** Whether a path is in a folder, or is the folder. Both are absolute; links are not resolved. */
export function isInside(folder: string, file: string): boolean {
    const relative = path.relative(folder, file);
    return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
