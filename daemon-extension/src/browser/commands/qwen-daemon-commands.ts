// SPDX-License-Identifier: Apache-2.0

import { ChatService } from '@theia/ai-chat/lib/common';
import { Command, CommandContribution, CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { QuickPickItem, QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { withoutIcons } from 'theia-cli-companion/lib/common';
import { DaemonPreference } from '../../common/daemon-preferences';
import { problemText } from '../../common/daemon-problem-text';
import { DiffInfo } from '../../common/session-events';
import { TurnUndoing } from '../undo/turn-undoing';
import { Conversations } from '../chat/conversations';
import { BackendConnection } from '../connection/backend-connection';
import { Edit } from '../diff/edit-diff-uris';
import { EditDiffs } from '../diff/edit-diffs';
import { textAsMarkdown } from '../../common/plain-text';
import { Locality } from '../status/locality';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { SessionChoices } from './session-choices';

const ENABLED: DaemonPreference = 'qwen-code.experimentalDaemon.enabled';

/** The commands. They are neither shown nor executed while the daemon is not enabled, except the one that enables it. */
@injectable()
export class QwenDaemonCommandContribution implements CommandContribution {
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(SessionChoices)
    protected readonly choices: SessionChoices;
    @inject(EditDiffs)
    protected readonly diffs: EditDiffs;
    @inject(TurnUndoing)
    protected readonly undoing: TurnUndoing;
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;
    @inject(QuickPickService)
    protected readonly quickPick: QuickPickService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        const register = (command: Command, execute: CommandHandler['execute'], visible = true): void => {
            commands.registerCommand(command, {
                execute,
                isEnabled: () => this.connection.enabled,
                isVisible: () => visible && this.connection.enabled
            });
        };
        commands.registerCommand(QwenDaemonCommands.ENABLE, {
            execute: () => this.preferences.set(ENABLED, true, PreferenceScope.User),
            isEnabled: () => !this.connection.enabled,
            isVisible: () => !this.connection.enabled
        });
        register(QwenDaemonCommands.CONNECT, () => this.connect());
        register(QwenDaemonCommands.SHOW_STATUS, () => this.showStatus(commands));
        register(QwenDaemonCommands.CHOOSE_MODEL, () => this.choices.chooseModel());
        register(QwenDaemonCommands.CHOOSE_MODE, () => this.choices.chooseMode());
        register(QwenDaemonCommands.RECONNECT, (chatSessionId?: string) => this.reconnect(chatSessionId));
        register(QwenDaemonCommands.UNDO_TURN, (chatSessionId?: string) => this.undoing.undo(chatSessionId));
        register(QwenDaemonCommands.SHOW_DIFF, (edit: Edit, diff: DiffInfo) => this.diffs.show(edit, diff), false);
    }

    protected async connect(): Promise<void> {
        try {
            await this.connection.connectNow();
        } catch (error) {
            this.messages.error(textAsMarkdown(error instanceof Error ? error.message : String(error)));
            return;
        }
        const { status } = this.connection;
        if (status && status.state !== 'connected') {
            this.messages.error(textAsMarkdown(Locality.details(status).join('\n')));
        }
    }

    protected async reconnect(chatSessionId?: string): Promise<void> {
        const conversation = this.conversations.find(chatSessionId ?? this.chats.getActiveSession()?.id);
        if (!conversation) {
            return this.connect();
        }
        // Where it fails, the session says why.
        await this.connection.connectNow().catch(() => undefined);
        const opened = await conversation.open(true);
        if (!opened.ok) {
            this.messages.error(textAsMarkdown(problemText(opened.problem)));
        }
    }

    protected async showStatus(commands: CommandRegistry): Promise<void> {
        const { status } = this.connection;
        const [title, ...details] = status
            ? Locality.details(status)
            : [nls.localize('theia/qwen-daemon/status/unknown', "Qwen daemon: the IDE's backend has not answered yet")];
        const conversation = this.conversations.find(this.chats.getActiveSession()?.id);
        const actions: [Command, string?][] = [
            [QwenDaemonCommands.CONNECT],
            [QwenDaemonCommands.CHOOSE_MODEL, conversation?.modelName],
            [QwenDaemonCommands.CHOOSE_MODE, conversation?.modeName()]
        ];
        const items: (QuickPickItem & { command?: Command })[] = [
            ...[...details, Locality.explanation(status)].map(line => ({
                label: withoutIcons(line),
                iconClasses: ['codicon', 'codicon-info']
            })),
            ...actions.map(([command, now]) => ({ label: command.label ?? command.id, description: now && withoutIcons(now), command }))
        ];
        const chosen = await this.quickPick.show(items, { title });
        if (chosen?.command) {
            await commands.executeCommand(chosen.command.id);
        }
    }
}
