// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { WindowService } from '@theia/core/lib/browser/window/window-service';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { URI } from '@theia/core/lib/common/uri';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { expect } from 'chai';
import { ReviewInfo } from '../../common/companion-protocol';
import { PageAgents } from '../agents/page-agents';
import { CompanionCommands } from '../companion-commands';
import { KeptEdits } from '../review/kept-edits';
import { WaitingReviews } from '../review/waiting-reviews';
import { FakeServices } from '../test/fake-services';
import { reviewInfo } from '../test/review-info';
import { CliTerminals } from '../window/cli-terminals';
import { StatusActions } from './status-actions';

describe('A row of the status', () => {
    let actions: StatusActions;
    /** What happened, in order. */
    let happened: string[];
    let said: string[];
    let buttons: unknown[];
    let pressed: string | undefined;
    let terminals: string[];
    let missing: string[];
    let isTyped: boolean;
    /** `companion.enabled`, by scopes. */
    let enabled: { user?: boolean; workspace?: boolean; session?: boolean };

    beforeEach(() => {
        [happened, said, buttons, terminals, missing, enabled, pressed] = [[], [], [], [], [], {}, undefined];
        isTyped = true;
        const services = new FakeServices();
        const note =
            (what: string) =>
            ({ id }: { id: string }): void =>
                void happened.push(`${what} ${id}`);
        services.bind(WaitingReviews, {
            open: note('open'),
            accept: note('accept'),
            answer: ({ id }: ReviewInfo, kind: string) => happened.push(`answer ${kind} ${id}`)
        });
        services.bind(PageAgents, { reveal: async ({ shell }: { shell: number }) => void happened.push(`revealed ${shell}`) });
        services.bind(KeptEdits, { show: note('show'), discard: note('discard') });
        services.bind(CliTerminals, {
            typeIntoShell: async (shell: number, command: string) => {
                happened.push(`${shell}: ${command}`);
                return isTyped;
            },
            find: async () => terminals.map(displayName => ({ displayName })),
            reveal: async ({ displayName }: { displayName: string }) => void happened.push(`revealed ${displayName}`)
        });
        services.bind(CommandRegistry, {
            executeCommand: async (...command: unknown[]) => {
                happened.push(command.join(' '));
                return isTyped;
            },
            getCommand: (id: string) => (missing.includes(id) ? undefined : { id, label: `label of ${id}` })
        });
        services.bind(PreferenceService, {
            inspect: () => ({
                sessionValue: enabled.session,
                globalValue: enabled.user,
                workspaceValue: enabled.workspace,
                defaultValue: true
            }),
            set: async (_: string, value: boolean, scope: PreferenceScope) => {
                enabled[scope === PreferenceScope.User ? 'user' : 'workspace'] = value;
                happened.push(`set ${PreferenceScope[scope]}`);
            }
        });
        services.bind(WorkspaceService, { open: (folder: URI) => happened.push(`open ${folder.path.toString()}`) });
        services.bind(WindowService, { reload: () => happened.push('reload') });
        services.bind(ClipboardService, { writeText: async (text: string) => void happened.push(`copied ${text}`) });
        services.bind(MessageService, {
            info: async (text: string) => void said.push(text),
            warn: async (text: string, _: object, ...labels: unknown[]) => {
                said.push(text);
                buttons = labels;
                return pressed;
            }
        });
        actions = services.create(StatusActions);
    });

    it('of a proposal opens, accepts or rejects it', () => {
        const review = reviewInfo('a.ts');
        actions.openReview(review);
        actions.acceptReview(review);
        actions.rejectReview(review);
        expect(happened).to.deep.equal(['open a.ts', 'accept a.ts', 'answer reject a.ts']);
    });

    it('offers to reload the page that a restarted backend refuses', async () => {
        await actions.offerReload();
        expect(happened).to.deep.equal([]);
        pressed = 'Reload This Page';
        await actions.offerReload();
        expect(said[1]).to.include('then reload this page to reconnect');
        expect(happened).to.deep.equal(['reload']);
    });

    it('turns the companion on where it was turned off, and nowhere else', async () => {
        enabled = { workspace: false };
        await actions.turnOn();
        expect(happened).to.deep.equal(['set Workspace']);
        enabled = { user: false };
        await actions.turnOn();
        expect(happened).to.deep.equal(['set Workspace', 'set User']);
        enabled = { user: false, workspace: false };
        await actions.turnOn();
        expect(happened.slice(2)).to.deep.equal(['set Workspace', 'set User']);
        expect(new Set(said)).to.deep.equal(
            new Set(['The companion is on. To connect a CLI that is already running, type /ide enable in it.'])
        );
    });

    it('says so if the companion stays off, because the IDE was started without it', async () => {
        enabled = { session: false };
        await actions.turnOn();
        expect(said).to.deep.equal(['The companion is still off: the IDE was started with companion.enabled set to false.']);
    });

    it('of a CLI shows its terminal, or says that there is none here', async () => {
        terminals = ['Gemini CLI', 'Qwen Code'];
        await actions.revealTerminal('Qwen Code');
        expect(happened).to.deep.equal(['revealed Qwen Code']);
        terminals = ['Gemini CLI'];
        await actions.revealTerminal('Qwen Code');
        expect(happened).to.have.length(1);
        expect(said.join()).to.include('No terminal in this window shows Qwen Code.');
    });

    it('of a CLI that is not connected types what connects it, or copies that where no terminal has its prompt', async () => {
        const cli = { cliId: 'gemini-cli', displayName: 'Gemini CLI', connectCommand: '/ide enable' };
        await actions.connectCli(cli);
        expect(happened).to.deep.equal(['companion.prompt.type /ide enable gemini-cli']);
        isTyped = false;
        await actions.connectCli(cli);
        expect(happened.slice(2)).to.deep.equal(['copied /ide enable']);
        expect(said.join()).to.include('No terminal of this window has the prompt of Gemini CLI');
        actions.openFolder('/tree');
        expect(happened.at(-1)).to.equal('open /tree');
    });

    it('of the diagnosis types what mends a CLI into the prompt or the shell, or copies it', async () => {
        const fix = { cliId: 'gemini-cli', displayName: 'Gemini CLI', command: "cd '/ws'", shell: 42 };
        await actions.typeFix({ ...fix, command: '/ide enable' });
        await actions.typeFix(fix);
        isTyped = false;
        await actions.typeFix(fix);
        await actions.typeFix({ ...fix, shell: undefined });
        expect(happened).to.deep.equal([
            'companion.prompt.type /ide enable gemini-cli',
            "42: cd '/ws'",
            "42: cd '/ws'",
            "copied cd '/ws'",
            "copied cd '/ws'"
        ]);
        expect(said.join()).to.include("Copied for it: cd '/ws'");
    });

    it('of a problem offers what mends it: a command to copy, and the diagnosis', async () => {
        const diagnose = `label of ${CompanionCommands.CHECK_CONNECTION.id}`;
        pressed = 'Copy Command';
        await actions.tellProblem('IDE mode is off', 'qwen --ide');
        expect(buttons).to.deep.equal(['Copy Command', diagnose]);
        pressed = diagnose;
        await actions.tellProblem('IDE mode is off', 'qwen --ide');
        expect(happened).to.deep.equal(['copied qwen --ide', CompanionCommands.CHECK_CONNECTION.id]);
    });

    it('of a problem that is closed, or has nothing to copy, copies nothing', async () => {
        await actions.tellProblem('IDE mode is off', 'qwen --ide');
        missing = [CompanionCommands.CHECK_CONNECTION.id];
        await actions.tellProblem('Nothing helps', undefined);
        expect(buttons).to.deep.equal([]);
        expect(happened).to.deep.equal([]);
    });

    it('of a withheld file shows the setting that withholds it, else what is shared', () => {
        actions.showRule('companion.context.exclude: **/.env');
        actions.showRule('.qwenignore: secret');
        actions.showRule(undefined);
        expect(happened).to.deep.equal([
            'preferences:open companion.context.exclude',
            CompanionCommands.SHOW_CONTEXT.id,
            CompanionCommands.SHOW_CONTEXT.id
        ]);
    });

    it('of a withheld file shows the settings in an application that cannot show what is shared', () => {
        missing = [CompanionCommands.SHOW_CONTEXT.id];
        actions.showRule('.qwenignore: secret');
        expect(happened).to.deep.equal(['preferences:open companion.context.exclude']);
    });
});
