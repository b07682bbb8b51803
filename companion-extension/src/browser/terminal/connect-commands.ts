// SPDX-License-Identifier: Apache-2.0

import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { UnconnectedCli } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { PROMPT_COMMANDS } from './prompt-command-ids';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { CliTerminals } from '../window/cli-terminals';

/** A line for the prompt of a CLI, or for the shell in a terminal. */
interface FixLine {
    readonly cliId: string;
    readonly displayName: string;
    readonly command: string;
    /** The shell's process id; absent if the line can only be copied. */
    readonly shell: number | undefined;
}

/** Finds the terminal of a CLI, and types what connects or mends it. The user sends it off. */
@injectable()
export class ConnectCommands implements CommandContribution {
    @inject(CliTerminals)
    protected readonly terminals: CliTerminals;
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(PROMPT_COMMANDS.REVEAL_CLI, { execute: (cliName: string) => this.reveal(cliName) });
        commands.registerCommand(PROMPT_COMMANDS.CONNECT_CLI, { execute: (cli: UnconnectedCli) => this.connect(cli) });
        commands.registerCommand(SHARED_COMMANDS.TYPE_FIX, { execute: (fix: FixLine) => this.typeFix(fix) });
    }

    protected async reveal(cliName: string): Promise<void> {
        const terminal = (await this.terminals.find()).find(({ displayName }) => displayName === cliName);
        if (terminal) {
            await this.terminals.reveal(terminal);
            return;
        }
        this.tell(
            nls.localize(
                'theia/cli-companion/status/noTerminal',
                'No terminal in this window shows {0}. It runs in another window, in the background, or in a terminal multiplexer.',
                cliName
            )
        );
    }

    /** Opens its folder if it is in another one. */
    protected async connect({ cliId, displayName, connectCommand, folder }: UnconnectedCli): Promise<void> {
        if (folder !== undefined) {
            this.workspace.open(URI.fromFilePath(folder), { preserveWindow: false });
        } else if (connectCommand && !(await this.commands.executeCommand(PROMPT_COMMANDS.TYPE.id, connectCommand, cliId))) {
            this.copy(
                connectCommand,
                nls.localize(
                    'theia/cli-companion/status/connectCopied',
                    'No terminal of this window has the prompt of {0}. Copied for it: {1}',
                    displayName,
                    connectCommand
                )
            );
        }
    }

    /** Into the shell only while nothing runs in it. */
    protected async typeFix({ cliId, displayName, command, shell }: FixLine): Promise<void> {
        if (command.startsWith('/')) {
            await this.connect({ cliId, displayName, connectCommand: command });
        } else if (shell === undefined) {
            this.copy(command, nls.localize('theia/cli-companion/status/copiedForShell', 'Copied, for a shell: {0}', command));
        } else if (!(await this.terminals.typeIntoShell(shell, command))) {
            this.copy(
                command,
                nls.localize(
                    'theia/cli-companion/status/fixCopied',
                    'The terminal that was examined is busy. Copied, to paste there later: {0}',
                    command
                )
            );
        }
    }

    protected copy(command: string, text: string): void {
        void this.clipboard.writeText(command);
        this.tell(text);
    }

    protected tell(text: string): void {
        void this.messages.info(plainText(text));
    }
}
