// SPDX-License-Identifier: Apache-2.0

import { ChatAgent, ChatAgentLocation, ChatMode } from '@theia/ai-chat/lib/common';
import { MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { approvalModes, defaultApprovalMode } from '../../common/approval-modes';
import { approvalModeName } from '../../common/approval-mode-name';
import { Conversation } from './conversation';
import { OutgoingTurn } from './conversation-turns';
import { Conversations, QWEN_AGENT_ID } from './conversations';
import { attachments, markerOf, otherAgents, ownBefore, promptText } from './chat-requests';
import { EditorContextSource } from './editor-variable';
import { OwnCommands } from './own-commands';
import { imagesOf, isImage, ReadImage } from './request-images';

export const AttachedFilePath = Symbol('AttachedFilePath');
/** Finds the file that an attachment names. Resolves to a path on the backend's host. */
export type AttachedFilePath = (name: string) => Promise<string | undefined>;

/** `@Qwen` in Theia's chat. It has no language model of Theia: the daemon has its own. */
@injectable()
export class QwenChatAgent implements ChatAgent {
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(AttachedFilePath)
    protected readonly filePath: AttachedFilePath;
    @inject(ReadImage)
    protected readonly readImage: ReadImage;
    @inject(EditorContextSource)
    protected readonly editor: EditorContextSource;

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
        const command = OwnCommands.of(promptText(request.message));
        if (command) {
            await conversation.answer(request, command);
            return;
        }
        // Before anything is awaited: with the next message Theia cancels this one.
        const turn = conversation.turns.begin(request);
        await conversation.inOrder(() => this.send(conversation, request, turn));
    }

    protected async send(conversation: Conversation, request: MutableChatRequestModel, turn: OutgoingTurn): Promise<void> {
        const found = await imagesOf(request, this.readImage);
        if ('problem' in found) {
            turn.fail(found.problem);
            return;
        }
        const { files, editor, unsupported } = attachments(request.context, request.message);
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
                    'theia/qwen-daemon/agent/unsupported',
                    'Not sent, because this chat cannot pass it to Qwen: {0}',
                    unsupported.join(', ')
                )
            );
        }
        if (request.request.modeId === 'yolo' && ownBefore(request)?.request.modeId !== 'yolo') {
            notices.push(nls.localize('theia/qwen-daemon/mode/never', 'In this mode Qwen runs commands and changes files without asking.'));
        }
        const others = otherAgents(request);
        if (others.length) {
            notices.push(
                nls.localize('theia/qwen-daemon/agent/others', 'Qwen does not know what others answered before: {0}', others.join(', '))
            );
        }
        await conversation.send(request, turn, {
            text: promptText(request.message),
            files: paths,
            images: found.images,
            editor: editor ? this.editor.current : undefined,
            modeId: request.request.modeId,
            replaces: request.request.referencedRequestId,
            notices
        });
        if (markerOf(request)?.turnId) {
            this.forgetImages(request.session);
        }
    }

    /** An image goes with one message. Where that failed, it stays at the input. */
    protected forgetImages({ context }: MutableChatModel): void {
        const indices = context.getVariables().flatMap((variable, index) => (isImage(variable) ? [index] : []));
        if (indices.length) {
            context.deleteVariables(...indices);
        }
    }
}
