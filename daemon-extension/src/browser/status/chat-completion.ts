// SPDX-License-Identifier: Apache-2.0

import { ChatAgentService, ChatService } from '@theia/ai-chat/lib/common';
import { CHAT_VIEW_LANGUAGE_ID } from '@theia/ai-chat-ui/lib/browser/chat-view-language-contribution';
import { AIVariableService } from '@theia/ai-core/lib/common';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as monaco from '@theia/monaco-editor-core';
import { visibleText } from 'theia-cli-companion/lib/common';
import { Conversations, QWEN_AGENT_ID } from '../chat/conversations';
import { fileMention, slashCompletion } from '../chat/slash-commands';
import { BackendConnection } from '../connection/backend-connection';

/** Completes the daemon's commands, and files behind `@`, at the input of a chat with Qwen. */
@injectable()
export class ChatCompletion implements FrontendApplicationContribution {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(ChatAgentService)
    protected readonly agents: ChatAgentService;
    @inject(AIVariableService)
    protected readonly variables: AIVariableService;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;

    onStart(): void {
        monaco.languages.registerCompletionItemProvider(CHAT_VIEW_LANGUAGE_ID, {
            triggerCharacters: ['/'],
            provideCompletionItems: (model, position) => ({ suggestions: this.commands(model, position) })
        });
        monaco.languages.registerCompletionItemProvider(CHAT_VIEW_LANGUAGE_ID, {
            triggerCharacters: ['@', '/'],
            provideCompletionItems: async (model, position) => ({ suggestions: await this.files(model, position), incomplete: true })
        });
    }

    protected commands(model: monaco.editor.ITextModel, position: monaco.Position): monaco.languages.CompletionItem[] {
        const conversation = this.conversations.find(this.chats.getActiveSession()?.id);
        const completion = conversation && slashCompletion(this.before(model, position), conversation.commands);
        if (!completion) {
            return [];
        }
        const { lineNumber, column } = position;
        const range = new monaco.Range(lineNumber, column - completion.typed, lineNumber, column);
        return completion.commands.map(({ name, description, hint }) => ({
            label: name,
            kind: monaco.languages.CompletionItemKind.Function,
            insertText: `${name} `,
            detail: visibleText([hint, description].filter(text => text).join(' — ')),
            range
        }));
    }

    /** As Theia's own completion of `#file:`, which is what they become. */
    protected async files(model: monaco.editor.ITextModel, position: monaco.Position): Promise<monaco.languages.CompletionItem[]> {
        const typed = this.isForQwen(model) ? fileMention(this.before(model, position)) : undefined;
        const provide = typed === undefined ? undefined : await this.variables.getArgumentCompletionProvider('file');
        const items = (await provide?.(model, position, '@')) ?? [];
        return items.map(item => {
            const { lineNumber, column } = position;
            return {
                ...item,
                range: new monaco.Range(lineNumber, column - (typed?.length ?? 0) - 1, lineNumber, column),
                insertText: `#${item.insertText} `,
                filterText: `@${typed}`
            };
        });
    }

    protected isForQwen(model: monaco.editor.ITextModel): boolean {
        const agentId = (this.chats.getActiveSession()?.pinnedAgent ?? this.agents.getEffectiveDefaultAgent())?.id;
        return this.connection.enabled && (agentId === QWEN_AGENT_ID || /^\s*@Qwen\s/.test(model.getValue()));
    }

    protected before(model: monaco.editor.ITextModel, { lineNumber, column }: monaco.Position): string {
        return model.getValueInRange(new monaco.Range(1, 1, lineNumber, column));
    }
}
