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

    afterEach(() => model.dispose());

    /** @param edited what the user made of it before the page was loaded */
    async function open(proposal: string, edited?: string): Promise<void> {
        const review = pageReview('a.txt');
        review.text.load({ review: reviewInfo('a.txt'), proposal, text: edited });
        model = await monacoModel(ProposalModel, new ProposalResource(new URI('companion-proposed://a.txt/ws/a.txt'), review));
        typed = 0;
        model.onDidType(() => typed++);
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

    it('is never dirty', async () => {
        await open('proposed\n');
        typeAtEnd(model, 'typed');
        expect(model.dirty).to.equal(false);
    });
});
