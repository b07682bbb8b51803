// SPDX-License-Identifier: Apache-2.0

export const PER_FOLDER = 100;

/** Of the file with this number, in its folder. */
export function nameOf(index: number): string {
    return `many/${Math.floor(index / PER_FOLDER)}/${index}.txt`;
}

/** About 1 KB. */
export function textOf(index: number): string {
    return `line 1 of ${index}\nline 2\nline 3\n${'a line that says nothing\n'.repeat(40)}`;
}
