// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PromptImage } from './prompt-image';

describe('PromptImage', () => {
    const image = (bytes: number, name = 'a.png', mimeType = 'image/png'): PromptImage => ({
        name,
        mimeType,
        data: Buffer.alloc(bytes).toString('base64')
    });
    const MIB = 1024 * 1024;

    it('knows its size without decoding it', () => {
        for (const bytes of [0, 1, 2, 3, 4, 1_000]) {
            expect(PromptImage.size(image(bytes))).to.equal(bytes);
        }
    });

    it('bounds kind, size, number and sum, and names the image', () => {
        expect(PromptImage.flaw([image(8 * MIB), image(8 * MIB)])).to.equal(undefined);
        expect(PromptImage.flaw([image(1), image(8 * MIB + 1, 'large.png')])).to.deep.equal({ flaw: 'size', name: 'large.png' });
        expect(PromptImage.flaw([image(0)])).to.deep.equal({ flaw: 'empty', name: 'a.png' });
        expect(PromptImage.flaw([image(1, 'a.svg', 'image/svg+xml')])).to.deep.equal({ flaw: 'type', name: 'a.svg' });
        expect(PromptImage.flaw(Array.from({ length: 11 }, () => image(1)))).to.deep.equal({ flaw: 'count' });
        expect(PromptImage.flaw(Array.from({ length: 3 }, () => image(7 * MIB)))).to.deep.equal({ flaw: 'total' });
    });

    it('has a name that the daemon takes: no path, nothing that is forbidden, and an ending of its kind', () => {
        const named = (name: string, mimeType = 'image/png'): string => PromptImage.fileName({ name, mimeType });
        expect(named('img/a b.PNG')).to.equal('a b.png');
        expect(named('photo.jpeg', 'image/jpeg')).to.equal('photo.jpeg');
        expect(named('photo.jpeg')).to.equal('photo.jpeg.png');
        expect(named('a<b>:"c|?*\u0007.png')).to.equal('abc.png');
        expect(named('..')).to.equal('image.png');
        expect(named('.png')).to.equal('png.png');
        expect(named('CON.png')).to.equal('image.png');
        expect(named('bild', 'image/webp')).to.equal('bild.webp');
    });
});
