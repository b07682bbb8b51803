// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { differencesOf, OriginalState } from './original-difference';

describe('How the left side differs from the file as it was', () => {
    function kinds(modifiedAt: number | undefined, file: OriginalState | undefined): string[] {
        return differencesOf({ modifiedAt }, file).map(({ kind }) => kind);
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
