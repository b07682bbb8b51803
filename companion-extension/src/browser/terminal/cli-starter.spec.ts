// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell } from '@theia/core/lib/browser';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { URI } from '@theia/core/lib/common/uri';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget, TerminalWidgetOptions } from '@theia/terminal/lib/browser/base/terminal-widget';
import { ShellTerminalProfile } from '@theia/terminal/lib/browser/shell-terminal-profile';
import { TerminalProfile, TerminalProfileService } from '@theia/terminal/lib/browser/terminal-profile-service';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { CommandSearch, StartableCli } from '../../common/companion-protocol';
import { PromptBackend } from '../../common/prompt-protocol';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { CliStarter } from './cli-starter';
import { IdeModeQuestion } from './ide-mode-question';

const QWEN: StartableCli = { id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen', install: 'npm install -g qwen' };
const GEMINI: StartableCli = { id: 'gemini-cli', displayName: 'Gemini CLI', command: 'gemini' };

class TestTerminal {
    isBusy = false;
    readonly typed: string[] = [];
    readonly onOutput = new Emitter<string>();
    readonly onData = new Emitter<string>();
    readonly onClose = new Emitter<void>();
    readonly widget: TerminalWidget;

    constructor(readonly options: TerminalWidgetOptions) {
        const widget = {
            onOutput: this.onOutput.event,
            onData: this.onData.event,
            onTerminalDidClose: this.onClose.event,
            start: async () => 1,
            sendText: (text: string) => this.typed.push(text),
            hasChildProcesses: async () => this.isBusy
        };
        this.widget = Object.create(TerminalWidgetImpl.prototype, {
            ...Object.fromEntries(Object.entries(widget).map(([name, value]) => [name, { value }])),
            cwd: { value: Promise.resolve(new URI(String(options.cwd))) }
        }) as TerminalWidgetImpl;
    }
}

describe('A CLI that the user starts', () => {
    let starter: CliStarter;
    let clock: sinon.SinonFakeTimers;
    let terminals: TestTerminal[];
    let opened: unknown[];
    let search: Promise<CommandSearch>;
    let said: string[];
    let buttons: string[];
    let pressed: string | undefined;
    let startsWithIdeMode: boolean;
    let copied: string[];
    let root: string;
    let profile: TerminalProfile | undefined;
    let missing: string | undefined;
    let agents: Array<{ cliId: string }>;
    let offered: string[];
    let chosen: number;

    beforeEach(() => {
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        [terminals, opened, said, buttons, copied] = [[], [], [], [], []];
        search = Promise.resolve({ found: true });
        pressed = undefined;
        startsWithIdeMode = true;
        [profile, missing, agents, offered, chosen] = [undefined, undefined, [], [], 0];
        root = 'file:///ws';
        const services = new FakeServices();
        services.bind(PromptBackend, { findCommand: async (id: string) => (id === missing ? { found: false } : search) });
        services.bind(CompanionConnection, {
            get state() {
                return { agents };
            }
        });
        services.bind(IdeModeQuestion, { ask: async () => startsWithIdeMode });
        services.bind(MessageService, {
            warn: async (text: string, ...labels: string[]) => {
                said.push(text);
                buttons = labels;
                return pressed;
            }
        });
        services.bind(ClipboardService, { writeText: async (text: string) => void copied.push(text) });
        services.bind(EditorManager, { currentEditor: undefined });
        services.bind(ApplicationShell, { getWidgets: () => [] });
        services.bind(TerminalService, {
            newTerminal: async (options: TerminalWidgetOptions) => {
                const terminal = new TestTerminal(options);
                terminals.push(terminal);
                return terminal.widget;
            },
            open: async (widget: unknown) => void opened.push(widget)
        });
        services.bind(TerminalProfileService, {
            get defaultProfile() {
                return profile;
            }
        });
        services.bind(QuickPickService, {
            show: async (items: Array<{ label: string; description: string }>) => {
                offered = items.map(({ label, description }) => `${label}: ${description}`);
                return items[chosen];
            }
        });
        services.bind(WorkspaceService, { getWorkspaceRootUri: () => new URI(root) });
        starter = services.create(CliStarter);
    });

    afterEach(() => clock.restore());

    /** The user starts it, and its shell shows a prompt. */
    async function run(cli = QWEN): Promise<void> {
        await starter.run(cli);
        terminals.forEach(({ onOutput }) => onOutput.fire('$ '));
        await clock.tickAsync(1);
    }

    /** All that was typed, by terminals. */
    function typed(): string[][] {
        return terminals.map(terminal => terminal.typed);
    }

    it('runs in a new terminal, in the root of the file', async () => {
        await run();
        expect(typed()).to.deep.equal([['qwen\r']]);
        expect(terminals[0].options).to.deep.equal({ cwd: 'file:///ws' });
        expect(opened).to.deep.equal([terminals[0].widget]);
    });

    it('runs in a shell as “New Terminal” starts it', async () => {
        const made = new TestTerminal({});
        const service = { newTerminal: async (options: TerminalWidgetOptions) => Object.assign(made, { options }).widget };
        profile = new ShellTerminalProfile(service as unknown as TerminalService, { shellPath: '/bin/zsh', shellArgs: ['-l'] });
        await starter.run(QWEN);
        made.onOutput.fire('$ ');
        await clock.tickAsync(1);
        expect(made.options).to.deep.equal({ shellPath: '/bin/zsh', shellArgs: ['-l'], cwd: 'file:///ws' });
        expect(made.typed).to.deep.equal(['qwen\r']);
    });

    it('is chosen among all: those that were found come first', async () => {
        missing = 'qwen-code';
        const choosing = starter.choose([QWEN, GEMINI]);
        await clock.tickAsync(1);
        expect(offered).to.deep.equal(['Gemini CLI: gemini', 'Qwen Code: not found']);
        terminals.forEach(({ onOutput }) => onOutput.fire('$ '));
        await clock.tickAsync(1);
        expect(await choosing).to.equal(GEMINI);
        expect(typed()).to.deep.equal([['gemini\r']]);
        chosen = 1;
        expect(await starter.choose([QWEN, GEMINI]), 'the user closes the message').to.equal(undefined);
    });

    it('is typed when the shell has its prompt, or after three seconds', async () => {
        await starter.run(QWEN);
        await clock.tickAsync(2_999);
        expect(typed()).to.deep.equal([[]]);
        await clock.tickAsync(1);
        expect(typed()).to.deep.equal([['qwen\r']]);
    });

    it('runs again in its own terminal once that is idle', async () => {
        await run();
        await run();
        expect(typed()).to.deep.equal([['qwen\r', 'qwen\r']]);
        expect(opened).to.deep.equal([terminals[0].widget, terminals[0].widget]);
    });

    it('gets a new terminal if its own is busy, closed, another folder’s, or another CLI’s', async () => {
        await run();
        terminals[0].isBusy = true;
        await run();
        terminals[1].onClose.fire();
        await run();
        root = 'file:///other';
        await run();
        await run(GEMINI);
        expect(typed()).to.deep.equal([['qwen\r'], ['qwen\r'], ['qwen\r'], ['qwen\r'], ['gemini\r']]);
    });

    it('is not added to what the user has typed into the line of the shell', async () => {
        await run();
        terminals[0].onData.fire('rm ');
        await run();
        expect(typed()).to.deep.equal([['qwen\r'], ['qwen\r']]);
        terminals[0].onData.fire('\u0003');
        terminals[0].onData.fire('\u001b[I');
        terminals[1].isBusy = true;
        await run();
        expect(typed()).to.deep.equal([['qwen\r', 'qwen\r'], ['qwen\r']]);
    });

    it('is not started if its command is missing and the user does not want it', async () => {
        search = Promise.resolve({ found: false });
        await run();
        expect(terminals).to.deep.equal([]);
        expect(said.join()).to.include('Qwen Code was not found: "qwen" is not on the PATH of this IDE.');
        expect(buttons).to.deep.equal(['Install in Terminal', 'Copy Command', 'Run Anyway']);
    });

    it('is started if its command is missing and the user wants it: shells may find more', async () => {
        search = Promise.resolve({ found: false });
        pressed = 'Run Anyway';
        await run();
        expect(typed()).to.deep.equal([['qwen\r']]);
    });

    it('is there if it runs in a terminal, wherever that has found it', async () => {
        search = Promise.resolve({ found: false });
        agents = [{ cliId: 'qwen-code' }];
        await run();
        expect(typed()).to.deep.equal([['qwen\r']]);
    });

    it('is installed by the user: the command is typed without Enter, or copied', async () => {
        search = Promise.resolve({ found: false });
        pressed = 'Copy Command';
        await run();
        expect(copied).to.deep.equal(['npm install -g qwen']);
        pressed = 'Install in Terminal';
        const running = run();
        await clock.tickAsync(3_000);
        await running;
        expect(typed()).to.deep.equal([['npm install -g qwen']]);
    });

    it('is started if the search takes too long', async () => {
        search = new Promise(() => undefined);
        const running = run();
        await clock.tickAsync(3_000);
        await running;
        expect(typed()).to.deep.equal([['qwen\r']]);
    });

    it('is not started if the user closes the question about its IDE mode', async () => {
        search = Promise.resolve({ found: true, ideModeOff: '/home/ann/settings.json' });
        startsWithIdeMode = false;
        await run();
        expect(terminals).to.deep.equal([]);
    });
});
