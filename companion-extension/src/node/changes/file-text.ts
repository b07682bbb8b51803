// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { FileText } from '../../common/changes/line-hunks';
import { decodeRaw, encodeRaw } from '../../common/changes/raw-text';

/** Why only the name of a file is known. */
type NameOnly = 'binary' | 'unknown';

/** No text that can be shown has a NUL: what begins with one stands for a content that is not kept. */
const STAND_INS: Readonly<Record<NameOnly, string>> = { binary: '\0b', unknown: '\0u' };
/** Editors end a line there. */
const LONE_CARRIAGE_RETURN = /\r(?!\n)/;

/**
 * As git names a blob: the same name answers whether a file has changed, and whether git has it. Neither line ends nor a byte order mark
 * are a change.
 */
export function hashOf(text: FileText): string {
    return text === null
        ? 'none'
        : text.startsWith('\0')
          ? text.slice(2)
          : blobHash(encodeRaw(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')));
}

/** Stands for a content that is not kept. @param name another one after each change */
export function standIn(kind: NameOnly, name: string): string {
    return STAND_INS[kind] + name;
}

/** Why only the name is known; `undefined` for a text. */
export function nameOnly(text: FileText | undefined): NameOnly | undefined {
    return text?.startsWith(STAND_INS.binary) ? 'binary' : text?.startsWith(STAND_INS.unknown) ? 'unknown' : undefined;
}

/** The content of a file, of which no byte is lost, or its stand-in. @param limit in bytes */
export function contentOf(bytes: Uint8Array, limit: number): string {
    const text = bytes.length > limit ? undefined : decodeRaw(bytes);
    if (text === undefined) {
        return standIn('binary', blobHash(bytes));
    }
    return LONE_CARRIAGE_RETURN.test(text) ? standIn('unknown', blobHash(bytes)) : text;
}

function blobHash(bytes: Uint8Array): string {
    return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
