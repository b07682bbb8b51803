// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { SPECIAL_FILES } from '../../test/special-files';
import { LineEnds } from './line-ends';

describe('The line ends of an edited proposal', () => {
    /** As an editor has the text. */
    function inEditor(text: string): string {
        return text.replace(/\r\n?/g, '\n');
    }

    /** Bytes that differ, in the words of `latin1`. */
    function restored(proposal: string, edit: (text: string) => string): string {
        return new LineEnds(proposal).restore(edit(inEditor(proposal)));
    }

    for (const { name, text } of SPECIAL_FILES.filter(file => file.text.includes('\r') && file.name !== 'only CRLF')) {
        it(`stay as they are where nothing is edited, and behind and before an edit: ${name}`, () => {
            expect(restored(text, edited => edited)).to.equal(text);
            expect(restored(text, edited => ` ${edited}`)).to.equal(` ${text}`);
            expect(restored(text, edited => `${edited}end`)).to.equal(`${text}end`);
        });
    }

    const mixed = 'a\r\nb\nc\r\nstep 1\rstep 2\n';

    it('are those of the proposal for every line that stays, also where a line is gone', () => {
        expect(restored(mixed, text => text.replace('b\n', ''))).to.equal('a\r\nc\r\nstep 1\rstep 2\n');
        expect(restored(mixed, text => text.replace('a\n', ''))).to.equal('b\nc\r\nstep 1\rstep 2\n');
        expect(restored(mixed, text => text.replace('c\nstep 1\n', ''))).to.equal('a\r\nb\nstep 2\n');
    });

    it('stay with a line that is changed', () => {
        expect(restored(mixed, text => text.replace('c', 'C').replace('step 1', 'Step 1'))).to.equal('a\r\nb\nC\r\nStep 1\rstep 2\n');
    });

    it('stay with a line that is changed beside one that is removed', () => {
        expect(restored('a\nb\rc\n', text => text.replace('a\nb', 'bx'))).to.equal('bx\rc\n');
        expect(restored('a\nb\rc\n', text => text.replace('a\nb', 'ax'))).to.equal('ax\nc\n');
        expect(restored('one\ntwo\r\nthree\rfour\n', text => text.replace('one\ntwo\nthree', 'One\nThree'))).to.equal('One\nThree\rfour\n');
    });

    it('of a new line are those of the line before it, or of the first line', () => {
        expect(restored(mixed, text => text.replace('c\n', 'c\nnew\n'))).to.equal('a\r\nb\nc\r\nnew\r\nstep 1\rstep 2\n');
        expect(restored(mixed, text => text.replace('step 1\n', 'step 1\nnew\n'))).to.equal('a\r\nb\nc\r\nstep 1\rnew\rstep 2\n');
        expect(restored(mixed, text => `new\n${text}`)).to.equal(`new\r\n${mixed}`);
        expect(restored('a\r\nb\nlast', text => `${text}\nnew`)).to.equal('a\r\nb\nlast\nnew');
    });

    it('are left to the editor where they are all alike', () => {
        expect(new LineEnds('a\r\nb\r\n').restore('a\nb\nc\n'), 'the user has chosen another kind').to.equal('a\nb\nc\n');
        expect(new LineEnds('a\nb').restore('a\n\nb')).to.equal('a\n\nb');
    });

    it('are uncertain only where the texts differ too much to be compared in time', () => {
        const ends = new LineEnds(mixed);
        ends.restore('a\nb\nc\nnew\nstep 1\nstep 2\n');
        expect(ends.uncertain).to.equal(0);
        const long = (seed: number): string =>
            Array.from({ length: 30_000 }, (_, index) => `${(index * seed) % 9_973}${index % 2 ? '\r\n' : '\n'}`).join('');
        const slow = new LineEnds(long(7));
        slow.restore(long(11).replace(/\r/g, ''));
        expect(slow.uncertain).to.be.greaterThan(0);
    });
});
