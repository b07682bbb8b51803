// SPDX-License-Identifier: Apache-2.0

import { ChatContext } from '@theia/ai-chat/lib/common/chat-model';
import { ParsedChatRequest } from '@theia/ai-chat/lib/common/parsed-chat-request';

/** What is sent to the daemon: the text without the mention of the agent, and with variables resolved. */
export function promptText(message: ParsedChatRequest): string {
    return message.parts
        .map(part => (part.kind === 'agent' ? '' : part.promptText))
        .join('')
        .trim();
}

export interface Attachments {
    /** Paths of the files, relative to the workspace (with the root's name first) or absolute, as Theia names them. */
    files: string[];
    /** Labels of what cannot be given to the daemon. */
    unsupported: string[];
}

/** What the user attached to the request. Files go by link, so that the daemon reads them itself; nothing else has a way over. */
export function attachments(context: ChatContext): Attachments {
    const result: Attachments = { files: [], unsupported: [] };
    for (const { variable, arg } of context.variables) {
        if (variable.name === 'file' && arg) {
            result.files.push(arg);
        } else {
            result.unsupported.push(variable.label ?? variable.name);
        }
    }
    return result;
}
