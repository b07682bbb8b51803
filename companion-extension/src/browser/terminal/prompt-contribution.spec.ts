// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { MenuAction, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { SelectionService } from '@theia/core/lib/common/selection-service';
import { URI } from '@theia/core/lib/common/uri';
import { Position } from '@theia/core/shared/vscode-languageserver-protocol';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { TerminalMenus } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import { expect } from 'chai';
import { CliTerminal, CompanionBackend, Mention } from '../../common/companion-protocol';
import { ChangeOffer } from '../changes/change-offer';
import { PROMPT_COMMANDS } from './prompt-command-ids';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { ContextFilter } from '../context/context-filter';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { CliPrompt, PromptContent } from './cli-prompt';
import { PromptContribution } from './prompt-contribution';

const { ADD_CHOSEN, ADD_FILE, ADD_SELECTION, ADD_TERMINAL_SELECTION, TYPE } = PROMPT_COMMANDS;
const { TELL_UNDONE } = SHARED_COMMANDS;
const TERMINAL: CliTerminal = {
    shell: 1,
    cliId: 'qwen-code',
    displayName: 'Qwen Code',
    folder: '/ws',
    mentionStyle: { form: 'escaped', unread: '' }
};

describe('The commands for the prompt of a CLI', () => {
    let registries: FakeRegistries;
    let uri: URI | undefined;
    let selectedText: string;
    let selection: unknown;
    let realPaths: (path: string) => string | undefined;
    let withheld: string[];
    let typed: string[];
    let mentions: Mention[][];
    let said: string[];
    let meant: unknown;
    let isOffered: boolean;
    /** What is selected in a terminal. */
    let output: string;
    let contribution: PromptContribution;

    beforeEach(() => {
        registries = new FakeRegistries();
        uri = new URI('file:///ws/a.txt');
        [selectedText, selection, realPaths, withheld] = ['two\nthree', undefined, path => path, []];
        [typed, mentions, said, isOffered, output] = [[], [], [], true, ''];
        const services = new FakeServices();
        services.bind(EditorManager, {
            get currentEditor() {
                const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 5 } };
                const editor = {
                    selection: range,
                    document: { getText: () => selectedText, offsetAt: ({ line }: Position) => (line === 1 ? 0 : selectedText.length) }
                };
                return uri && { getResourceUri: () => uri, editor };
            }
        });
        services.bind(ChangeOffer, { hide: () => (isOffered = false) });
        services.bind(CompanionBackend, { realPaths: async (paths: string[]) => paths.map(path => realPaths(path)) });
        services.bind(ContextFilter, {
            isShared: (path: string) => !withheld.includes(path),
            withheldBy: (file: URI) => (file.path.base === '.env' ? 'companion.context.exclude: **/.env' : undefined)
        });
        const type = async (content: PromptContent): Promise<void> => {
            typed.push(content.textFor(TERMINAL));
            mentions.push([...content.mentions]);
        };
        const typeInto = async (terminal: unknown, content: PromptContent): Promise<void> => {
            meant = terminal;
            await type(content);
        };
        services.bind(CliPrompt, { type, typeInto });
        services.bind(FileService, { resolve: async ({ path }: URI) => ({ isFile: path.ext !== '' }) });
        services.bind(SelectionService, {
            get selection() {
                return selection;
            }
        });
        const say = async (text: string): Promise<undefined> => void said.push(text);
        services.bind(MessageService, { info: say, warn: say });
        services.bind(TerminalService, {
            get all() {
                return ['', output].map(text => ({ hasSelection: () => text !== '', getSelection: () => text }));
            }
        });
        contribution = services.create(PromptContribution);
        contribution.registerCommands(registries.commands);
    });

    it('a key adds the selection of an editor, unless it types a character', () => {
        contribution.registerKeybindings(registries.keybindings);
        const condition = 'editorTextFocus && editorHasSelection && resourceScheme == file && !companionAltGraph';
        expect(registries.keys).to.deep.equal([`ctrlcmd+alt+k: companion.prompt.addSelection (${condition})`]);
    });

    it('a text is put into the prompt as it is', async () => {
        await registries.execute(TYPE.id, 'Ask again');
        expect(typed).to.deep.equal(['Ask again']);
    });

    it('the selection of a terminal is a block of its own, that mentions nothing', async () => {
        expect(registries.isEnabled(ADD_TERMINAL_SELECTION.id)).to.equal(false);
        output = 'error: ```\n@secret';
        expect(registries.isEnabled(ADD_TERMINAL_SELECTION.id)).to.equal(true);
        await registries.execute(ADD_TERMINAL_SELECTION.id);
        expect(typed).to.deep.equal(['Output of a terminal:\n````\nerror: ```\n\\@secret\n````\n ']);
        expect(mentions).to.deep.equal([[]]);
    });

    it('the entry is in the menu of a terminal itself, in no submenu of it', () => {
        const paths: string[] = [];
        const registerMenuAction = (path: string[], { commandId }: MenuAction): void => {
            if (commandId === ADD_TERMINAL_SELECTION.id) {
                paths.push(path.join('/'));
            }
        };
        contribution.registerMenus({ registerMenuAction } as unknown as MenuModelRegistry);
        expect(paths).to.have.length(1);
        // Theia (1.74) makes a submenu without a name of its group for contributions.
        expect(paths[0])
            .to.match(/^terminal-context-menu\/[^/]+$/)
            .and.not.equal(TerminalMenus.TERMINAL_CONTRIBUTIONS.join('/'));
    });

    it('of a long selection of a terminal only the end is added, which is said', async () => {
        output = `${'x'.repeat(20_000)}end`;
        await registries.execute(ADD_TERMINAL_SELECTION.id);
        expect(typed[0].length).to.be.lessThan(16_384 + 100);
        expect(typed[0]).to.include('end\n```');
        expect(said).to.deep.equal(['Only the last 16384 characters of the selection were added.']);
    });

    it('what was undone is one line, with the names of files that tell no CLI to read anything', async () => {
        await registries.execute(TELL_UNDONE.id, ['/ws/src/a.txt', '/ws/@b.txt'], 'Qwen Code');
        await registries.execute(
            TELL_UNDONE.id,
            Array.from({ length: 7 }, (_, index) => `/ws/${index}`),
            'Qwen Code'
        );
        expect(typed).to.deep.equal([
            'I undid your changes to src/a.txt, a file in the editor. ',
            'I undid your changes to 0, 1, 2, 3, 4, 2 more in the editor. '
        ]);
        expect(isOffered).to.equal(false);
    });

    it('the file of the editor is put into the prompt, by its path from the folder of the CLI', async () => {
        await registries.execute(ADD_FILE.id);
        expect(typed).to.deep.equal([' @a.txt ']);
        expect(mentions).to.deep.equal([[{ path: '/ws/a.txt' }]]);
    });

    it('selected lines are put into the prompt, counted from 1', async () => {
        await registries.execute(ADD_SELECTION.id);
        expect(typed[0]).to.include('@a.txt').and.to.include('two\nthree');
        expect(mentions).to.deep.equal([[{ path: '/ws/a.txt', lines: { first: 2, last: 3 } }]]);
    });

    it('a file over a link gets the name of what the link leads to', async () => {
        realPaths = () => '/real/b.txt';
        await registries.execute(ADD_FILE.id);
        expect(mentions).to.deep.equal([[{ path: '/real/b.txt' }]]);
    });

    it('the commands are off without an editor of a file, or without a selection', () => {
        expect([registries.isEnabled(ADD_FILE.id), registries.isEnabled(ADD_SELECTION.id)]).to.deep.equal([true, true]);
        selectedText = '';
        expect([registries.isEnabled(ADD_FILE.id), registries.isEnabled(ADD_SELECTION.id)]).to.deep.equal([true, false]);
        uri = new URI('untitled:/a.txt');
        expect([registries.isEnabled(ADD_FILE.id), registries.isEnabled(ADD_SELECTION.id)]).to.deep.equal([false, false]);
    });

    it('all that is chosen in the explorer is put into the prompt, or nothing', async () => {
        const row = (path: string): object => ({ fileStat: { isFile: true, resource: new URI(`file:///ws/${path}`) } });
        expect(registries.isEnabled(ADD_CHOSEN.id)).to.equal(false);
        selection = [row('a.txt'), row('b.txt')];
        expect(registries.isEnabled(ADD_CHOSEN.id)).to.equal(true);
        await registries.execute(ADD_CHOSEN.id);
        expect(typed).to.deep.equal([' @a.txt  @b.txt ']);
        withheld = ['/ws/b.txt'];
        await registries.execute(ADD_CHOSEN.id);
        expect(typed).to.have.length(1);
    });

    it('S16: files that are dragged go to the terminal that they are dropped onto, and folders nowhere', async () => {
        const terminal = {} as TerminalWidget;
        await contribution.addFiles([new URI('file:///ws/a.txt'), new URI('file:///ws/b.txt')], terminal);
        expect(typed).to.deep.equal([' @a.txt  @b.txt ']);
        expect(meant).to.equal(terminal);
        await contribution.addFiles([new URI('file:///ws/a.txt'), new URI('file:///ws/folder')], terminal);
        withheld = ['/ws/a.txt'];
        await contribution.addFiles([new URI('file:///ws/a.txt')], terminal);
        expect(typed).to.have.length(1);
        expect(said).to.deep.equal(['folder is not a file on the disk of this IDE.', '/ws/a.txt is not shared with CLIs.']);
    });

    it('S16: a withheld file is not added, not even over a link, and the message names its rule', async () => {
        withheld = ['/ws/.env'];
        realPaths = () => '/ws/.env';
        await registries.execute(ADD_FILE.id);
        withheld = ['/ws/a.txt'];
        await registries.execute(ADD_FILE.id);
        expect(typed).to.deep.equal([]);
        expect(said).to.deep.equal([
            '/ws/a.txt is not shared with CLIs \\(companion.context.exclude: \\*\\*/.env\\).',
            '/ws/a.txt is not shared with CLIs.'
        ]);
    });

    it('a file is not added that is not there, or whose name a prompt cannot contain', async () => {
        realPaths = () => undefined;
        await registries.execute(ADD_FILE.id);
        realPaths = () => '/ws/line\nend.txt';
        await registries.execute(ADD_FILE.id);
        expect(typed).to.deep.equal([]);
        expect(said[0]).to.equal('/ws/a.txt is not on the disk of this IDE.');
        expect(said[1]).to.include('Rename it.');
    });

    it('S16: characters that nobody sees in an added selection are named', async () => {
        selectedText = 'two\u202ethree';
        await registries.execute(ADD_SELECTION.id);
        expect(typed).to.have.length(1);
        expect(said[0]).to.include('characters that you cannot see');
    });

    it('a file is not said to be missing while the backend does not answer', async () => {
        realPaths = () => {
            throw new Error('The connection is lost.');
        };
        await registries.execute(ADD_FILE.id);
        expect([typed, said]).to.deep.equal([[], ['The backend does not answer.']]);
    });
});
