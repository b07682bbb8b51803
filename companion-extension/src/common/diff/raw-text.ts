// SPDX-License-Identifier: Apache-2.0

/*
 * Texts that lose no byte of their file. UTF-8 is itself, with its byte order mark and the ends of its lines. Of another encoding, each byte
 * beyond ASCII is a lone surrogate, as Python's `surrogateescape` has it: lines are compared and moved without knowing which encoding it is.
 * UTF-16 is told by its byte order mark. Its text begins with a character that is none.
 */

const UTF8_MARK = '\uFEFF';
const UTF16: ReadonlyArray<{ mark: string; encoding: string; bytes: readonly [number, number] }> = [
    { mark: '\uFDD0', encoding: 'utf-16le', bytes: [0xff, 0xfe] },
    { mark: '\uFDD1', encoding: 'utf-16be', bytes: [0xfe, 0xff] }
];
const MARK = /^[\uFEFF\uFDD0\uFDD1]/;
const BYTES = /[\uDC80-\uDCFF]/u;
const NO_ASCII = /[^\0-\x7F]/;
/** Before it: the text has bytes of another encoding, which are no characters on the wire. */
const WIRE_MARK = '\0';

/** - `bytes`: another encoding */
type RawForm = 'utf8' | 'utf16le' | 'utf16be' | 'bytes';

/** @returns `undefined` for bytes that are no text */
export function decodeRaw(bytes: Uint8Array): string | undefined {
    try {
        const utf16 = UTF16.find(({ bytes: [first, second] }) => bytes[0] === first && bytes[1] === second);
        if (utf16) {
            const text = new TextDecoder(utf16.encoding, { fatal: true }).decode(bytes);
            return text.includes('\0') ? undefined : utf16.mark + text;
        }
        if (bytes.includes(0)) {
            return undefined;
        }
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
        return UTF16.some(({ mark }) => text.startsWith(mark)) ? decodeBytes(bytes) : text;
    } catch {
        return bytes.includes(0) ? undefined : decodeBytes(bytes);
    }
}

export function encodeRaw(text: string): Uint8Array {
    const form = formOf(text);
    if (form === 'utf8') {
        return new TextEncoder().encode(text);
    }
    if (form === 'bytes') {
        const parts = text
            .split(/([\uDC80-\uDCFF]+)/u)
            .map((part, index) => (index % 2 === 1 ? lowBytes(part) : new TextEncoder().encode(part)));
        return join(parts);
    }
    const units = `${UTF8_MARK}${text.slice(1)}`;
    const bytes = new Uint8Array(units.length * 2);
    const view = new DataView(bytes.buffer);
    for (let index = 0; index < units.length; index++) {
        view.setUint16(index * 2, units.charCodeAt(index), form === 'utf16le');
    }
    return bytes;
}

export function formOf(text: string): RawForm {
    return text.startsWith(UTF16[0].mark) ? 'utf16le' : text.startsWith(UTF16[1].mark) ? 'utf16be' : BYTES.test(text) ? 'bytes' : 'utf8';
}

/** Whether lines of one may stand in the other. */
export function canMix(one: string, other: string): boolean {
    const [form, otherForm] = [formOf(one), formOf(other)];
    const isAscii = (text: string, of: RawForm): boolean => of === 'utf8' && !NO_ASCII.test(text.replace(MARK, ''));
    return form === otherForm || (otherForm === 'bytes' && isAscii(one, form)) || (form === 'bytes' && isAscii(other, otherForm));
}

/** Whether an editor leaves all line ends as they are. */
export function hasOneLineEnd(text: string): boolean {
    return !text.includes('\r\n') || !/(?<!\r)\n/.test(text);
}

/** What says how the text is encoded; empty if nothing does. */
export function markOf(text: string): string {
    return MARK.exec(text)?.[0] ?? '';
}

export function withoutMark(text: string): string {
    return text.replace(MARK, '');
}

/** As an editor has it. Bytes of another encoding are still to be decoded. */
export function editorText(text: string): string {
    return withoutMark(text).replaceAll('\r\n', '\n');
}

/** As a string that may leave the process. */
export function toWire(text: string): string {
    return formOf(text) === 'bytes'
        ? WIRE_MARK + text.replace(/[\uDC80-\uDCFF]/gu, byte => String.fromCharCode(byte.charCodeAt(0) & 0xff))
        : text;
}

export function fromWire(text: string): string {
    return text.startsWith(WIRE_MARK) ? decodeBytes(lowBytes(text.slice(1))) : text;
}

function decodeBytes(bytes: Uint8Array): string {
    const parts: string[] = [];
    // More arguments at once are too many for a call.
    for (let start = 0; start < bytes.length; start += 4096) {
        parts.push(String.fromCharCode(...Array.from(bytes.subarray(start, start + 4096), byte => (byte < 0x80 ? byte : 0xdc00 + byte))));
    }
    return parts.join('');
}

function lowBytes(escaped: string): Uint8Array {
    return Uint8Array.from(escaped, byte => byte.charCodeAt(0) & 0xff);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let start = 0;
    for (const part of parts) {
        bytes.set(part, start);
        start += part.length;
    }
    return bytes;
}
