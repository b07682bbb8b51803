// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import URI from '@theia/core/lib/common/uri';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { OneAtATime } from '../one-at-a-time';
import { queueOf } from '../queue-of';

/** In milliseconds: a network file system may never answer. */
const REALPATH_LIMIT = 2_000;

/** Finds the real paths of windows' roots: the CLIs compare real ones. */
export class WindowRoots {
    constructor(private readonly tasks: OneAtATime) {}

    /**
     * Roots that are not in the file system are left out; one that cannot be resolved stays as it is, since it may come into being.
     * Never rejects.
     *
     * @param uris URIs of the workspace's roots
     */
    async realPaths(uris: readonly string[]): Promise<string[]> {
        const paths = uris
            .map(uri => new URI(uri))
            .filter(uri => uri.scheme === 'file')
            .map(uri => FileUri.fsPath(uri));
        const real = await Promise.all(paths.map(path => this.realPath(path)));
        return [...new Set(real)];
    }

    private realPath(path: string): Promise<string> {
        return this.tasks.run(queueOf(path, path), () => fs.promises.realpath(path), REALPATH_LIMIT).catch(() => path);
    }
}
