// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell } from '@theia/core/lib/browser';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { MessageService } from '@theia/core/lib/common/message-service';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalCommands } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { TerminalPreferences } from '@theia/terminal/lib/common/terminal-preferences';
import { expect } from 'chai';
import { PageAgents } from '../agents/page-agents';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
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
    let active: unknown;
    let said: string[];
    /** In the clipboard, or dragged. */
    let text: string;
    let registered: FakeRegistries;

    beforeEach(() => {
        [cliId, added, heard, opened, said, text] = ['claude-code', [], [], undefined, [], ''];
        const add = async (files: readonly object[], terminal: unknown): Promise<void> =>
            void added.push(`${files.join()} ${terminal === widget}`);
        const services = new FakeServices();
        services.bind(TerminalService, { open: async (terminal: unknown) => void (opened = terminal) });
        services.bind(PageAgents, { statusOf: () => ({ cliId }) });
        services.bind(PromptContribution, { addFiles: add });
        services.bind(PromptUploads, { add });
        services.bind(ApplicationShell, {
            get activeWidget() {
                return active;
            }
        });
        services.bind(TerminalPreferences, { 'terminal.enablePaste': true });
        services.bind(ClipboardService, { readText: async () => 'text of the clipboard' });
        services.bind(MessageService, { warn: async (text: string) => void said.push(text) });
        node = document.createElement('div');
        const panel = document.createElement('div');
        panel.append(node);
        ['dragover', 'drop', 'paste'].forEach(name => panel.addEventListener(name, () => heard.push(name)));
        widget = Object.assign(Object.create(TerminalWidgetImpl.prototype) as TerminalWidgetImpl, {
            node,
            onDispose: () => undefined,
            paste: (text: string) => added.push(`pasted ${text}`)
        });
        active = widget;
        const drops = services.create(PromptDrops);
        drops.onCreate(widget);
        registered = new FakeRegistries();
        drops.registerCommands(registered.commands);
    });

    function item(name: string, isDirectory = false): object {
        return { kind: 'file', webkitGetAsEntry: () => ({ isDirectory, name }), getAsFile: () => ({ name, toString: () => name }) };
    }

    /** @returns whether somebody takes it */
    function fire(name: string, types: string[], ...items: object[]): boolean {
        const event = new window.Event(name, { bubbles: true, cancelable: true });
        const uris = types.includes('theia-editor-dnd') ? 'file:///ws/a.ts\nfile:///ws/b%20c.ts' : '';
        const data = { types, items, getData: (type: string) => (type === 'text/plain' ? text : uris) };
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

    it('win over a text that is only their names, as a Mac pastes them', () => {
        text = 'shot.png\rb.png';
        expect(fire('paste', ['text/plain', 'Files'], item('shot.png'), item('b.png'))).to.equal(true);
        expect(added).to.deep.equal(['shot.png,b.png true']);
        text = 'shot.png is a picture';
        expect(fire('paste', ['text/plain', 'Files'], item('shot.png'))).to.equal(false);
        expect(added).to.have.length(1);
    });

    it('that are folders are answered with a sentence', () => {
        fire('drop', ['Files'], item('folder', true), item('a.png'));
        expect(added).to.deep.equal(['a.png true']);
        expect(said).to.deep.equal(['Folders are not uploaded: folder. Add the files in them.']);
        fire('paste', ['Files'], item('other', true));
        expect(said).to.have.length(2);
    });

    describe('by the menu of the terminal', () => {
        let clipboard: object | undefined;

        beforeEach(() => {
            clipboard = undefined;
            Object.defineProperty(navigator, 'clipboard', { configurable: true, get: () => clipboard });
        });

        afterEach(() => Reflect.deleteProperty(navigator, 'clipboard'));

        function paste(): Promise<void> {
            return registered.execute(TerminalCommands.PASTE_TERMINAL.id);
        }

        it('are uploaded, too, if they are pictures', async () => {
            const item = { types: ['image/png'], getType: async () => new Blob(['x'], { type: 'image/png' }) };
            clipboard = { read: async () => [item] };
            await paste();
            expect(added).to.have.length(1);
            expect(added[0]).to.match(/ true$/);
        });

        it('give way to text, and to a browser that does not say what is there', async () => {
            clipboard = { read: async () => [{ types: ['text/plain', 'image/png'] }] };
            await paste();
            clipboard = { read: () => Promise.reject(new Error('NotAllowedError')) };
            await paste();
            clipboard = undefined;
            await paste();
            expect(added).to.deep.equal(Array(3).fill('pasted text of the clipboard'));
        });

        it('are Theia’s own matter in a shell', () => {
            cliId = undefined;
            expect(registered.isEnabled(TerminalCommands.PASTE_TERMINAL.id)).to.equal(false);
        });
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
