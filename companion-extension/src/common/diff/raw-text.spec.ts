// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { foldEdit, hunksOf, keepHunk, undoHunk, withLinesOf } from './line-hunks';
import { canMix, decodeRaw, editorText, encodeRaw, formOf, fromWire, hasOneLineEnd, toWire } from './raw-text';

const GBK = [0xd6, 0xd0, 0xce, 0xc4];

function utf16(text: string, isLittleEndian: boolean): number[] {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
    return [...(isLittleEndian ? bytes : bytes.swap16())];
}

function raw(...parts: Array<string | number[]>): string {
    return decodeRaw(Buffer.concat(parts.map(part => Buffer.from(part as string)))) ?? expect.fail('It is no text');
}

describe('Texts that lose no byte', () => {
    const samples: ReadonlyArray<[string, string, number[], string?]> = [
        ['UTF-8', 'utf8', [...Buffer.from('ä\n😀\r\n')], 'ä\n😀\n'],
        ['UTF-8 with a byte order mark', 'utf8', [...Buffer.from('\uFEFFa\r\n')], 'a\n'],
        ['GBK', 'bytes', [...GBK, 10, 0x61]],
        ['half a character', 'bytes', [0x61, 0xe2, 0x82, 13, 10]],
        ['UTF-16 LE', 'utf16le', utf16('ä\r\n😀', true), 'ä\n😀'],
        ['UTF-16 BE', 'utf16be', utf16('ä\n', false), 'ä\n'],
        ['what looks like our mark', 'bytes', [...Buffer.from('\uFDD0a')]],
        ['half a unit of UTF-16', 'bytes', [0xff, 0xfe, 0x61]],
        ['nothing', 'utf8', [], '']
    ];
    for (const [what, form, bytes, shown] of samples) {
        it(`are the same bytes again, also over the wire: ${what}`, () => {
            const text = raw(bytes);
            expect(formOf(text)).to.equal(form);
            const sent = Buffer.from(toWire(text), 'utf8').toString('utf8');
            expect([...encodeRaw(fromWire(sent))]).to.deep.equal(bytes);
            if (shown !== undefined) {
                expect(editorText(text)).to.equal(shown);
            }
        });
    }

    it('are the same bytes again, whatever they are', () => {
        let seed = 7;
        const next = (end: number): number => (seed = (seed * 48271) % 2147483647) % end;
        for (let run = 0; run < 2_000; run++) {
            const bytes = Array.from(
                { length: next(12) },
                () => [10, 13, 0x41, 0x80, 0xc3, 0xa4, 0xef, 0xbb, 0xbf, 0xfe, 0xff, next(256)][next(12)]
            );
            const text = decodeRaw(Uint8Array.from(bytes));
            if (text !== undefined) {
                expect([...encodeRaw(fromWire(toWire(text)))], bytes.join()).to.deep.equal(bytes);
            }
        }
    });

    it('are none with zeros that are no UTF-16', () => expect(decodeRaw(Uint8Array.from([0x61, 0]))).to.equal(undefined));

    it('have lines that may stand in another one only in the same encoding, or if they are ASCII', () => {
        const [ascii, german, gbk, wide] = [raw('a\n'), raw('ä\n'), raw(GBK), raw(utf16('a', true))];
        expect([canMix(ascii, german), canMix(ascii, gbk), canMix(gbk, ascii), canMix(wide, wide)]).to.deep.equal([true, true, true, true]);
        expect([canMix(german, gbk), canMix(gbk, german), canMix(ascii, wide), canMix(wide, gbk)]).to.deep.equal([
            false,
            false,
            false,
            false
        ]);
    });

    it('say whether all lines end alike', () => {
        expect(['a\nb\n', 'a\r\nb\r\n', 'a', 'a\r\nb'].map(hasOneLineEnd)).to.deep.equal([true, true, true, true]);
        expect(['a\r\nb\n', 'a\nb\r\n'].map(hasOneLineEnd)).to.deep.equal([false, false]);
    });

    it('are changed by lines, whatever ends them: a line keeps its end, and the file its mark', () => {
        const base = '\uFEFFa\r\nb\r\nc\r\n';
        const disk = 'new\na\nb\nC\r\n';
        const [first, last] = hunksOf(base, disk);
        expect([first, last].map(({ diskStart, diskEnd }) => [diskStart, diskEnd])).to.deep.equal([
            [0, 1],
            [3, 4]
        ]);
        expect(undoHunk(base, disk, last)).to.equal('new\na\nb\nc\r\n');
        expect(keepHunk(base, disk, first)).to.equal('\uFEFFnew\na\r\nb\r\nc\r\n');
        expect(hunksOf('a\nb\n', '\uFEFFa\r\nb\n')).to.deep.equal([]);
        expect(foldEdit('\uFEFFa\r\nb\r\n', '\uFEFFa\r\nB\r\n', '\uFEFFmine\r\na\r\nB\r\n')).to.equal('\uFEFFmine\r\na\r\nb\r\n');
    });

    it('get the lines of another one, which end as those beside them if that knows no other ends', () => {
        expect(withLinesOf('a\nb\nc', 'a\r\nB\nC')).to.equal('a\r\nb\r\nc');
        expect(withLinesOf('a\r\nb\nc\n', 'a\nB\r\nc\r\n')).to.equal('a\nb\nc\r\n');
        expect(withLinesOf('new\na\n', '\uFEFFa\r\n')).to.equal('\uFEFFnew\r\na\r\n');
    });
});
