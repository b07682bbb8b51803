// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MenuModelRegistry } from '@theia/core/lib/common/menu';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalMenus } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import { StartableCli } from '../../common/companion-protocol';
import { PROMPT_COMMANDS } from './prompt-command-ids';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { CliStarter } from './cli-starter';

/** A command and a menu item for each CLI, and one command for all. */
@injectable()
export class RunContribution implements FrontendApplicationContribution {
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(MenuModelRegistry)
    protected readonly menus: MenuModelRegistry;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(CliStarter)
    protected readonly starter: CliStarter;

    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        // The backend knows which CLIs there are: an application may contribute more.
        this.toDispose.push(this.connection.onDidChangeState(() => this.update()));
        this.toDispose.push(
            this.commands.registerCommand(SHARED_COMMANDS.RUN_CLI, {
                isEnabled: () => this.clis.length > 0,
                execute: () => this.starter.choose(this.clis)
            })
        );
        this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected get clis(): readonly StartableCli[] {
        return this.connection.state?.status.clis ?? [];
    }

    protected update(): void {
        for (const cli of this.clis) {
            const command = SHARED_COMMANDS.run(cli);
            if (!this.commands.getCommand(command.id)) {
                // Preferences may have changed how it is started.
                const run = (): Promise<boolean> => this.starter.run(this.clis.find(({ id }) => id === cli.id) ?? cli);
                this.toDispose.push(this.commands.registerCommand(command, { execute: run }));
                this.toDispose.push(
                    this.commands.registerCommand(PROMPT_COMMANDS.install(cli), { execute: () => this.starter.install(cli) })
                );
                this.menus.registerMenuAction(TerminalMenus.TERMINAL_NEW, { commandId: command.id, order: '2' });
            }
        }
    }
}
