// SPDX-License-Identifier: Apache-2.0

import { EncodingService } from '@theia/core/lib/common/encoding-service';

/** A file as people have it. */
export interface SpecialFile {
    readonly name: string;
    /** Without its byte order mark. */
    readonly text: string;
    readonly bytes: Uint8Array;
    /** As Theia calls it. */
    readonly encoding: string;
    /** Nothing in the bytes says it: without a setting the encoding is not known. */
    readonly isHidden?: true;
    /** Theia shows no such file as text. */
    readonly isBinary?: true;
}

const ENCODINGS = new EncodingService();

function file(name: string, text: string, encoding = 'utf8', more: { hasBOM?: true; isHidden?: true; isBinary?: true } = {}): SpecialFile {
    const { hasBOM = false, ...traits } = more;
    return { name, text, encoding, bytes: ENCODINGS.encode(text, { encoding, hasBOM }).buffer, ...traits };
}

/** One table for all tests about files. */
export const SPECIAL_FILES: readonly SpecialFile[] = [
    file('UTF-8', 'ä € 𝄞\n'),
    file('UTF-8 with a byte order mark', 'ä €\n', 'utf8', { hasBOM: true }),
    file('UTF-8 with the replacement character', 'one \uFFFD\n'),
    file('GBK', '# top\n# 测试\nimport os\n', 'gbk', { isHidden: true }),
    file('Shift-JIS', '# 日本語の文字列\nx = 1\n', 'shiftjis', { isHidden: true }),
    file('Latin-1', 'Grüße\nändern\n', 'iso88591', { isHidden: true }),
    file('UTF-16 LE with a byte order mark', 'one 测试\n', 'utf16le', { hasBOM: true }),
    file('UTF-16 BE with a byte order mark', 'one 测试\n', 'utf16be', { hasBOM: true }),
    file('UTF-16 LE without a byte order mark', 'one\ntwo\n', 'utf16le'),
    file('UTF-16 BE without a byte order mark', 'one\ntwo\n', 'utf16be'),
    file('mixed line ends', 'a\r\nb\nc\r\n'),
    file('a lone CR', 'step 1\rstep 2\rend\n'),
    file('only CR', 'one\rtwo\r'),
    file('only CRLF', 'one\r\ntwo\r\n'),
    file('NUL', 'one\0two\n', 'utf8', { isBinary: true }),
    file('U+2028', '{"a": "one\u2028two\u2029three"}\n'),
    file('a line of 30,000 characters', `${'x'.repeat(25_000)}changed${'y'.repeat(5_000)}\n`),
    file('no last newline', 'one\ntwo'),
    file('empty', '')
];
