// SPDX-License-Identifier: Apache-2.0

import { BinaryBuffer } from '@theia/core/lib/common/buffer';
import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { UTF16be, UTF16le, UTF8 } from '@theia/core/lib/common/encodings';

/** The character that a decoder writes for bytes that are not text. */
export const REPLACEMENT_CHARACTER = '\uFFFD';
/** Theia (1.74) guesses from so many bytes at most. */
const GUESSED_BYTES = 64 * 1024;

/** A text file, decoded. */
export interface DecodedFile {
    /** Without its byte order mark. Damaged, if the encoding is not known. */
    readonly text: string;
    /** As Theia calls it; absent if it is not known. */
    readonly encoding?: string;
}

interface DecodeOptions {
    /** Guess it, where the bytes do not say it. */
    readonly guesses?: boolean;
    /** The encoding to try first. @param detected by a byte order mark, by zeros, or guessed */
    prefer(detected: string | undefined): string;
}

/** The one decoder of files: for the left sides of diffs, for what CLIs have written, and for kept edits. */
export class FileDecoder {
    constructor(protected readonly encodings: EncodingService) {}

    /** @returns `undefined` for bytes that are no text */
    async decode(bytes: Uint8Array, { guesses, prefer }: DecodeOptions): Promise<DecodedFile | undefined> {
        const { encoding: detected, seemsBinary } = await this.encodings.detectEncoding(
            BinaryBuffer.wrap(bytes.subarray(0, GUESSED_BYTES)),
            guesses
        );
        if (seemsBinary) {
            return undefined;
        }
        const tried = [...new Set([prefer(detected), UTF8])];
        for (const encoding of tried) {
            const text = this.decodeAs(bytes, encoding);
            if (text !== undefined) {
                return { text, encoding };
            }
        }
        return { text: this.encodings.decode(BinaryBuffer.wrap(bytes), tried[0]) };
    }

    /** @returns `undefined` if the bytes are not text in this encoding */
    protected decodeAs(bytes: Uint8Array, encoding: string): string | undefined {
        if (encoding.startsWith(UTF8)) {
            try {
                // Theia decodes in JavaScript, which takes 30 times as long.
                return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
            } catch {
                return undefined;
            }
        }
        const text = this.encodings.decode(BinaryBuffer.wrap(bytes), encoding);
        // The file itself may hold the character.
        return text.includes(REPLACEMENT_CHARACTER) && !this.isFrom(text, bytes, encoding) ? undefined : text;
    }

    protected isFrom(text: string, bytes: Uint8Array, encoding: string): boolean {
        const mark = encoding === UTF16le ? [0xff, 0xfe] : encoding === UTF16be ? [0xfe, 0xff] : [];
        const hasBOM = mark.length > 0 && mark.every((byte, index) => bytes[index] === byte);
        const encoded = this.encodings.encode(text, { encoding, hasBOM }).buffer;
        return encoded.length === bytes.length && encoded.every((byte, index) => byte === bytes[index]);
    }
}
