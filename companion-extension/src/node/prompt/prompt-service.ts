// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { Fault } from '../../common/companion-problem';
import { CommandSearch, Mention } from '../../common/companion-protocol';
import { PromptBackend } from '../../common/prompt-protocol';
import { SupportedClis } from '../discovery/supported-clis';
import { Policy } from '../host/policy';
import { ProcessTable } from '../host/process-table';
import { ServerEvents } from '../server/companion-events';
import { PageConnection } from '../server/page-connection';
import { Windows } from '../server/windows';
import { CliCommands } from './cli-commands';
import { UploadFolders } from './upload-folders';

/** What a page calls to start a CLI, and to fill its prompt. */
@injectable()
export class PromptService implements PromptBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(ProcessTable)
    protected readonly processes: ProcessTable;
    @inject(CliCommands)
    protected readonly commands: CliCommands;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(ServerEvents)
    protected readonly events: ServerEvents;
    @inject(Policy)
    protected readonly policy: Policy;
    @inject(UploadFolders)
    protected readonly uploads: UploadFolders;

    async makeUploadFolder(shell: number): Promise<string | undefined> {
        const isOwn = this.connection.window.shells.has(this.connection.payloads.shell.parse(shell));
        return isOwn && this.policy.allows('uploads') ? this.uploads.make(shell) : undefined;
    }

    async mention(shell: number, mentions: Mention[]): Promise<boolean> {
        const window = this.connection.window;
        const candidates = new Set([this.connection.payloads.shell.parse(shell)]);
        const checked = this.connection.payloads.mentions.parse(mentions);
        for (const { session } of this.windows.connectedClis(window)) {
            if (session.mention && session.peer && (await this.processes.shellOf(session.peer.pid, candidates)) !== undefined) {
                return session.mention(checked);
            }
        }
        return false;
    }

    async markTyped(cliId: string): Promise<void> {
        const cli = this.clis.get(this.connection.payloads.id.parse(cliId));
        if (cli) {
            this.events.recordCli(this.connection.window.id, { kind: 'promptTyped', cliId: cli.id });
        }
    }

    async findCommand(cliId: string): Promise<CommandSearch> {
        return this.commands.find(this.connection.payloads.id.parse(cliId), this.connection.window.preferences);
    }

    async setIdeMode(cliId: string, on: boolean): Promise<Fault | undefined> {
        return this.commands.setIdeMode(this.connection.payloads.id.parse(cliId), this.connection.payloads.flag.parse(on));
    }
}
