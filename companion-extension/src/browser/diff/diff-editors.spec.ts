// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { KeybindingRegistry } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { expect } from 'chai';
import { editorWidget } from '../test/editor-widget';
import { FakeServices } from '../test/fake-services';
import { DiffContribution } from './diff-contribution';
import { DiffEditors } from './diff-editors';

describe('What a feature adds to the diffs of others', () => {
    let keys: string[];
    let executed: unknown[][];
    let words: string[];
    let diffs: DiffEditors;
    let widget: EditorWidget;
    const onKeybindingsChanged = new Emitter<void>();
    const onDidChange = new Emitter<void>();

    beforeEach(() => {
        [keys, executed, words] = [['ctrl+shift+f9', 'ctrl+enter'], [], ['Comment']];
        const services = new FakeServices();
        services.bind(CommandService, { executeCommand: async (...command: unknown[]) => void executed.push(command) });
        services.bind(KeybindingRegistry, {
            onKeybindingsChanged: onKeybindingsChanged.event,
            getKeybindingsForCommand: () => keys,
            acceleratorFor: (binding: string) => [binding]
        });
        const contribution: DiffContribution = {
            onDidChange: onDidChange.event,
            buttons: diff => words.map(word => ({ command: word.toLowerCase(), word, explanation: `On ${diff.id}` }))
        };
        services.bindNamed(ContributionProvider, DiffContribution, { getContributions: () => [contribution] });
        diffs = services.create(DiffEditors);
        widget = editorWidget(new URI('companion-proposed://review-1/ws/a.txt'));
    });

    const shown = (): string[] =>
        [...widget.node.querySelectorAll<HTMLElement>('.companion-review-answer')].map(
            ({ textContent, title }) => `${textContent}: ${title}`
        );

    it('is a button behind the answers, with the keys of its command; it runs that with the diff', () => {
        const editor = diffs.create(widget);
        const accept = { command: 'accept', word: 'Accept', explanation: 'Writes it' };
        editor.describe('', '', [], { label: '', path: 'a.txt', cliName: '', isNewFile: false, answers: [accept] });
        expect(shown()).to.deep.equal([
            'Acceptctrl+shift+f9: Writes it (ctrl+shift+f9, ctrl+enter)',
            `Commentctrl+shift+f9: On ${widget.id} (ctrl+shift+f9, ctrl+enter)`
        ]);
        widget.node.querySelector<HTMLElement>('#comment')?.click();
        expect(executed).to.deep.equal([['comment', widget]]);
        words = [];
        onDidChange.fire();
        expect(shown().length).to.equal(1);
        editor.dispose();
    });

    it('the keys are those that the user has set', () => {
        expect(diffs.keysOf('accept')).to.deep.equal(['ctrl+shift+f9', 'ctrl+enter']);
        keys = ['f9', 'f9'];
        onKeybindingsChanged.fire();
        expect(diffs.keysOf('accept')).to.deep.equal(['f9']);
    });
});
