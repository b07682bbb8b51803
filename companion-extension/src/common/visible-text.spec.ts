// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { invisibleCharacters, visibleLines, visibleText } from './visible-text';

describe('visibleText', () => {
    it('S22: shows marks of writing direction, which would turn a file name around', () => {
        expect(visibleText('photo\u202egpj.exe')).to.equal('photo[U+202E]gpj.exe');
        expect(visibleText('\u2066a\u2069\u200f')).to.equal('[U+2066]a[U+2069][U+200F]');
    });

    it('S22: shows control characters and line breaks, which could fake a line of ours or control a terminal', () => {
        expect(visibleText('a\nReady.\u001b[2J\u0000\u009b\u2028')).to.equal('a[U+000A]Ready.[U+001B][2J[U+0000][U+009B][U+2028]');
    });

    it('S22: shows what has no width and what is half a character', () => {
        expect(visibleText('pay\u200bpal\ufeff\u{e0041}\ud800')).to.equal('pay[U+200B]pal[U+FEFF][U+E0041][U+D800]');
    });

    it('S22: shows fillers, and variation selectors without an emoji', () => {
        expect(visibleText('a\u115fb\u1160c\u3164d\uffa0e\u034ff\u2800g')).to.equal(
            'a[U+115F]b[U+1160]c[U+3164]d[U+FFA0]e[U+034F]f[U+2800]g'
        );
        expect(visibleText('a\ufe0fb\ufe00\u{e0100}\u180b')).to.equal('a[U+FE0F]b[U+FE00][U+E0100][U+180B]');
    });

    it('leaves everything else as it is, in every script', () => {
        const texts = [
            'src/Über uns/文件 (1).txt',
            'קובץ.txt',
            'می‌خواهم',
            '👨‍👩‍👧',
            '❤️ 1️⃣',
            '한국어',
            '<img src=x onerror=alert(1)> **bold** $(plug)'
        ];
        texts.forEach(text => expect(visibleText(text)).to.equal(text));
    });
});

describe('visibleLines', () => {
    it('S22: keeps lines and tabs, and shows what is invisible in them', () => {
        expect(visibleLines('a\u200b\r\n\tb\u{e0041}\rc\u001b')).to.equal('a[U+200B]\n\tb[U+E0041]\nc[U+001B]');
    });
});

describe('invisibleCharacters', () => {
    it('S22: names what cannot be seen, each once', () => {
        expect(invisibleCharacters('a\u200bb\u200b\n\u202ec\u{e0041}')).to.deep.equal(['[U+200B]', '[U+202E]', '[U+E0041]']);
        expect(invisibleCharacters('one\r\n\ttwo \u{1f468}\u200d\u{1f469} ❤\ufe0f')).to.deep.equal([]);
        expect(invisibleCharacters('\u200b\u202a\u202b\u202c\u202d\u202e\u2060')).to.have.length(5);
    });
});
