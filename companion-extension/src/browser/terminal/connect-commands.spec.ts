// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { URI } from '@theia/core/lib/common/uri';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { expect } from 'chai';
import { PROMPT_COMMANDS } from './prompt-command-ids';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { CliTerminals } from '../window/cli-terminals';
import { ConnectCommands } from './connect-commands';

const { CONNECT_CLI, REVEAL_CLI } = PROMPT_COMMANDS;
const { TYPE_FIX } = SHARED_COMMANDS;

describe('A row of the status', () => {
    let registered: FakeRegistries;
    /** What happened, in order. */
    let happened: string[];
    let said: string[];
    let terminals: string[];
    let isTyped: boolean;

    beforeEach(() => {
        [happened, said, terminals, isTyped] = [[], [], [], true];
        const services = new FakeServices();
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
            }
        });
        services.bind(WorkspaceService, { open: (folder: URI) => happened.push(`open ${folder.path.toString()}`) });
        services.bind(ClipboardService, { writeText: async (text: string) => void happened.push(`copied ${text}`) });
        services.bind(MessageService, { info: async (text: string) => void said.push(text) });
        registered = new FakeRegistries();
        services.create(ConnectCommands).registerCommands(registered.commands);
    });

    it('of a CLI shows its terminal, or says that there is none here', async () => {
        terminals = ['Gemini CLI', 'Qwen Code'];
        await registered.execute(REVEAL_CLI.id, 'Qwen Code');
        expect(happened).to.deep.equal(['revealed Qwen Code']);
        terminals = ['Gemini CLI'];
        await registered.execute(REVEAL_CLI.id, 'Qwen Code');
        expect(happened).to.have.length(1);
        expect(said.join()).to.include('No terminal in this window shows Qwen Code.');
    });

    it('of a CLI that is not connected types what connects it, or copies that where no terminal has its prompt', async () => {
        const cli = { cliId: 'gemini-cli', displayName: 'Gemini CLI', connectCommand: '/ide enable' };
        await registered.execute(CONNECT_CLI.id, cli);
        expect(happened).to.deep.equal(['companion.prompt.type /ide enable gemini-cli']);
        isTyped = false;
        await registered.execute(CONNECT_CLI.id, cli);
        expect(happened.slice(2)).to.deep.equal(['copied /ide enable']);
        expect(said.join()).to.include('No terminal of this window has the prompt of Gemini CLI');
        await registered.execute(CONNECT_CLI.id, { ...cli, folder: '/tree' });
        expect(happened.slice(3)).to.deep.equal(['open /tree']);
    });

    it('of the diagnosis types what mends a CLI into the prompt or the shell, or copies it', async () => {
        const fix = { cliId: 'gemini-cli', displayName: 'Gemini CLI', command: "cd '/ws'", shell: 42 };
        await registered.execute(TYPE_FIX.id, { ...fix, command: '/ide enable' });
        await registered.execute(TYPE_FIX.id, fix);
        isTyped = false;
        await registered.execute(TYPE_FIX.id, fix);
        await registered.execute(TYPE_FIX.id, { ...fix, shell: undefined });
        expect(happened).to.deep.equal([
            'companion.prompt.type /ide enable gemini-cli',
            "42: cd '/ws'",
            "42: cd '/ws'",
            "copied cd '/ws'",
            "copied cd '/ws'"
        ]);
        expect(said).to.deep.equal([
            "The terminal that was examined is busy. Copied, to paste there later: cd '/ws'",
            "Copied, for a shell: cd '/ws'"
        ]);
    });
});
