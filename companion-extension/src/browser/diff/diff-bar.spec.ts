// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { BarContent, DiffBar } from './diff-bar';

describe('The bar above a proposal', () => {
    let bar: DiffBar;
    let given: string[];
    let keys: Record<string, string[]>;
    let content: BarContent;

    beforeEach(() => {
        given = [];
        keys = { 'companion.review.accept': ['Ctrl+Enter', 'Ctrl+S'] };
        bar = new DiffBar(document, {
            toggleWrap: () => given.push('wrap'),
            run: id => given.push(id.replace('companion.review.', '')),
            keysOf: id => keys[id] ?? []
        });
        content = {
            label: 'Proposal of Qwen Code for src/app/<b>.ts',
            path: 'src/app/<b>.ts',
            isNewFile: false,
            cliName: 'Qwen Code',
            answers: [
                { command: 'companion.review.accept', word: 'Accept', isMain: true, explanation: 'The CLI writes it' },
                { command: 'companion.review.reject', word: 'Reject', explanation: 'Nothing is written' },
                { command: 'companion.review.rejectWithReason', word: 'Reject with Reason…', explanation: 'Says why' }
            ]
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
        bar.set({ ...content, isNewFile: true, leadsTo: 'real/a.txt', place: 'proposal 2 of 3' });
        expect(bar.node.textContent).to.include('new file').and.include('2 of 3').and.include(' → real/a.txt');
    });

    it('answers by its buttons, and takes no keyboard from where it is', () => {
        const [accept, reject, reason] = buttons();
        [accept, reject, reason].forEach(button => button.click());
        expect(given).to.deep.equal(['accept', 'reject', 'rejectWithReason']);
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

    it('has other buttons as soon as there are others, and else leaves them, with the keyboard', () => {
        const [accept] = buttons();
        bar.set({ ...content, isNewFile: true });
        expect(buttons()[0]).to.equal(accept);
        bar.set({ ...content, answers: [...content.answers, { command: 'comment', word: 'Comment', explanation: 'Says more' }] });
        expect(
            buttons()
                .map(({ id }) => id)
                .at(-1)
        ).to.equal('comment');
        expect(buttons().at(-1)?.title, 'without a key').to.equal('Says more');
    });

    it('names the keys that do the same', () => {
        expect(buttons()[0].title).to.equal('The CLI writes it (Ctrl+Enter, Ctrl+S)');
        expect(buttons()[0].querySelector('kbd')?.textContent).to.equal('Ctrl+Enter');
    });

    it('an answer that is refused does nothing, can still be reached, and says why', () => {
        const [first, ...others] = content.answers;
        bar.set({ ...content, answers: [{ ...first, refusal: 'The CLI does not respond' }, ...others] });
        const [accept] = buttons();
        expect(accept.getAttribute('aria-disabled')).to.equal('true');
        expect(accept.disabled).to.equal(false);
        expect(accept.title).to.equal('The CLI does not respond');
        accept.click();
        expect(given).to.deep.equal([]);
    });
});
