// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { BarContent, DiffBar } from './diff-bar';

describe('The bar above a proposal', () => {
    let bar: DiffBar;
    let given: string[];
    let content: BarContent;

    beforeEach(() => {
        given = [];
        bar = new DiffBar(document, () => given.push('wrap'));
        content = {
            path: 'src/app/<b>.ts',
            isNewFile: false,
            cliName: 'Qwen Code',
            accept: { explanation: 'The CLI writes it', keys: ['Ctrl+Enter', 'Ctrl+S'], run: () => given.push('accept') },
            reject: { explanation: 'Nothing is written', keys: [], run: () => given.push('reject') },
            rejectWithReason: { explanation: 'Says why', keys: ['Ctrl+Shift+F4'], run: () => given.push('reason') }
        };
        bar.set(content);
    });

    function buttons(): HTMLButtonElement[] {
        return [...bar.node.querySelectorAll<HTMLButtonElement>('button.companion-review-answer')];
    }

    it('is a group that a screen reader names by CLI and file, with the answers in order', () => {
        expect(bar.node.getAttribute('role')).to.equal('group');
        expect(bar.node.getAttribute('aria-label')).to.equal('Proposal of Qwen Code for src/app/<b>.ts');
        expect(buttons().map(button => button.getAttribute('aria-label'))).to.deep.equal([
            'Accept src/app/<b>.ts',
            'Reject src/app/<b>.ts',
            'Reject with Reason… src/app/<b>.ts'
        ]);
    });

    it('shows the name of a file as text, apart from its folder', () => {
        expect(bar.node.querySelector('b')).to.equal(null);
        expect(bar.node.querySelector('.companion-review-folder')?.textContent).to.equal('src/app/');
        expect(bar.node.querySelector('.companion-review-name')?.textContent).to.equal('<b>.ts');
    });

    it('says that a file is new, where a link leads, and which of several proposals it is', () => {
        expect(bar.node.textContent).not.to.include('new file').and.not.include(' of ');
        bar.set({ ...content, isNewFile: true, leadsTo: 'real/a.txt', place: { number: 2, of: 3 } });
        expect(bar.node.textContent).to.include('new file').and.include('2 of 3').and.include(' → real/a.txt');
    });

    it('answers by its buttons, and takes no keyboard from where it is', () => {
        const [accept, reject, reason] = buttons();
        [accept, reject, reason].forEach(button => button.click());
        expect(given).to.deep.equal(['accept', 'reject', 'reason']);
        const press = new window.MouseEvent('mousedown', { bubbles: true, cancelable: true });
        accept.dispatchEvent(press);
        expect(press.defaultPrevented).to.equal(true);
    });

    it('has an element for each answer by the id of its command, which embedders and drivers click on', () => {
        expect(buttons().map(({ id }) => id)).to.deep.equal([
            'companion.review.accept',
            'companion.review.reject',
            'companion.review.rejectWithReason'
        ]);
    });

    it('says where the cursor is among the changes, and how many lines they have', () => {
        bar.setChanges('change 2 of 4 · +3 −3');
        expect(bar.node.querySelector('.companion-review-changes')?.textContent).to.equal('change 2 of 4 · +3 −3');
    });

    it('says for a moment why a key did nothing, and only the newest', () => {
        bar.say('too soon');
        bar.say('still too soon');
        const said = (): Array<string | null> => [...bar.node.querySelectorAll('.companion-review-said')].map(node => node.textContent);
        expect(said()).to.deep.equal(['still too soon']);
        bar.node.querySelector('.companion-review-said')?.dispatchEvent(new window.Event('animationend'));
        expect(said()).to.deep.equal([]);
    });

    it('names the keys that do the same', () => {
        expect(buttons()[0].title).to.equal('The CLI writes it (Ctrl+Enter, Ctrl+S)');
        expect(buttons()[0].querySelector('kbd')?.textContent).to.equal('Ctrl+Enter');
    });

    it('an answer that is refused does nothing, can still be reached, and says why', () => {
        bar.set({ ...content, accept: { ...content.accept, refusal: 'The CLI does not respond' } });
        const [accept] = buttons();
        expect(accept.getAttribute('aria-disabled')).to.equal('true');
        expect(accept.disabled).to.equal(false);
        expect(accept.title).to.equal('The CLI does not respond');
        accept.click();
        expect(given).to.deep.equal([]);
    });
});
