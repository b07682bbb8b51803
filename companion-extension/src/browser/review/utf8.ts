// SPDX-License-Identifier: Apache-2.0

/** Theia 1.74 treats a file with a zero in its first bytes as binary, or as UTF-16. */
const LOOKED_AT = 512;

/** @returns the text without its byte order mark; `undefined` if Theia has to look at the bytes: they are not plain UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
    if (bytes.subarray(0, LOOKED_AT).includes(0)) {
        return undefined;
    }
    try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
        return undefined;
    }
}
