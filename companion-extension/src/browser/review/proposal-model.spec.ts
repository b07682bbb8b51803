// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { monacoModel, typeAtEnd } from '../test/monaco-model';
import { reviewInfo } from '../test/review-info';
import { pageReview } from '../test/page-review';
import { ProposalModel } from './proposal-model';
import { ProposalResource } from './proposal-resource';

describe('The text on the right side of a diff', () => {
    let model: ProposalModel;
    let typed: number;
    /** Whether the last change took back the text of another page. */
    let takesBack: boolean | undefined;

    afterEach(() => model.dispose());

    /** @param edited what the user made of it before the page was loaded */
    async function open(proposal: string, edited?: string): Promise<void> {
        const { text } = pageReview('a.txt');
        text.load({ review: reviewInfo('a.txt'), proposal, text: edited });
        model = await monacoModel(ProposalModel, new ProposalResource(new URI('companion-proposed://a.txt/ws/a.txt'), text, false));
        [typed, takesBack] = [0, undefined];
        model.onDidType(isTakenBack => {
            typed++;
            takesBack = isTakenBack;
        });
    }

    for (const proposal of ['one\ntwo\n', 'mixed\r\nline\nends\r', '\uFEFFa mark\n', 'a lone\u2028end', '']) {
        it(`is the proposal again, byte for byte, once every edit is undone: ${JSON.stringify(proposal)}`, async () => {
            await open(proposal);
            expect([model.isEdited, model.text]).to.deep.equal([false, proposal]);
            typeAtEnd(model, 'typed');
            expect([model.isEdited, model.text, typed]).to.deep.equal([true, `${proposal}typed`, 1]);
            await model.textEditorModel.undo();
            expect([model.isEdited, model.text, typed]).to.deep.equal([false, proposal, 2]);
        });
    }

    it('is an edited one after a reload, whatever is undone then', async () => {
        await open('proposed\n', 'proposed\nedited\n');
        typeAtEnd(model, 'typed');
        await model.textEditorModel.undo();
        expect([model.isEdited, model.text]).to.deep.equal([true, 'proposed\nedited\n']);
    });

    it('takes the text of another page as one step for undo, and not for typing', async () => {
        await open('proposed\n');
        model.paint('proposed\nelsewhere\n', true);
        expect([model.isEdited, model.text, typed]).to.deep.equal([true, 'proposed\nelsewhere\n', 0]);
        model.paint('proposed\n', false);
        expect([model.isEdited, model.text]).to.deep.equal([false, 'proposed\n']);
        await model.textEditorModel.undo();
        expect([model.isEdited, model.text]).to.deep.equal([true, 'proposed\nelsewhere\n']);
    });

    it('says when an undo takes back the text of another page, and not when it takes back what was typed here', async () => {
        const { undo, redo } = { undo: () => model.textEditorModel.undo(), redo: () => model.textEditorModel.redo() };
        const after = async (change: () => unknown): Promise<[string, boolean | undefined]> => {
            await change();
            return [model.text, takesBack];
        };
        await open('0 ');
        typeAtEnd(model, 'here ');
        model.paint('0 here there ', true);
        expect(await after(() => typeAtEnd(model, 'again'))).to.deep.equal(['0 here there again', false]);
        expect(await after(undo), 'its own').to.deep.equal(['0 here there ', false]);
        expect(await after(undo), 'that of the other page').to.deep.equal(['0 here ', true]);
        expect(await after(undo), 'its own before').to.deep.equal(['0 ', false]);
        expect(await after(redo)).to.deep.equal(['0 here ', false]);
        expect(await after(redo)).to.deep.equal(['0 here there ', false]);
        expect(await after(undo), 'once more').to.deep.equal(['0 here ', true]);
        expect(await after(() => typeAtEnd(model, 'other'))).to.deep.equal(['0 here other', false]);
        expect(await after(undo), 'the text of the other page is not there any more').to.deep.equal(['0 here ', false]);
        model.paint('0 there ', true);
        expect(await after(undo)).to.deep.equal(['0 here ', true]);
        model.paint('0 there again ', true);
        expect(await after(undo)).to.deep.equal(['0 here ', true]);
        expect(await after(undo)).to.deep.equal(['0 ', false]);
    });

    it('is never dirty', async () => {
        await open('proposed\n');
        typeAtEnd(model, 'typed');
        expect(model.dirty).to.equal(false);
    });
});
