// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation, ChatService } from '@theia/ai-chat/lib/common';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { codicon } from '@theia/core/lib/browser';
import { TabBarToolbarContribution, TabBarToolbarRegistry } from '@theia/core/lib/browser/shell/tab-bar-toolbar';
import { Command, CommandContribution, CommandHandler, CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { QuickPickItem, QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { withoutIcons } from 'theia-cli-companion/lib/common';
import { approvalModeName } from '../../common/approval-modes';
import { DaemonPreference } from '../../common/daemon-preferences';
import { DaemonProblem, problemText } from '../../common/daemon-problem';
import { Answer, SessionInfo } from '../../common/qwen-daemon-protocol';
import { Conversation } from '../chat/conversation';
import { Conversations } from '../chat/conversations';
import { PermissionView } from '../chat/permission-view';
import { QwenChatAgent } from '../chat/qwen-chat-agent';
import { showsEdit } from '../diff/edit-diffs';
import { BackendConnection } from '../connection/backend-connection';
import { textAsMarkdown } from '../../common/plain-text';
import { Locality } from '../status/locality';
import { QwenDaemonCommands } from '../qwen-daemon-command-ids';
import { WaitingPermissions } from '../waiting/waiting-permissions';

const ENABLED: DaemonPreference = 'qwen-code.experimentalDaemon.enabled';

/**
 * The commands, the key that shows what waits, and the buttons that answer it over its diff. They are neither shown nor executed while the daemon is not enabled, except the
 * one that enables it.
 */
@injectable()
export class QwenDaemonCommandContribution implements CommandContribution, TabBarToolbarContribution {
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(QwenChatAgent)
    protected readonly agent: QwenChatAgent;
    @inject(WaitingPermissions)
    protected readonly waiting: WaitingPermissions;
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;
    @inject(QuickPickService)
    protected readonly quickPick: QuickPickService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        const register = (isEnabled: (widget?: unknown) => boolean, command: Command, execute: CommandHandler['execute']): void => {
            commands.registerCommand(command, { execute, isEnabled, isVisible: isEnabled });
        };
        const isOn = (): boolean => this.connection.enabled;
        register(
            () => !isOn(),
            QwenDaemonCommands.ENABLE,
            () => this.preferences.set(ENABLED, true, PreferenceScope.User)
        );
        register(isOn, QwenDaemonCommands.CONNECT, () => this.connect());
        register(isOn, QwenDaemonCommands.SHOW_STATUS, () => this.showStatus(commands));
        register(isOn, QwenDaemonCommands.CHOOSE_MODEL, () => this.chooseModel());
        register(isOn, QwenDaemonCommands.CHOOSE_MODE, () => this.chooseMode());
        register(isOn, QwenDaemonCommands.RECONNECT, (chatSessionId?: string) => this.connect(chatSessionId));
        for (const [command, allow] of [
            [QwenDaemonCommands.ALLOW, true],
            [QwenDaemonCommands.REJECT, false]
        ] as const) {
            register(
                widget => this.askedIn(widget) !== undefined,
                command,
                widget => {
                    const asked = this.askedIn(widget);
                    return asked && this.waiting.decide(allow, asked, 'diff');
                }
            );
        }
    }

    /** In the title of the diff that is asked about. */
    registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
        for (const [{ id, label }, icon] of [
            [QwenDaemonCommands.ALLOW, 'check'],
            [QwenDaemonCommands.REJECT, 'circle-slash']
        ] as const) {
            toolbar.registerItem({
                id,
                command: id,
                icon: codicon(icon),
                tooltip: label,
                isVisible: widget => this.askedIn(widget) !== undefined,
                onDidChange: this.waiting.onDidChange
            });
        }
    }

    /** What waits for an answer to the edit that an editor shows. */
    protected askedIn(widget: unknown): PermissionView | undefined {
        return this.conversations.waiting.find(({ edit }) => showsEdit(widget, edit));
    }

    /** Also opens the session of the chat again. */
    protected async connect(chatSessionId = this.chats.getActiveSession()?.id): Promise<void> {
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
        const opened = await this.conversations.find(chatSessionId)?.open(true);
        if (opened && !opened.ok && status?.state === 'connected') {
            this.showProblem(opened.problem);
        }
    }

    protected async chooseModel(): Promise<void> {
        await this.choose(
            nls.localize(
                'theia/qwen-daemon/model/title',
                'Model of this chat. It also becomes your default model: Qwen Code writes it to its settings in your home folder.'
            ),
            ({ models, currentModelId }) => ({ choices: models, current: currentModelId }),
            (conversation, id) => conversation.call((backend, session) => backend.setModel(session, id))
        );
    }

    protected async chooseMode(): Promise<void> {
        await this.choose(
            nls.localize('theia/qwen-daemon/mode/title', 'What Qwen may do in this chat without asking'),
            ({ modes, currentModeId }) => ({
                choices: modes.map(({ id, name }) => ({ id, name: approvalModeName(id) ?? name })),
                current: currentModeId
            }),
            (conversation, id) => conversation.setMode(id)
        );
    }

    protected async choose(
        title: string,
        offer: (session: SessionInfo) => { choices: { id: string; name: string }[]; current: string | undefined },
        take: (conversation: Conversation, id: string) => Promise<Answer<void>>
    ): Promise<void> {
        const conversation = await this.activeConversation();
        if (!conversation?.session) {
            return;
        }
        const { choices, current } = offer(conversation.session);
        const items = choices.map(({ id, name }) => ({
            id,
            label: withoutIcons(name),
            description: id === current ? nls.localize('theia/qwen-daemon/choice/current', 'current') : undefined
        }));
        const chosen = await this.quickPick.show(items, { title });
        if (chosen && chosen.id !== current) {
            const taken = await take(conversation, chosen.id);
            if (!taken.ok) {
                this.showProblem(taken.problem);
            }
        }
    }

    /** The active chat's conversation. Makes it, and opens its session, if there is none yet. */
    protected async activeConversation(): Promise<Conversation | undefined> {
        const chat = this.chats.getActiveSession() ?? this.chats.createSession(ChatAgentLocation.Panel, { focus: true }, this.agent);
        if (!(chat.model instanceof MutableChatModel)) {
            return undefined;
        }
        const conversation = this.conversations.of(chat.model);
        const opened = await conversation.open();
        if (!opened.ok) {
            this.showProblem(opened.problem);
            return undefined;
        }
        return conversation;
    }

    protected showProblem(problem: DaemonProblem): void {
        this.messages.error(textAsMarkdown(problemText(problem)));
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
