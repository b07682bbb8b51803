// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation, ChatService } from '@theia/ai-chat/lib/common';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { withoutIcons } from 'theia-cli-companion/lib/common';
import { approvalModeName } from '../../common/approval-modes';
import { DaemonProblem } from '../../common/daemon-problem';
import { problemText } from '../../common/daemon-problem-text';
import { Answer } from '../../common/daemon-status';
import { SessionInfo } from '../../common/qwen-daemon-protocol';
import { Conversation } from '../chat/conversation';
import { Conversations } from '../chat/conversations';
import { QwenChatAgent } from '../chat/qwen-chat-agent';
import { textAsMarkdown } from '../../common/plain-text';

/** Lets the user choose the model and the approval mode. */
@injectable()
export class SessionChoices {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(QuickPickService)
    protected readonly quickPick: QuickPickService;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(QwenChatAgent)
    protected readonly agent: QwenChatAgent;

    async chooseModel(): Promise<void> {
        await this.choose(
            nls.localize(
                'theia/qwen-daemon/model/title',
                'Model of this chat. It also becomes your default model: Qwen Code writes it to its settings in your home folder.'
            ),
            ({ models, currentModelId }) => ({ choices: models, current: currentModelId }),
            (conversation, id) => conversation.setModel(id)
        );
    }

    async chooseMode(): Promise<void> {
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
}
