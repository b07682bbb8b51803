// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { differencesOf, looksSame, OriginalFile, seenFileOf } from './original-file';

describe('How the left side differs from the file as it was', () => {
    function kinds(askedAt: number | undefined, file: Omit<OriginalFile, 'text'> | undefined): string[] {
        return differencesOf(askedAt, file && { ...file, text: '' }).map(({ kind }) => kind);
    }

    it('by nothing if it is the same file, or not known yet', () => {
        expect(kinds(1, { exists: true, modifiedAt: 1 })).to.deep.equal([]);
        expect(kinds(1, { exists: true })).to.deep.equal([]);
        expect(kinds(1, undefined)).to.deep.equal([]);
        expect(kinds(undefined, { exists: false })).to.deep.equal([]);
    });

    it('if somebody wrote, made or removed it', () => {
        expect(kinds(1, { exists: true, modifiedAt: 2 })).to.deep.equal(['changed']);
        expect(kinds(undefined, { exists: true, modifiedAt: 2 })).to.deep.equal(['created']);
        expect(kinds(1, { exists: false })).to.deep.equal(['vanished']);
    });

    it('by what is wrong with it, also beside that', () => {
        expect(kinds(1, { exists: true, modifiedAt: 1, fault: { kind: 'binary' } })).to.deep.equal(['binary']);
        expect(kinds(1, { exists: true, modifiedAt: 2, fault: { kind: 'unknownEncoding' } })).to.deep.equal(['changed', 'unknownEncoding']);
    });
});

describe('The file on the left side', () => {
    const file: OriginalFile = { exists: true, text: 'one\n', modifiedAt: 1, size: 4 };

    it('is known by time and size, so that the backend can say whether it is the same', () => {
        expect(seenFileOf(file)).to.deep.equal({ modifiedAt: 1, size: 4 });
        expect(seenFileOf({ exists: false, text: '' }), 'a new file').to.deep.equal({});
        expect(seenFileOf({ exists: true, text: '', fault: { kind: 'tooLarge' } }), 'nobody has seen it').to.equal(undefined);
    });

    it('looks the same if it was only written again', () => {
        expect(looksSame(file, { ...file, modifiedAt: 2 })).to.equal(true);
        expect(looksSame(file, { ...file, text: 'two\n' })).to.equal(false);
        expect(looksSame({ exists: true, text: '' }, { exists: false, text: '' }), 'it is gone').to.equal(false);
        expect(looksSame(file, { ...file, fault: { kind: 'unknownEncoding' } })).to.equal(false);
    });
});
