// SPDX-License-Identifier: Apache-2.0

import { codicon, FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Event } from '@theia/core/lib/common/event';
import { MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { OS } from '@theia/core/lib/common/os';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget, TerminalWidgetOptions } from '@theia/terminal/lib/browser/base/terminal-widget';
import { TerminalMenus } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import {
    ContributedTerminalProfileStore,
    TerminalProfileService,
    TerminalProfileStore
} from '@theia/terminal/lib/browser/terminal-profile-service';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { CompanionBackend, StartableCli } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { joinSentences, listOf } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionCommands } from '../companion-commands';
import { CompanionConnection } from '../window/companion-connection';
import { CliTerminalProfile, keepDefault, registerBehind } from './cli-terminal-profile';
import { IdeModeQuestion } from './ide-mode-question';

/** A shell that prints nothing for this long has no prompt to wait for. In milliseconds. */
const PROMPT_LIMIT = 3_000;
/** A CLI whose command was not found by then is started all the same. In milliseconds. */
const SEARCH_LIMIT = 3_000;

/**
 * A command, a menu item and a terminal profile for each CLI. They start it in a terminal of its name, as if the user had typed its command
 * there.
 */
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
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'findCommand'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(IdeModeQuestion)
    protected readonly ideMode: IdeModeQuestion;
    @inject(MessageService)
    protected readonly messages: MessageService;
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
        this.toDispose.push(this.profiles.onRemoved(() => keepDefault(this.profiles, this.chosenProfile)));
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
                this.menus.registerMenuAction(TerminalMenus.TERMINAL_NEW, { commandId: command.id, order: '2' });
                const profile = new CliTerminalProfile(this.terminals, {}, options => this.launch(cli, options));
                void registerBehind(this.profileStore, cli.displayName, profile);
            }
        }
    }

    /** Starts it in the root of the file that the user works on, or in the first root. */
    protected async run(cli: StartableCli): Promise<void> {
        const file = this.editors.currentEditor?.getResourceUri();
        const root = this.workspace.getWorkspaceRootUri(file) ?? this.workspace.getWorkspaceRootUri(undefined);
        const terminal = await this.launch(cli, { cwd: root?.toString() });
        if (terminal) {
            await this.terminals.open(terminal, { mode: 'activate' });
        }
    }

    /** The caller opens the terminal. */
    protected async launch(cli: StartableCli, options: TerminalWidgetOptions): Promise<TerminalWidget | undefined> {
        if (!(await this.mayStart(cli))) {
            return undefined;
        }
        const terminal = await this.terminals.newTerminal({
            ...options,
            title: cli.displayName,
            // The CLIs call their terminals otherwise, some of them by one character.
            useServerTitle: false,
            iconClass: codicon('sparkle')
        });
        const prompt = Event.toPromise(terminal.onOutput);
        await terminal.start();
        // A shell may throw away what is typed before it shows its prompt.
        void withTimeLimit(prompt, PROMPT_LIMIT, '')
            .catch(() => undefined)
            .then(() => terminal.sendText(`${cli.command}\r`));
        return terminal;
    }

    /** Asks the user where its command is missing, and where it would not connect. */
    protected async mayStart(cli: StartableCli): Promise<boolean> {
        const search = await withTimeLimit(this.backend.findCommand(cli.id), SEARCH_LIMIT, '').catch(() => undefined);
        if (search?.found === false && !(await this.startsAnyway(cli, listOf(search.folders)))) {
            return false;
        }
        return search?.ideModeOff === undefined || this.ideMode.ask(cli, search.ideModeOff);
    }

    /** Shells may find more than the backend does. */
    protected async startsAnyway({ displayName, command, install }: StartableCli, folders: string): Promise<boolean> {
        const missing = nls.localize(
            'theia/cli-companion/run/missing',
            '{0} was not found. "{1}" is in none of: {2}.',
            displayName,
            command,
            folders
        );
        const remedy = install && nls.localize('theia/cli-companion/run/install', 'To install it, type in a terminal: {0}', install);
        const anyway = nls.localize('theia/cli-companion/run/anyway', 'Start Anyway');
        return (await this.messages.warn(plainText(joinSentences([missing, remedy])), anyway)) === anyway;
    }

    /** The default profile of the user's settings. */
    protected get chosenProfile(): string | undefined {
        return this.preferences.get(`terminal.integrated.defaultProfile.${OS.backend.type().toLowerCase()}`);
    }
}
