// SPDX-License-Identifier: Apache-2.0

import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { inject, injectable } from '@theia/core/shared/inversify';
import { isCompanionEnabled } from '../../common/companion-preferences';
import { plainText } from '../../common/plain-text';
import { STATUS_COMMANDS } from './status-command-ids';
import { lockedText, PagePolicy } from '../window/page-policy';
import { PageReload } from '../window/page-reload';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { reloadReason } from '../window/restart-watch';
import { copyLabel, ENABLE_COMMAND } from '../window/status-words';

const ENABLED = 'companion.enabled';

/** What the rows of the companion itself run. */
@injectable()
export class StatusCommands implements CommandContribution {
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;
    @inject(PagePolicy)
    protected readonly policy: PagePolicy;
    @inject(PageReload)
    protected readonly reload: Pick<PageReload, 'start'>;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(STATUS_COMMANDS.RELOAD, { execute: () => this.reload.start() });
        commands.registerCommand(STATUS_COMMANDS.TURN_ON, { execute: () => this.turnOn() });
        commands.registerCommand(SHARED_COMMANDS.COPY, { execute: (text: string) => this.clipboard.writeText(text) });
        commands.registerCommand(SHARED_COMMANDS.TELL_PROBLEM, {
            execute: (text: string, command?: string) => this.tellProblem(text, command)
        });
    }

    /** The page is refused until it is loaded again. */
    async offerReload(): Promise<void> {
        const reload = nls.localize('theia/cli-companion/status/reload', 'Reload This Page');
        if ((await this.messages.warn(reloadReason(), { timeout: 0 }, reload)) === reload) {
            this.reload.start();
        }
    }

    /** Turns the companion on in the settings that turned it off, the user's or the workspace's, and says so. */
    protected async turnOn(): Promise<void> {
        if (this.policy.isLocked(ENABLED)) {
            void this.messages.info(lockedText());
            return;
        }
        const { workspaceValue = true } = this.preferences.inspect(ENABLED) ?? {};
        if (workspaceValue !== true) {
            await this.preferences.set(ENABLED, true, PreferenceScope.Workspace);
        }
        if (!isCompanionEnabled(this.policy)) {
            await this.preferences.set(ENABLED, true, PreferenceScope.User);
        }
        const text = isCompanionEnabled(this.policy)
            ? nls.localize(
                  'theia/cli-companion/status/turnedOn',
                  'The companion is on. To connect a CLI that is already running, type {0} in it.',
                  ENABLE_COMMAND
              )
            : nls.localize(
                  'theia/cli-companion/status/staysOff',
                  'The companion is still off: the IDE was started with {0} set to false.',
                  ENABLED
              );
        void this.messages.info(plainText(text));
    }

    protected async tellProblem(text: string, command: string | undefined): Promise<void> {
        const check = this.commands.getCommand(SHARED_COMMANDS.CHECK_CONNECTION.id);
        const diagnose = check && (check.label ?? check.id);
        const actions = [command === undefined ? undefined : copyLabel(), diagnose].filter(action => action !== undefined);
        const answer = await this.messages.warn(plainText(text), { timeout: 0 }, ...actions);
        if (answer !== undefined && answer === diagnose) {
            void this.commands.executeCommand(SHARED_COMMANDS.CHECK_CONNECTION.id);
        } else if (answer !== undefined && command !== undefined) {
            void this.clipboard.writeText(command);
        }
    }
}
