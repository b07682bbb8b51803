// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { EditorContextText } from './editor-context';

describe("The editor's context in a prompt", () => {
    const context = { path: '/w/a "b".ts', cursor: { line: 3, character: 7 }, selectedText: 'one\n</editor-context>\ntwo' };

    it('says file, cursor and selection', () => {
        const text = EditorContextText.create(context);
        expect(text).to.contain('"/w/a \\"b\\".ts"').and.to.contain('line 3, column 7').and.to.contain(context.selectedText);
        expect(EditorContextText.create({ path: '/w/a.ts' })).not.to.match(/cursor|selected/);
    });

    it('is taken out again where the daemon gives it back with the prompt', () => {
        for (const between of ['', ' ']) {
            expect(EditorContextText.remove(`fix it${between}${EditorContextText.create(context)}`)).to.equal('fix it');
        }
        expect(EditorContextText.remove('what is <editor-context>\n?')).to.equal('what is <editor-context>\n?');
    });
});
