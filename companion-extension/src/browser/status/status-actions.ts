// SPDX-License-Identifier: Apache-2.0

import { CommonCommands } from '@theia/core/lib/browser/common-commands';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { WindowService } from '@theia/core/lib/browser/window/window-service';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { isCompanionEnabled } from '../../common/companion-preferences';
import { AgentStatus, KeptEdit, ReviewInfo, UnconnectedCli } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { PageAgents } from '../agents/page-agents';
import { CompanionCommands } from '../companion-commands';
import { KeptEdits } from '../review/kept-edits';
import { WaitingReviews } from '../review/waiting-reviews';
import { CliTerminals } from '../window/cli-terminals';
import { reloadReason } from '../window/restart-watch';
import { DiagnosedFix } from './diagnosed-fixes';
import { copyLabel, ENABLE_COMMAND } from '../window/status-words';

const ENABLED = 'companion.enabled';
const EXCLUDE = 'companion.context.exclude';

/** The actions of the status rows. */
@injectable()
export class StatusActions {
    @inject(WaitingReviews)
    protected readonly waiting: WaitingReviews;
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(KeptEdits)
    protected readonly keptEdits: KeptEdits;
    @inject(CliTerminals)
    protected readonly cliTerminals: CliTerminals;
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;
    @inject(WindowService)
    protected readonly windows: WindowService;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    openReview(review: ReviewInfo): void {
        void this.waiting.open(review);
    }

    openAgent(agent: AgentStatus): void {
        void this.agents.reveal(agent);
    }

    acceptReview(review: ReviewInfo): void {
        void this.waiting.accept(review);
    }

    rejectReview(review: ReviewInfo): void {
        this.waiting.answer(review, 'reject');
    }

    showEdit(edit: KeptEdit): void {
        void this.keptEdits.show(edit);
    }

    discardEdit(edit: KeptEdit): void {
        void this.keptEdits.discard(edit);
    }

    reloadPage(): void {
        this.windows.reload();
    }

    /** The page is refused until it is loaded again. */
    async offerReload(): Promise<void> {
        const reload = nls.localize('theia/cli-companion/status/reload', 'Reload This Page');
        if ((await this.messages.warn(reloadReason(), { timeout: 0 }, reload)) === reload) {
            this.reloadPage();
        }
    }

    /** Turns the companion on in the settings that turned it off, the user's or the workspace's, and says so. */
    async turnOn(): Promise<void> {
        const { workspaceValue = true } = this.preferences.inspect(ENABLED) ?? {};
        if (workspaceValue !== true) {
            await this.preferences.set(ENABLED, true, PreferenceScope.Workspace);
        }
        if (!isCompanionEnabled(this.preferences)) {
            await this.preferences.set(ENABLED, true, PreferenceScope.User);
        }
        this.tell(
            isCompanionEnabled(this.preferences)
                ? nls.localize(
                      'theia/cli-companion/status/turnedOn',
                      'The companion is on. To connect a CLI that is already running, type {0} in it.',
                      ENABLE_COMMAND
                  )
                : nls.localize(
                      'theia/cli-companion/status/staysOff',
                      'The companion is still off: the IDE was started with {0} set to false.',
                      ENABLED
                  )
        );
    }

    async revealTerminal(cliName: string): Promise<void> {
        const terminal = (await this.cliTerminals.find()).find(({ displayName }) => displayName === cliName);
        if (terminal) {
            await this.cliTerminals.reveal(terminal);
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

    /** Types what connects it. The user sends it off. */
    async connectCli({ cliId, displayName, connectCommand = '' }: UnconnectedCli): Promise<void> {
        const isTyped = connectCommand !== '' && (await this.commands.executeCommand(CompanionCommands.TYPE.id, connectCommand, cliId));
        if (!isTyped && connectCommand !== '') {
            this.copy(connectCommand);
            this.tell(
                nls.localize(
                    'theia/cli-companion/status/connectCopied',
                    'No terminal of this window has the prompt of {0}. Copied for it: {1}',
                    displayName,
                    connectCommand
                )
            );
        }
    }

    /** Into the prompt of the CLI, or of the shell while nothing runs in it. The user sends it off. */
    async typeFix({ cliId, displayName, command, shell }: DiagnosedFix): Promise<void> {
        if (command.startsWith('/')) {
            await this.connectCli({ cliId, displayName, connectCommand: command });
        } else if (shell === undefined || !(await this.cliTerminals.typeIntoShell(shell, command))) {
            this.copy(command);
            this.tell(
                nls.localize(
                    'theia/cli-companion/status/fixCopied',
                    'The terminal that was examined runs a program. Copied for it: {0}',
                    command
                )
            );
        }
    }

    openFolder(path: string): void {
        this.workspace.open(URI.fromFilePath(path), { preserveWindow: false });
    }

    copy(text: string): void {
        void this.clipboard.writeText(text);
    }

    tell(text: string): void {
        void this.messages.info(plainText(text));
    }

    async tellProblem(text: string, command: string | undefined): Promise<void> {
        const diagnose = this.labelOf(CompanionCommands.CHECK_CONNECTION.id);
        const actions = [command === undefined ? undefined : copyLabel(), diagnose].filter(action => action !== undefined);
        const answer = await this.messages.warn(plainText(text), { timeout: 0 }, ...actions);
        if (answer !== undefined && answer === diagnose) {
            this.runCommand(CompanionCommands.CHECK_CONNECTION.id);
        } else if (answer !== undefined && command !== undefined) {
            this.copy(command);
        }
    }

    showRule(rule: string | undefined): void {
        if (this.labelOf(CompanionCommands.SHOW_CONTEXT.id) !== undefined && !rule?.startsWith(EXCLUDE)) {
            this.runCommand(CompanionCommands.SHOW_CONTEXT.id);
        } else {
            this.runCommand(CommonCommands.OPEN_PREFERENCES.id, EXCLUDE);
        }
    }

    runCommand(id: string, ...parameters: unknown[]): void {
        void this.commands.executeCommand(id, ...parameters);
    }

    /** @returns `undefined` if the application has no such command */
    labelOf(id: string): string | undefined {
        const command = this.commands.getCommand(id);
        return command && (command.label ?? id);
    }
}
