// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { StartableCli } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionCommands } from '../companion-commands';
import { CompanionConnection } from '../window/companion-connection';

/** A shell that prints nothing for this long has no prompt to wait for. In milliseconds. */
const PROMPT_LIMIT = 3_000;

/** A command for each CLI that starts it in a new terminal, as if the user had typed its command there. */
@injectable()
export class RunContribution implements FrontendApplicationContribution {
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;

    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        // The backend knows which CLIs there are: an application may contribute more.
        this.toDispose.push(this.connection.onDidChangeState(() => this.register()));
        this.register();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected register(): void {
        for (const cli of this.connection.state?.status.clis ?? []) {
            const command = CompanionCommands.run(cli);
            if (!this.commands.getCommand(command.id)) {
                this.toDispose.push(this.commands.registerCommand(command, { execute: () => this.run(cli) }));
            }
        }
    }

    /** Starts it in the root of the file that the user works on, or in the first root. */
    protected async run({ command, displayName }: StartableCli): Promise<void> {
        const file = this.editors.currentEditor?.getResourceUri();
        const root = this.workspace.getWorkspaceRootUri(file) ?? this.workspace.getWorkspaceRootUri(undefined);
        const terminal = await this.terminals.newTerminal({ title: displayName, cwd: root?.toString() });
        const prompt = Event.toPromise(terminal.onOutput);
        await terminal.start();
        await this.terminals.open(terminal, { mode: 'activate' });
        // A shell may throw away what is typed before it shows its prompt.
        await withTimeLimit(prompt, PROMPT_LIMIT, '').catch(() => undefined);
        terminal.sendText(`${command}\r`);
    }
}
