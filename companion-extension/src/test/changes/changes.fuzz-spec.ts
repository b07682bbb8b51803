// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fc from 'fast-check';
import { FileText, foldEdit, hunksOf, keepHunk, undoHunk } from '../../common/diff/line-hunks';
import { fuzzBounds, fuzzTimeout } from '../../node/test/fuzz/fuzz-bounds';

describe('Fuzz: what was changed outside the editor', function () {
    this.timeout(2 * fuzzTimeout());

    it('an edit without an agent is the user’s, a save without a change is none, and all changes undone are the baseline', () => {
        const text = fc
            .array(fc.constantFrom('}\n', '  }\n', '\n', 'a\n', '  a\n', 'b\n', 'c\n', 'long line\n'), { maxLength: 9 })
            .map(lines => lines.join(''));
        fc.assert(
            fc.property(text, text, (base, file) => {
                expect(foldEdit(base, file, file)).to.equal(base);
                expect(foldEdit(base, file, base)).to.equal(base);
                expect(foldEdit(base, base, file)).to.equal(file);
                const hunks = hunksOf(base, file).reverse();
                expect(hunks.reduce<FileText>((all, hunk) => undoHunk(base, all, hunk), file)).to.equal(base);
                expect(hunks.reduce<FileText>((all, hunk) => keepHunk(all, file, hunk), base)).to.equal(file);
            }),
            fuzzBounds()
        );
    });
});
