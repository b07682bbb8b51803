// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { FileText } from '../../common/changes/line-hunks';

/** Why only the name of a file is known. */
export type NameOnly = 'binary' | 'unknown';

/** No text that can be shown has a NUL: what begins with one stands for a content that is not kept. */
const STAND_INS: Readonly<Record<NameOnly, string>> = { binary: '\0b', unknown: '\0u' };
/** Carriage returns that end no line, and line ends without one. */
const MIXED_LINE_ENDS = /\r(?!\n)|(?<!\r)\n/;

/** As git names a blob: the same name answers whether a file has changed, and whether git has it. */
export function hashOf(text: FileText): string {
    return text === null ? 'none' : text.startsWith('\0') ? text.slice(2) : blobHash(Buffer.from(text));
}

/** Stands for a content that is not kept. @param name another one after each change */
export function standIn(kind: NameOnly, name: string): string {
    return STAND_INS[kind] + name;
}

/** Why only the name is known; `undefined` for a text. */
export function nameOnly(text: FileText | undefined): NameOnly | undefined {
    return text?.startsWith(STAND_INS.binary) ? 'binary' : text?.startsWith(STAND_INS.unknown) ? 'unknown' : undefined;
}

/**
 * The text of a file, with `\n` at the ends of lines and without a byte order mark: neither is a change. Whatever would not be the same
 * bytes once an editor has saved it, has a stand-in.
 *
 * @param limit in bytes
 */
export function textOf(bytes: Buffer, limit: number): string {
    if (bytes.length > limit || bytes.includes(0)) {
        return standIn('binary', blobHash(bytes));
    }
    try {
        const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        if (!text.includes('\r')) {
            return text;
        }
        return MIXED_LINE_ENDS.test(text) ? standIn('unknown', blobHash(bytes)) : text.replaceAll('\r\n', '\n');
    } catch {
        return standIn('unknown', blobHash(bytes));
    }
}

function blobHash(bytes: Buffer): string {
    return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
