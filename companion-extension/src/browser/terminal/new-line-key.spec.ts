// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { expect } from 'chai';
import { PageAgents } from '../agents/page-agents';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { NewLineKey } from './new-line-key';

describe('Shift+Enter in a terminal', () => {
    let cliId: string | undefined;
    let isInEditor: true | undefined;
    let sent: string[];
    let heard: string[];
    let input: HTMLElement;

    beforeEach(() => {
        [cliId, isInEditor, sent, heard] = ['claude-code', undefined, [], []];
        const services = new FakeServices();
        services.bind(PageAgents, { statusOf: () => ({ cliId, ...(isInEditor && { isInEditor }) }) });
        services.bind(CompanionConnection, {
            state: {
                status: {
                    clis: [
                        { id: 'claude-code', newLine: '\u001b\r' },
                        { id: 'other', newLine: null }
                    ]
                }
            }
        });
        const node = document.createElement('div');
        input = document.createElement('textarea');
        node.append(input);
        input.addEventListener('keydown', () => heard.push('Enter'));
        const terminal = { node, onDispose: () => undefined, sendText: (text: string) => sent.push(text) };
        services.create(NewLineKey).onCreate(terminal as unknown as TerminalWidgetImpl);
    });

    function press(options: KeyboardEventInit = {}): boolean {
        const event = new window.KeyboardEvent('keydown', { key: 'Enter', shiftKey: true, bubbles: true, cancelable: true, ...options });
        return input.dispatchEvent(event);
    }

    it('is what the CLI in it takes for a new line, and nothing else', () => {
        expect(press()).to.equal(false);
        expect(sent).to.deep.equal(['\u001b\r']);
        expect(heard).to.deep.equal([]);
    });

    for (const options of [
        { shiftKey: false },
        { ctrlKey: true },
        { altKey: true },
        { metaKey: true },
        { isComposing: true },
        { key: 'a' }
    ]) {
        it(`is not ${JSON.stringify(options)}`, () => {
            expect(press(options)).to.equal(true);
            expect(sent).to.deep.equal([]);
            expect(heard).to.have.length(1);
        });
    }

    it('is Enter in an editor that the CLI has started', () => {
        isInEditor = true;
        expect(press()).to.equal(true);
        expect(sent).to.deep.equal([]);
        expect(heard).to.have.length(1);
    });

    for (const other of [undefined, 'other', 'unknown']) {
        it(`goes to the terminal where ${other} runs`, () => {
            cliId = other;
            expect(press()).to.equal(true);
            expect(sent).to.deep.equal([]);
            expect(heard).to.have.length(1);
        });
    }
});
