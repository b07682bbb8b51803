// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation, ChatService } from '@theia/ai-chat/lib/common';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { AI_CHAT_OPEN_SESSION } from '@theia/ai-chat-ui/lib/browser/chat-view-commands';
import { CommandService } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickItem, QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { withoutIcons } from 'theia-cli-companion/lib/common';
import { DaemonProblem } from '../../common/daemon-problem';
import { problemText } from '../../common/daemon-problem-text';
import { Answer } from '../../common/daemon-status';
import { SessionSummary } from '../../common/qwen-daemon-protocol';
import { Conversation } from '../chat/conversation';
import { Conversations } from '../chat/conversations';
import { QwenChatAgent } from '../chat/qwen-chat-agent';
import { BackendConnection } from '../connection/backend-connection';
import { textAsMarkdown } from '../../common/plain-text';

interface Choice extends QuickPickItem {
    id: string;
}

/** Lets the user choose an earlier session, the model, and the approval mode. */
@injectable()
export class SessionChoices {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(QuickPickService)
    protected readonly quickPick: QuickPickService;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(QwenChatAgent)
    protected readonly agent: QwenChatAgent;

    async openSession(): Promise<void> {
        const sessions = await this.connection.call(backend => backend.listSessions());
        if (!sessions.ok) {
            this.showProblem(sessions.problem);
            return;
        }
        const items = sessions.value.map(session => ({
            session,
            label: withoutIcons(session.title),
            description: new Date(session.updatedAt).toLocaleString(),
            detail: session.active ? nls.localize('theia/qwen-daemon/sessions/active', 'A turn is running') : undefined
        }));
        if (!items.length) {
            this.messages.info(nls.localize('theia/qwen-daemon/sessions/none', 'Qwen has no earlier sessions in this workspace.'));
            return;
        }
        const chosen = await this.quickPick.show(items, {
            placeholder: nls.localize('theia/qwen-daemon/sessions/choose', 'Choose an earlier session of this workspace'),
            matchOnDescription: true
        });
        if (chosen) {
            await this.show(chosen.session);
        }
    }

    async chooseModel(): Promise<void> {
        const conversation = await this.activeConversation();
        if (!conversation?.session) {
            return;
        }
        const { models, currentModelId } = conversation.session;
        const choice = await this.choose(
            models,
            currentModelId,
            nls.localize(
                'theia/qwen-daemon/model/title',
                'Model of this chat. It also becomes your default model: Qwen Code writes it to its settings in your home folder.'
            )
        );
        if (choice) {
            this.showFailure(await conversation.setModel(choice));
        }
    }

    async chooseMode(): Promise<void> {
        const conversation = await this.activeConversation();
        if (!conversation?.session) {
            return;
        }
        const { modes, currentModeId } = conversation.session;
        const choice = await this.choose(
            modes.map(({ id, name }) => ({ id, name: conversation.modeName(id) ?? name })),
            currentModeId,
            nls.localize('theia/qwen-daemon/mode/title', 'What Qwen may do in this chat without asking')
        );
        if (choice) {
            this.showFailure(await conversation.setMode(choice));
        }
    }

    /** The chat that shows the session already, or the one that it was made for, or a new one. */
    protected async show(summary: SessionSummary): Promise<void> {
        const shown = this.chats.getSessions().find(({ id }) => this.conversations.find(id)?.sessionId === summary.sessionId);
        const earlierId = shown?.id ?? summary.chatSessionId;
        const chat = shown ?? (earlierId === undefined ? undefined : await this.chats.getOrRestoreSession(earlierId));
        if (chat) {
            await this.commands.executeCommand(AI_CHAT_OPEN_SESSION.id, chat.id);
        }
        const target = chat ?? this.chats.createSession(ChatAgentLocation.Panel, { focus: true }, this.agent);
        if (!(target.model instanceof MutableChatModel)) {
            return;
        }
        const opened = await this.conversations.of(target.model, summary.sessionId).open();
        if (!opened.ok) {
            this.showProblem(opened.problem);
        } else if (!chat) {
            await this.chats.renameSession(target.id, summary.title);
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

    protected async choose(
        choices: { id: string; name: string }[],
        current: string | undefined,
        title: string
    ): Promise<string | undefined> {
        const items: Choice[] = choices.map(({ id, name }) => ({
            id,
            label: withoutIcons(name),
            description: id === current ? nls.localize('theia/qwen-daemon/choice/current', 'current') : undefined
        }));
        const chosen = await this.quickPick.show(items, { title });
        return chosen && chosen.id !== current ? chosen.id : undefined;
    }

    protected showFailure(answer: Answer<void>): void {
        if (!answer.ok) {
            this.showProblem(answer.problem);
        }
    }

    protected showProblem(problem: DaemonProblem): void {
        this.messages.error(textAsMarkdown(problemText(problem)));
    }
}
