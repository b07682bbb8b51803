// SPDX-License-Identifier: Apache-2.0

import { ChatAgent } from '@theia/ai-chat/lib/common';
import { ChatViewWidget } from '@theia/ai-chat-ui/lib/browser/chat-view-widget';
import { FrontendApplicationContribution, WidgetManager } from '@theia/core/lib/browser';
import { MessageService } from '@theia/core/lib/common/message-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { textAsMarkdown } from '../../common/plain-text';
import { problemText } from '../../common/daemon-problem-text';
import { Conversations, QWEN_AGENT_ID } from '../chat/conversations';

/** Of Theia's chat input, what only its subclasses may use: nothing else reads or sets the mode that is selected there (1.74). */
interface ModeSelection {
    receivingAgent?: { agentId: string; currentModeId?: string };
    handleModeChange(modeId: string): Promise<void>;
    updateAgentState(agent: ChatAgent | undefined): Promise<void>;
    update(): void;
}

/** In milliseconds: who goes through the modes by key does not mean each of them. The next message carries the mode anyway. */
const REST = 300;

/**
 * Keeps the mode that is selected at the chat's input and the mode in force the same: a change there counts at once, and a change elsewhere
 * shows there at once. Without it a selection would say for a whole turn what does not hold.
 */
@injectable()
export class ChatInputMode implements FrontendApplicationContribution {
    @inject(WidgetManager)
    protected readonly widgets: WidgetManager;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(MessageService)
    protected readonly messages: MessageService;

    onStart(): void {
        this.widgets.onDidCreateWidget(({ widget }) => widget instanceof ChatViewWidget && this.follow(widget));
        const view = this.widgets.tryGetWidget(ChatViewWidget.ID);
        if (view instanceof ChatViewWidget) {
            this.follow(view);
        }
    }

    protected follow(view: ChatViewWidget): void {
        const input = view.inputWidget as unknown as ModeSelection;
        if (typeof input.handleModeChange !== 'function' || typeof input.updateAgentState !== 'function') {
            // Another Theia, or an input of the product's own. What is selected there then counts with the next message.
            return;
        }
        const { handleModeChange } = input;
        let resting: ReturnType<typeof setTimeout> | undefined;
        const updateAgentState = input.updateAgentState.bind(input);
        const show = async (): Promise<void> => {
            const modeId = this.conversations.find(view.sessionId)?.session?.currentModeId;
            const { receivingAgent } = input;
            if (resting === undefined && modeId && receivingAgent?.agentId === QWEN_AGENT_ID && receivingAgent.currentModeId !== modeId) {
                await handleModeChange(modeId);
                input.update();
            }
        };
        input.handleModeChange = async modeId => {
            clearTimeout(resting);
            resting = setTimeout(async () => {
                await this.choose(view, input);
                resting = undefined;
                await show();
            }, REST);
            await handleModeChange(modeId);
        };
        input.updateAgentState = async agent => {
            await updateAgentState(agent);
            await show();
        };
        const listener = this.conversations.onDidChange(() => void show());
        view.disposed.connect(() => listener.dispose());
    }

    /** Before its session is open, the first message carries the mode. */
    protected async choose(view: ChatViewWidget, { receivingAgent }: ModeSelection): Promise<void> {
        const conversation = this.conversations.find(view.sessionId);
        const modeId = receivingAgent?.agentId === QWEN_AGENT_ID ? receivingAgent.currentModeId : undefined;
        if (!modeId || !conversation?.session || conversation.session.currentModeId === modeId) {
            return;
        }
        const answer = await conversation.setMode(modeId);
        if (!answer.ok) {
            this.messages.error(textAsMarkdown(problemText(answer.problem)));
        }
    }
}
