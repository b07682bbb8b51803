// SPDX-License-Identifier: Apache-2.0

import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { expect } from 'chai';
import { FileDecoder } from './file-decoder';
import { SPECIAL_FILES, SpecialFile } from '../test/special-files';

describe('The decoder of files', () => {
    const encodings = new EncodingService();
    const decoder = new FileDecoder(encodings);
    const asDetected = (detected = 'utf8'): string => encodings.toIconvEncoding(detected);
    const hidden = SPECIAL_FILES.filter(({ isHidden }) => isHidden);
    const readable = SPECIAL_FILES.filter(({ isHidden, isBinary }) => !isHidden && !isBinary);

    for (const { name, bytes, text } of readable) {
        it(`reads ${name} without a setting`, async () => {
            expect((await decoder.decode(bytes, { prefer: asDetected }))?.text).to.equal(text);
            expect((await decoder.decode(bytes, { prefer: asDetected }))?.encoding).to.be.a('string');
        });
    }

    for (const { name, bytes, text, encoding } of hidden) {
        it(`reads ${name} with its encoding, and says without it that the encoding is not known`, async () => {
            expect(await decoder.decode(bytes, { prefer: () => encoding })).to.deep.equal({ text, encoding });
            const damaged = await decoder.decode(bytes, { prefer: asDetected });
            expect(damaged?.encoding).to.equal(undefined);
            expect(damaged?.text).to.contain('\uFFFD');
        });
    }

    it('guesses the encoding where the user wants that', async () => {
        const text = 'これは日本語の文章です。ひらがなとカタカナがあります。\n'.repeat(5);
        const bytes = encodings.encode(text, { encoding: 'shiftjis', hasBOM: false }).buffer;
        expect((await decoder.decode(bytes, { guesses: true, prefer: asDetected }))?.text).to.equal(text);
    });

    it('reads UTF-8 also where the setting is another one that cannot be', async () => {
        const bytes = encodings.encode('测试 ä\n').buffer;
        expect((await decoder.decode(bytes, { prefer: () => 'gbk' }))?.text).not.to.contain('\uFFFD');
        const text = 'é\uFFFF€\n';
        expect(await decoder.decode(encodings.encode(text).buffer, { prefer: () => 'ascii' })).to.deep.equal({ text, encoding: 'utf8' });
    });

    it('finds no text in bytes with a zero among them', async () => {
        expect(await decoder.decode(named('NUL').bytes, { prefer: asDetected })).to.equal(undefined);
    });

    it('takes the replacement character for text where the file itself has it', async () => {
        const bytes = encodings.encode('one \uFFFD\n', { encoding: 'utf16le', hasBOM: true }).buffer;
        expect(await decoder.decode(bytes, { prefer: asDetected })).to.deep.equal({ text: 'one \uFFFD\n', encoding: 'utf16le' });
    });

    function named(name: string): SpecialFile {
        return SPECIAL_FILES.find(file => file.name === name)!;
    }
});
