// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MenuModelRegistry } from '@theia/core/lib/common/menu';
import { OS } from '@theia/core/lib/common/os';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalMenus } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import {
    ContributedTerminalProfileStore,
    TerminalProfileService,
    TerminalProfileStore
} from '@theia/terminal/lib/browser/terminal-profile-service';
import { CompanionCommands } from '../companion-commands';
import { CompanionConnection } from '../window/companion-connection';
import { CliStarter } from './cli-starter';
import { CliTerminalProfile, keepDefault, registerBehind } from './cli-terminal-profile';
import { CliTerminalTitles } from './cli-terminal-titles';

/** A command, a menu item and a terminal profile for each CLI. */
@injectable()
export class RunContribution implements FrontendApplicationContribution {
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(MenuModelRegistry)
    protected readonly menus: MenuModelRegistry;
    @inject(TerminalProfileService)
    protected readonly profiles: TerminalProfileService;
    @inject(ContributedTerminalProfileStore)
    protected readonly profileStore: TerminalProfileStore;
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(CliStarter)
    protected readonly starter: CliStarter;
    @inject(CliTerminalTitles)
    protected readonly titles: CliTerminalTitles;

    protected readonly toDispose = new DisposableCollection();

    onStart(): void {
        // The backend knows which CLIs there are: an application may contribute more.
        this.toDispose.push(this.connection.onDidChangeState(() => this.update()));
        this.toDispose.push(this.profiles.onRemoved(() => keepDefault(this.profiles, this.chosenProfile)));
        this.update();
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected update(): void {
        const { clis = [], connections = [] } = this.connection.state?.status ?? {};
        for (const cli of clis) {
            const command = CompanionCommands.run(cli);
            if (!this.commands.getCommand(command.id)) {
                this.toDispose.push(this.commands.registerCommand(command, { execute: () => this.starter.run(cli) }));
                this.toDispose.push(
                    this.commands.registerCommand(CompanionCommands.install(cli), { execute: () => this.starter.install(cli) })
                );
                this.menus.registerMenuAction(TerminalMenus.TERMINAL_NEW, { commandId: command.id, order: '2' });
                const profile = new CliTerminalProfile(this.terminals, {}, options => this.starter.launch(cli, options));
                void registerBehind(this.profileStore, cli.displayName, profile);
            }
        }
        this.titles.update(
            clis.map(({ displayName }) => displayName),
            connections.map(({ displayName }) => displayName)
        );
    }

    /** The default profile of the user's settings. */
    protected get chosenProfile(): string | undefined {
        return this.preferences.get(`terminal.integrated.defaultProfile.${OS.backend.type().toLowerCase()}`);
    }
}
