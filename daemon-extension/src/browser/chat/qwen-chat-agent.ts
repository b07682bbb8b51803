// SPDX-License-Identifier: Apache-2.0

import { ChatAgent, ChatAgentLocation, ChatMode } from '@theia/ai-chat/lib/common';
import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { listOf } from 'theia-cli-companion/lib/common';
import { approvalModeName, approvalModes, defaultApprovalMode } from '../../common/approval-modes';
import { attachments, imagesOf } from './attachments';
import { commandsAsText, otherAgents, ownRequests, promptText, QWEN_AGENT_ID } from './chat-requests';
import { Conversation, ownCommand } from './conversation';
import { Conversations } from './conversations';

/** `@Qwen` in Theia's chat. It has no language model of Theia: the daemon has its own. */
@injectable()
export class QwenChatAgent implements ChatAgent {
    @inject(Conversations)
    protected readonly conversations: Conversations;

    readonly id = QWEN_AGENT_ID;
    readonly name = 'Qwen';
    readonly description = nls.localize(
        'theia/qwen-daemon/agent/description',
        "Qwen Code, through its daemon. It reads and changes files, runs commands and uses its own models, MCP servers and skills, all on the daemon's host."
    );
    readonly iconClass = 'codicon codicon-sparkle';
    readonly locations = [ChatAgentLocation.Panel];
    readonly tags = [nls.localizeByDefault('Chat'), 'Qwen Code'];
    readonly modes: ChatMode[] = approvalModes.map(id => ({ id, name: approvalModeName(id) ?? id, isDefault: id === defaultApprovalMode }));
    readonly variables = [];
    readonly prompts = [];
    readonly languageModelRequirements = [];
    readonly agentSpecificVariables = [];
    readonly functions = [];

    async invoke(request: MutableChatRequestModel): Promise<void> {
        const conversation = this.conversations.of(request.session);
        commandsAsText(request.message);
        const command = ownCommand(promptText(request.message));
        if (command) {
            await conversation.answer(request, command);
            return;
        }
        // Before anything is awaited: with the next message Theia cancels this one.
        conversation.turns.begin(request);
        await conversation.inOrder(() => this.send(conversation, request));
    }

    protected async send(conversation: Conversation, request: MutableChatRequestModel): Promise<void> {
        const found = imagesOf(request);
        if ('problem' in found) {
            conversation.turns.fail(request, found.problem);
            return;
        }
        const { files, unsupported } = attachments(request.context, request.message);
        const paths: string[] = [];
        for (const name of files) {
            const path = await conversation.page.filePath(name);
            if (path === undefined) {
                unsupported.push(name);
            } else {
                paths.push(path);
            }
        }
        const notices: string[] = [];
        if (unsupported.length) {
            notices.push(
                nls.localize(
                    'theia/qwen-daemon/agent/unsupported',
                    'Not sent, because this chat cannot pass it to Qwen: {0}',
                    listOf(unsupported)
                )
            );
        }
        const before = ownRequests(request.session).findLast(({ id }) => id !== request.id);
        if (request.request.modeId === 'yolo' && before?.request.modeId !== 'yolo') {
            notices.push(nls.localize('theia/qwen-daemon/mode/never', 'In this mode Qwen runs commands and changes files without asking.'));
        }
        const others = otherAgents(request);
        if (others.length) {
            notices.push(
                nls.localize('theia/qwen-daemon/agent/others', 'Qwen does not know what others answered before: {0}', listOf(others))
            );
        }
        await conversation.send(request, { files: paths, images: found.images, editor: conversation.page.editorContext(), notices });
    }
}
