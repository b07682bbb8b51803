// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { CompanionProblem } from '../../common/companion-problem';

/** Whether a path lies in a folder, or is the folder. Both are absolute; links are not resolved. */
export function isInside(folder: string, file: string): boolean {
    const relative = path.relative(folder, file);
    return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The roots that the CLIs can be told, and what is left out. */
export interface CheckedRoots {
    readonly expressible: readonly string[];
    readonly problems: readonly CompanionProblem[];
}

/**
 * Both CLIs split the workspace's path at the delimiter, and Gemini CLI (0.61) decodes `%` as in a URL: a root with one of them
 * would name other folders, which the CLI then takes for part of the workspace.
 *
 * @param roots absolute paths
 * @param delimiter of paths in a list, on this system
 */
export function checkRoots(roots: readonly string[], delimiter: string = path.delimiter): CheckedRoots {
    const isExpressible = (root: string): boolean => !root.includes(delimiter) && !root.includes('%');
    return {
        expressible: roots.filter(isExpressible),
        problems: roots.filter(root => !isExpressible(root)).map(root => ({ code: 'root-left-out', root, delimiter }))
    };
}
