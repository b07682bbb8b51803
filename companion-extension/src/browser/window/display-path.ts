// SPDX-License-Identifier: Apache-2.0

/** What a row of a list has room for, in a window of 900 pixels. In characters. */
const ROOM = 60;
const ELLIPSIS = '…';

/**
 * How the workspace's user names a path: relative to its root, after the root's name if there are several. The whole path if two roots have
 * that name.
 *
 * @param path absolute
 * @param roots absolute paths of the workspace's roots
 */
export function displayPath(path: string, roots: readonly string[]): string {
    const names = segmentsOf(path);
    const inside = roots
        .map(segmentsOf)
        .filter(root => root.every((name, index) => name === names[index]))
        .sort((one, other) => other.length - one.length);
    const [root] = inside;
    const namesakes = roots.filter(other => segmentsOf(other).at(-1) === root?.at(-1));
    if (!root || root.length === 0 || namesakes.length > 1) {
        return path;
    }
    const relative = names.slice(root.length);
    return relative.length === 0 || roots.length > 1 ? [...root.slice(-1), ...relative].join('/') : relative.join('/');
}

/** The last name of a path. */
export function fileName(path: string): string {
    return segmentsOf(path).pop() ?? path;
}

/**
 * Cuts long paths at the front: the file's name stands at the end. What tells a path from another one that would look the same stays.
 *
 * @param limit in characters
 * @returns in the order of the paths
 */
export function shortPaths(paths: readonly string[], limit: number = ROOM): string[] {
    const cut = paths.map(path => (path.length > limit ? cutFront(segmentsOf(path), limit) : path));
    return paths.map((path, index) => {
        const twin = paths.find((other, place) => other !== path && cut[place] === cut[index]);
        return twin === undefined ? cut[index] : withDifference(segmentsOf(path), segmentsOf(twin), limit);
    });
}

function cutFront(names: readonly string[], limit: number): string {
    let from = names.length - 1;
    while (from > 0 && [ELLIPSIS, ...names.slice(from - 1)].join('/').length <= limit) {
        from--;
    }
    return [ELLIPSIS, ...names.slice(from)].join('/');
}

/** Keeps the last folder in which the two paths differ. */
function withDifference(names: readonly string[], others: readonly string[], limit: number): string {
    let fromEnd = 1;
    while (fromEnd < names.length && names.at(-fromEnd) === others.at(-fromEnd)) {
        fromEnd++;
    }
    const difference = `${ELLIPSIS}/${names.at(-fromEnd)}/`;
    return difference + cutFront(names.slice(names.length - fromEnd + 1), Math.max(0, limit - difference.length));
}

function segmentsOf(path: string): string[] {
    return path.split(/[\\/]/).filter(Boolean);
}
