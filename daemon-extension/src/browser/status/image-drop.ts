// SPDX-License-Identifier: Apache-2.0

import { ChatAgentService, ChatService } from '@theia/ai-chat/lib/common';
import { ImageContextVariable } from '@theia/ai-chat/lib/common/image-context-variable';
import { AIVariableDropResult, FrontendVariableService } from '@theia/ai-core/lib/browser/frontend-variable-service';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { MessageService } from '@theia/core/lib/common/message-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { describeProblem } from '../../common/daemon-problem-text';
import { PromptImage } from '../../common/prompt-image';
import { textAsMarkdown } from '../../common/plain-text';
import { base64 } from '../chat/attached-files';
import { QWEN_AGENT_ID } from '../chat/conversations';
import { BackendConnection } from '../connection/backend-connection';

/** Images that are dragged from the desktop to the input of a chat with Qwen; Theia takes those of its explorer only (1.74). */
@injectable()
export class ImageDrop implements FrontendApplicationContribution {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(ChatAgentService)
    protected readonly agents: ChatAgentService;
    @inject(FrontendVariableService)
    protected readonly variables: FrontendVariableService;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;

    onStart(): void {
        this.variables.registerDropHandler(event => this.drop(event));
    }

    protected async drop({ dataTransfer }: DragEvent): Promise<AIVariableDropResult | undefined> {
        // Taken before anything is awaited: behind the event they are gone.
        const files = [...(dataTransfer?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
        const chat = this.chats.getActiveSession();
        const agentId = (chat?.pinnedAgent ?? this.agents.getEffectiveDefaultAgent())?.id;
        if (!chat || !this.connection.enabled || agentId !== QWEN_AGENT_ID) {
            return undefined;
        }
        for (const file of files) {
            if (file.size > PromptImage.maxBytes) {
                const { message } = describeProblem({ code: 'bad-image', flaw: 'size', name: file.name });
                this.messages.warn(textAsMarkdown(message));
            } else {
                const data = base64(new Uint8Array(await file.arrayBuffer()));
                chat.model.context.addVariables(ImageContextVariable.createRequest({ name: file.name, mimeType: file.type, data }));
            }
        }
        return undefined;
    }
}
