// SPDX-License-Identifier: Apache-2.0

import { ChatAgent, ChatAgentLocation, ChatMode } from '@theia/ai-chat/lib/common';
import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { nls } from '@theia/core/lib/common/nls';
import { approvalModes, defaultApprovalMode } from '../../common/approval-modes';
import { approvalModeName } from '../status/approval-mode-names';
import { Conversations } from './conversations';
import { attachments, promptText } from './prompt-of-request';

export const QWEN_AGENT_ID = 'Qwen';

/** Finds the file that an attachment names; a path on the backend's host. */
export type AttachedFilePath = (name: string) => Promise<string | undefined>;

/** `@Qwen` in Theia's chat. It has no language model of Theia: the daemon has its own. */
export class QwenChatAgent implements ChatAgent {
    readonly id = QWEN_AGENT_ID;
    readonly name = 'Qwen';
    readonly description = nls.localize(
        'qwen-daemon/agent/description',
        "Qwen Code, through its daemon. It reads and changes files, runs commands and uses its own models, MCP servers and skills, all on the daemon's host."
    );
    readonly iconClass = 'codicon codicon-sparkle';
    readonly locations = [ChatAgentLocation.Panel];
    readonly tags = [nls.localizeByDefault('Chat'), 'Qwen Code'];
    readonly modes: ChatMode[] = approvalModes.map(id => ({ id, name: approvalModeName(id), isDefault: id === defaultApprovalMode }));
    readonly variables = [];
    readonly prompts = [];
    readonly languageModelRequirements = [];
    readonly agentSpecificVariables = [];
    readonly functions = [];

    constructor(
        protected readonly conversations: Conversations,
        protected readonly filePath: AttachedFilePath
    ) {}

    async invoke(request: MutableChatRequestModel): Promise<void> {
        const conversation = this.conversations.of(request.session);
        const { files, unsupported } = attachments(request.context);
        const paths: string[] = [];
        for (const name of files) {
            const path = await this.filePath(name);
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
                    'qwen-daemon/agent/unsupported',
                    'Not sent to Qwen, which this chat cannot give it: {0}',
                    unsupported.join(', ')
                )
            );
        }
        if (request.request.referencedRequestId) {
            notices.push(
                nls.localize(
                    'qwen-daemon/agent/edited',
                    "Qwen's session cannot be turned back: it still holds the earlier version of this message and what followed."
                )
            );
        }
        await conversation.send(request, { text: promptText(request.message), files: paths, modeId: request.request.modeId, notices });
    }
}
