// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { decodeUtf8 } from './utf8';

describe('decodeUtf8', () => {
    it('reads every character, and leaves the byte order mark out', () => {
        expect(decodeUtf8(Buffer.from('plain\n'))).to.equal('plain\n');
        expect(decodeUtf8(Buffer.from('ä € 𝄞 \uFFFD\r\n'))).to.equal('ä € 𝄞 \uFFFD\r\n');
        expect(decodeUtf8(Buffer.from('\uFEFFmarked'))).to.equal('marked');
        expect(decodeUtf8(Buffer.alloc(0))).to.equal('');
    });

    it('reads a zero where Theia does not look for one', () => {
        const text = `${'x'.repeat(600)}\0`;
        expect(decodeUtf8(Buffer.from(text))).to.equal(text);
    });

    it('leaves to Theia what is not UTF-8, binary, or UTF-16', () => {
        expect(decodeUtf8(Buffer.from('ä', 'latin1'))).to.equal(undefined);
        expect(decodeUtf8(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]))).to.equal(undefined);
        expect(decodeUtf8(Buffer.from('\uFEFFtext', 'utf16le'))).to.equal(undefined);
        expect(decodeUtf8(Buffer.from('€€', 'utf16le'))).to.equal(undefined);
    });
});
