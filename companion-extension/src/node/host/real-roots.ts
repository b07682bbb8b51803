// SPDX-License-Identifier: Apache-2.0

import { realpath } from 'fs/promises';
import { FileUri } from '@theia/core/lib/common/file-uri';
import URI from '@theia/core/lib/common/uri';
import { FileAccessQueues } from './file-access-queues';

/** How long a look at a root may take, in milliseconds: a network file system may never answer. */
const REALPATH_LIMIT = 2_000;

export interface RealRoots {
    /** Absolute real paths, each once. */
    readonly roots: string[];
    /** Those that the workspace names otherwise, by that name. */
    readonly links: ReadonlyMap<string, string>;
}

/**
 * The CLIs compare real paths. Roots that are not in the file system are left out; one that cannot be resolved stays as it is, since it
 * may come into being. Where no answer comes, what was known before counts. Never rejects.
 *
 * @param uris of the workspace's roots
 * @param before the links that were found last
 */
export async function realRoots(
    uris: readonly string[],
    tasks: FileAccessQueues,
    before: RealRoots['links'] = new Map()
): Promise<RealRoots> {
    const paths = uris
        .map(uri => new URI(uri))
        .filter(uri => uri.scheme === 'file')
        .map(uri => FileUri.fsPath(uri));
    const known = (root: string, { code }: NodeJS.ErrnoException): string => (code === 'ENOENT' ? root : (before.get(root) ?? root));
    const real = await Promise.all(
        paths.map(root => tasks.run(tasks.queueOf(root), () => realpath(root), REALPATH_LIMIT).catch(error => known(root, error)))
    );
    const links = paths.map((root, index): [string, string] => [root, real[index]]).filter(([root, target]) => root !== target);
    return { roots: [...new Set(real)], links: new Map(links) };
}
