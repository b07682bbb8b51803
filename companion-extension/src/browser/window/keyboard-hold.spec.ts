// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { URI } from '@theia/core/lib/common/uri';
import { expect } from 'chai';
import { KeyboardHold } from './keyboard-hold';

describe('The keyboard while editors open and close', () => {
    let hold: KeyboardHold;
    let terminal: HTMLElement;
    let otherTerminal: HTMLElement;
    /** The editor of a.ts. */
    let file: HTMLElement;

    beforeEach(() => {
        hold = new KeyboardHold();
        [terminal, otherTerminal] = [makeTerminal(), makeTerminal()];
        const editor = document.body.appendChild(document.createElement('div'));
        editor.className = 'monaco-editor';
        editor.setAttribute('data-uri', 'file:///ws/a.ts');
        file = editor.appendChild(document.createElement('textarea'));
        terminal.focus();
    });

    afterEach(() => {
        hold.release();
        document.body.replaceChildren();
    });

    function makeTerminal(): HTMLElement {
        const screen = document.body.appendChild(document.createElement('div'));
        screen.className = 'xterm';
        return screen.appendChild(document.createElement('textarea'));
    }

    function click(element: HTMLElement): void {
        element.dispatchEvent(new window.MouseEvent('pointerdown', { bubbles: true }));
        element.focus();
    }

    /** Shows the file after the user has done something, as on a slow line. */
    async function showAfter(act: () => void): Promise<void> {
        await hold.still(new URI('file:///ws/a.ts'), async () => {
            act();
            file.focus();
        });
    }

    it('stays where it is while diffs close that do not have it, and is free afterwards', async () => {
        await hold.stay(async () => file.focus());
        expect(document.activeElement).to.equal(terminal);
        file.focus();
        expect(document.activeElement).to.equal(file);
    });

    it('stays where it is while a file is shown; another editor may take it', async () => {
        await hold.still(new URI('file:///ws/a.ts'), async () => file.focus());
        expect(document.activeElement).to.equal(terminal);
        await hold.still(new URI('file:///ws/b.ts'), async () => file.focus());
        expect(document.activeElement).to.equal(file);
    });

    it('follows the user who clicks into the file that is shown', async () => {
        await hold.still(new URI('file:///ws/a.ts'), async () => click(file));
        expect(document.activeElement).to.equal(file);
    });

    it('stays in the terminal that the user has gone to before the file is shown, by a click or by a key', async () => {
        await showAfter(() => click(otherTerminal));
        expect(document.activeElement).to.equal(otherTerminal);
        await showAfter(() => terminal.focus());
        expect(document.activeElement).to.equal(terminal);
    });

    it('stays in the terminal that has it, if the user clicks there', async () => {
        await showAfter(() => click(terminal));
        expect(document.activeElement).to.equal(terminal);
    });

    it('goes to the file if the user clicks on what shows it', async () => {
        const tab = document.body.appendChild(document.createElement('div'));
        await showAfter(() => click(tab));
        expect(document.activeElement).to.equal(file);
    });

    it('goes where it is wanted once it is released', async () => {
        await hold.stay(async () => {
            hold.release();
            file.focus();
        });
        expect(document.activeElement).to.equal(file);
    });
});
