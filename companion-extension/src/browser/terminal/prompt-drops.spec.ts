// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { expect } from 'chai';
import { PageAgents } from '../agents/page-agents';
import { FakeServices } from '../test/fake-services';
import { PromptContribution } from './prompt-contribution';
import { PromptDrops } from './prompt-drops';
import { PromptUploads } from './prompt-uploads';

describe('Files that are dropped onto a terminal, or pasted there', () => {
    let cliId: string | undefined;
    let added: string[];
    let heard: string[];
    let opened: unknown;
    let widget: TerminalWidgetImpl;
    let node: HTMLElement;

    beforeEach(() => {
        [cliId, added, heard, opened] = ['claude-code', [], [], undefined];
        const add = async (files: readonly object[], terminal: unknown): Promise<void> =>
            void added.push(`${files.join()} ${terminal === widget}`);
        const services = new FakeServices();
        services.bind(TerminalService, { open: async (terminal: unknown) => void (opened = terminal) });
        services.bind(PageAgents, { statusOf: () => ({ cliId }) });
        services.bind(PromptContribution, { addFiles: add });
        services.bind(PromptUploads, { add });
        node = document.createElement('div');
        const panel = document.createElement('div');
        panel.append(node);
        ['dragover', 'drop', 'paste'].forEach(name => panel.addEventListener(name, () => heard.push(name)));
        widget = { node, onDispose: () => undefined } as unknown as TerminalWidgetImpl;
        services.create(PromptDrops).onCreate(widget);
    });

    function item(name: string, isDirectory = false): object {
        return { kind: 'file', webkitGetAsEntry: () => ({ isDirectory }), getAsFile: () => name };
    }

    /** @returns whether somebody takes it */
    function fire(name: string, types: string[], ...items: object[]): boolean {
        const event = new window.Event(name, { bubbles: true, cancelable: true });
        const uris = types.includes('theia-editor-dnd') ? 'file:///ws/a.ts\nfile:///ws/b%20c.ts' : '';
        const data = { types, items, getData: () => uris };
        node.dispatchEvent(Object.assign(event, name === 'paste' ? { clipboardData: data } : { dataTransfer: data }));
        return event.defaultPrevented;
    }

    it('from the explorer go to the CLI in it, and are not opened', () => {
        expect(fire('dragover', ['theia-editor-dnd'])).to.equal(true);
        expect(fire('drop', ['theia-editor-dnd'])).to.equal(true);
        expect(added).to.deep.equal(['file:///ws/a.ts,file:///ws/b%20c.ts true']);
        expect(opened, 'has the keyboard').to.equal(widget);
        expect(heard).to.deep.equal([]);
    });

    it('from the desktop or the clipboard are uploaded, and no folders', () => {
        expect(fire('drop', ['Files'], item('a.png'), item('folder', true))).to.equal(true);
        expect(fire('paste', ['Files'], item('image.png'))).to.equal(true);
        expect(added).to.deep.equal(['a.png true', 'image.png true']);
        expect(heard).to.deep.equal([]);
    });

    it('are Theia’s own matter in a shell, and text is pasted as ever', () => {
        expect(fire('paste', ['text/plain', 'Files'], item('image.png'))).to.equal(false);
        expect(fire('paste', ['text/plain'])).to.equal(false);
        expect(fire('drop', ['text/plain'])).to.equal(false);
        cliId = undefined;
        expect(fire('dragover', ['theia-editor-dnd'])).to.equal(false);
        expect(fire('drop', ['Files'], item('a.png'))).to.equal(false);
        expect(fire('paste', ['Files'], item('image.png'))).to.equal(false);
        expect(added).to.deep.equal([]);
        expect(heard).to.deep.equal(['paste', 'paste', 'drop', 'dragover', 'drop', 'paste']);
    });
});
