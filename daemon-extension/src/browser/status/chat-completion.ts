// SPDX-License-Identifier: Apache-2.0

import { ChatAgentService, ChatService } from '@theia/ai-chat/lib/common';
import { CHAT_VIEW_LANGUAGE_ID } from '@theia/ai-chat-ui/lib/browser/chat-view-language-contribution';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as monaco from '@theia/monaco-editor-core';
import { visibleText } from 'theia-cli-companion/lib/common';
import { SlashCommand } from '../../common/session-events';
import { Conversations, QWEN_AGENT_ID } from '../chat/conversations';
import { slashCompletion } from '../chat/slash-commands';
import { BackendConnection } from '../connection/backend-connection';

/** Completes the daemon's commands at the input of a chat with Qwen. */
@injectable()
export class ChatCompletion implements FrontendApplicationContribution {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(ChatAgentService)
    protected readonly agents: ChatAgentService;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;

    onStart(): void {
        monaco.languages.registerCompletionItemProvider(CHAT_VIEW_LANGUAGE_ID, {
            triggerCharacters: ['/'],
            provideCompletionItems: (model, position) => ({ suggestions: this.commands(model, position) })
        });
    }

    protected commands(model: monaco.editor.ITextModel, position: monaco.Position): monaco.languages.CompletionItem[] {
        const completion = this.isForQwen(model) ? slashCompletion(this.before(model, position), this.known()) : undefined;
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

    /** Those of this chat's session; before it is open, those of another one of this workspace. */
    protected known(): readonly SlashCommand[] {
        const { commands = [] } = this.conversations.find(this.chats.getActiveSession()?.id) ?? {};
        return commands.length ? commands : (this.conversations.all.find(other => other.commands.length)?.commands ?? []);
    }

    protected isForQwen(model: monaco.editor.ITextModel): boolean {
        const agentId = (this.chats.getActiveSession()?.pinnedAgent ?? this.agents.getEffectiveDefaultAgent())?.id;
        return this.connection.enabled && (agentId === QWEN_AGENT_ID || /^\s*@Qwen\s/.test(model.getValue()));
    }

    protected before(model: monaco.editor.ITextModel, { lineNumber, column }: monaco.Position): string {
        return model.getValueInRange(new monaco.Range(1, 1, lineNumber, column));
    }
}
