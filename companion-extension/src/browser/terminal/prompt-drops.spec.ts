// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { expect } from 'chai';
import { PageAgents } from '../agents/page-agents';
import { FakeServices } from '../test/fake-services';
import { PromptContribution } from './prompt-contribution';
import { PromptDrops } from './prompt-drops';

describe('Files that are dropped onto a terminal', () => {
    let cliId: string | undefined;
    let added: string[];
    let heard: string[];
    let node: HTMLElement;

    beforeEach(() => {
        [cliId, added, heard] = ['claude-code', [], []];
        const services = new FakeServices();
        services.bind(PageAgents, { statusOf: () => ({ cliId }) });
        services.bind(PromptContribution, {
            addFiles: async (files: readonly unknown[], terminal: unknown) => void added.push(`${files.join()} ${terminal === widget}`)
        });
        node = document.createElement('div');
        const panel = document.createElement('div');
        panel.append(node);
        ['dragover', 'drop'].forEach(name => panel.addEventListener(name, () => heard.push(name)));
        const widget = { node, onDispose: () => undefined } as unknown as TerminalWidgetImpl;
        services.create(PromptDrops).onCreate(widget);
    });

    /** @returns whether somebody takes it */
    function fire(name: string, types: string[]): boolean {
        const event = new window.Event(name, { bubbles: true, cancelable: true });
        const dataTransfer = { types, getData: () => 'file:///ws/a.ts\nfile:///ws/b%20c.ts' };
        node.dispatchEvent(Object.assign(event, { dataTransfer }));
        return event.defaultPrevented;
    }

    it('from the explorer go to the CLI in it, and are not opened', () => {
        expect(fire('dragover', ['theia-editor-dnd'])).to.equal(true);
        expect(fire('drop', ['theia-editor-dnd'])).to.equal(true);
        expect(added).to.deep.equal(['file:///ws/a.ts,file:///ws/b%20c.ts true']);
        expect(heard).to.deep.equal([]);
    });

    it('are Theia’s own matter in a shell, and from elsewhere', () => {
        expect(fire('drop', ['Files'])).to.equal(false);
        cliId = undefined;
        expect(fire('dragover', ['theia-editor-dnd'])).to.equal(false);
        expect(fire('drop', ['theia-editor-dnd'])).to.equal(false);
        expect(added).to.deep.equal([]);
        expect(heard).to.deep.equal(['drop', 'dragover', 'drop']);
    });
});
