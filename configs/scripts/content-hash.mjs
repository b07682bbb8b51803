// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './project.mjs';

/** A hash of the names and contents of files, and of all files below folders. Missing ones count as such. */
export function contentHash(paths, isRelevant = () => true) {
    const hash = createHash('sha256');
    for (const file of paths.flatMap(filesBelow).filter(isRelevant)) {
        hash.update(`${relative(ROOT, file)}\0`)
            .update(readFileSync(file))
            .update('\0');
    }
    return hash.digest('hex');
}

function filesBelow(path) {
    if (!existsSync(path)) {
        return [];
    }
    if (!statSync(path).isDirectory()) {
        return [path];
    }
    return readdirSync(path)
        .sort()
        .flatMap(name => filesBelow(join(path, name)));
}
