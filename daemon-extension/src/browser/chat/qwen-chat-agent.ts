// SPDX-License-Identifier: Apache-2.0

import { ChatAgent, ChatAgentLocation, ChatMode } from '@theia/ai-chat/lib/common';
import { ChatContext, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { listOf } from 'theia-cli-companion/lib/common';
import { IMAGE_CONTEXT_VARIABLE, ImageContextVariable } from '@theia/ai-chat/lib/common/image-context-variable';
import { ParsedChatRequest, ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { approvalModeName, approvalModes, defaultApprovalMode } from '../../common/approval-modes';
import { otherAgents, promptText, showAsTyped } from './chat-requests';
import { Conversation, ownCommand } from './conversation';
import { Conversations } from './conversations';
import { DaemonProblem } from '../../common/daemon-problem';
import { PromptImage, QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';

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
        showAsTyped(request.message);
        const command = ownCommand(promptText(request.message));
        if (command) {
            await conversation.answer(request, command);
            return;
        }
        // Before anything is awaited: with the next message Theia cancels this one.
        conversation.turns.begin(request);
        await conversation.inOrder(request, () => this.send(conversation, request));
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
        const others = otherAgents(request);
        if (others.length) {
            notices.push(
                nls.localize('theia/qwen-daemon/agent/others', 'Qwen does not know what others answered before: {0}', listOf(others))
            );
        }
        await conversation.send(request, {
            files: paths,
            images: found.images,
            editor: conversation.page.editorContext(request.session),
            notices
        });
    }
}

/** What Qwen Code 0.24 takes. */
const KINDS = /^image\/(png|jpeg|gif|webp|bmp)$/;
/** Base64 characters of all of a message, 20 MiB: they cross to the backend in one. */
const MAX_CHARACTERS = 28 * 1024 * 1024;

/** Theia's name of the variable for a file. */
const FILE = 'file';

/** The images that Theia read for a request: pasted into its text, or attached at the input. */
function imagesOf({ context, message }: MutableChatRequestModel): { images: PromptImage[] } | { problem: DaemonProblem } {
    const named = message.parts.filter(part => part instanceof ParsedChatRequestVariablePart);
    const args = [
        ...context.variables.filter(isImage).map(({ arg }) => arg),
        ...named
            .filter(({ variableName }) => variableName === IMAGE_CONTEXT_VARIABLE.name)
            .map(part => part.resolution?.arg ?? part.variableArg)
    ];
    const images: PromptImage[] = [];
    for (const arg of args) {
        const image = parsed(arg);
        const name = image?.wsRelativePath ?? image?.name ?? arg ?? 'image';
        if (!image || !ImageContextVariable.isResolved(image) || !KINDS.test(image.mimeType)) {
            return { problem: { code: 'bad-image', name } };
        }
        if (!images.some(({ data }) => data === image.data)) {
            images.push({ name, mimeType: image.mimeType, data: image.data });
        }
    }
    const characters = images.reduce((sum, { data }) => sum + data.length, 0);
    return characters > MAX_CHARACTERS ? { problem: { code: 'bad-image', name: images.at(-1)?.name ?? '' } } : { images };
}

function isImage({ variable }: { variable: { id: string } }): boolean {
    return variable.id === IMAGE_CONTEXT_VARIABLE.id;
}

/** `undefined` where it is only the name of an image. */
function parsed(arg: string | undefined): ImageContextVariable | undefined {
    try {
        return arg === undefined ? undefined : ImageContextVariable.parseArg(arg);
    } catch {
        return undefined;
    }
}

/**
 * What the user attached to the request, or named in its text as `#file:…`, except images. Files go as links, and the daemon reads them
 * itself. Nothing else can be sent.
 *
 * @returns paths of files, relative to the workspace (with the root's name first) or absolute, as Theia names them; and labels of the rest
 */
export function attachments(context: ChatContext, { parts }: Pick<ParsedChatRequest, 'parts'>): { files: string[]; unsupported: string[] } {
    const files = new Set<string>();
    const unsupported: string[] = [];
    for (const { variable, arg } of context.variables) {
        if (variable.name === FILE && arg) {
            files.add(arg);
        } else if (!isImage({ variable })) {
            unsupported.push(variable.label ?? variable.name);
        }
    }
    for (const part of parts) {
        if (part instanceof ParsedChatRequestVariablePart && part.variableName === FILE && part.variableArg) {
            files.add(part.variableArg);
        }
    }
    return { files: [...files], unsupported };
}
