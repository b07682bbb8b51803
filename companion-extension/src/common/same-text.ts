// SPDX-License-Identifier: Apache-2.0

/** The text as editors compare it: a CLI writes the line ends and the byte order mark that the file had. */
export function plain(text: string): string {
    return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** Line ends and a byte order mark do not count. */
export function isSameText(one: string, other: string): boolean {
    return one === other || plain(one) === plain(other);
}
