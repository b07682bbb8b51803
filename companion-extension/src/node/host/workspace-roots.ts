// SPDX-License-Identifier: Apache-2.0

import { realpath } from 'fs/promises';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import URI from '@theia/core/lib/common/uri';
import { CompanionProblem } from '../../common/companion-problem';
import { OneAtATime, queueOf } from './one-at-a-time';

/** How long a look at a root may take, in milliseconds: a network file system may never answer. */
const REALPATH_LIMIT = 2_000;

/** Whether a path lies in a folder, or is the folder. Both are absolute; links are not resolved. */
export function isInside(folder: string, file: string): boolean {
    const relative = path.relative(folder, file);
    return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

export interface RealRoots {
    /** Absolute real paths, each once. */
    readonly roots: string[];
    /** Those that the workspace names otherwise, by that name. */
    readonly links: ReadonlyMap<string, string>;
}

/**
 * The CLIs compare real paths. Roots that are not in the file system are left out; one that cannot be resolved stays as it is, since it
 * may come into being. Never rejects.
 *
 * @param uris of the workspace's roots
 */
export async function realRoots(uris: readonly string[], tasks: OneAtATime): Promise<RealRoots> {
    const paths = uris
        .map(uri => new URI(uri))
        .filter(uri => uri.scheme === 'file')
        .map(uri => FileUri.fsPath(uri));
    const real = await Promise.all(
        paths.map(root => tasks.run(queueOf(root, root), () => realpath(root), REALPATH_LIMIT).catch(() => root))
    );
    const links = paths.map((root, index): [string, string] => [root, real[index]]).filter(([root, target]) => root !== target);
    return { roots: [...new Set(real)], links: new Map(links) };
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

/** How a discovery file and the terminal variables name the workspace. Empty if no folder is open. */
export function workspacePath(roots: readonly string[]): string {
    return roots.join(path.delimiter);
}
