// SPDX-License-Identifier: Apache-2.0

const PATTERN = /[*?[\]{}()\\]/;

/** Theia (1.74) would move other files to the trash, or none: for `[id].ts` it moves `i.ts`. @param path absolute */
export function isPatternForTrash(path: string): boolean {
    return PATTERN.test(path);
}
