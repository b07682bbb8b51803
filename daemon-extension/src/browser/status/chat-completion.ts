// SPDX-License-Identifier: Apache-2.0

import { VARIABLE_ADD_CONTEXT_COMMAND } from '@theia/ai-chat/lib/browser/ai-chat-frontend-contribution';
import { ChatAgentService, ChatService } from '@theia/ai-chat/lib/common';
import { CHAT_VIEW_LANGUAGE_ID } from '@theia/ai-chat-ui/lib/browser/chat-view-language-contribution';
import { AIVariableService } from '@theia/ai-core/lib/common';
import { FrontendApplicationContribution } from '@theia/core/lib/browser/frontend-application-contribution';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as monaco from '@theia/monaco-editor-core';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { visibleText } from 'theia-cli-companion/lib/common';
import { SlashCommand } from '../../common/session-events';
import { Conversations, QWEN_AGENT_ID } from '../chat/conversations';
import { AttachedFiles } from '../chat/attached-files';
import { fileMention, fileReference, slashCompletion } from '../chat/slash-commands';
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
    @inject(AttachedFiles)
    protected readonly attached: AttachedFiles;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
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

    /** By name as Theia completes `#file:`, which is what they become; behind a slash, and at first, what is in the folder. */
    protected async files(model: monaco.editor.ITextModel, position: monaco.Position): Promise<monaco.languages.CompletionItem[]> {
        const typed = this.isForQwen(model) ? fileMention(this.before(model, position)) : undefined;
        if (typed === undefined) {
            return [];
        }
        const { lineNumber, column } = position;
        const mention = new monaco.Range(lineNumber, column - typed.length - 1, lineNumber, column);
        // What is offered fits already.
        const place = { range: mention, filterText: `@${typed}` };
        const slash = typed.lastIndexOf('/');
        if (slash < 0 && typed) {
            const provide = await this.variables.getArgumentCompletionProvider('file');
            const items = (await provide?.(model, position, '@')) ?? [];
            return items.map(item => ({ ...item, ...place, insertText: fileReference(item.insertText.replace(/^file:/, '')) }));
        }
        const [folder, begun] = [typed.slice(0, slash + 1), typed.slice(slash + 1)];
        const entries = await this.entries(folder, begun);
        if (typed) {
            return entries.map(item => ({ ...item, ...place }));
        }
        // Of the same rank as the agents, so that those come first: behind `@`, which goes with what is chosen.
        const behind = monaco.Range.fromPositions(position);
        return entries.map(item => ({ ...item, range: behind, additionalTextEdits: [{ range: mention, text: '' }] }));
    }

    protected async entries(folder: string, begun: string): Promise<Omit<monaco.languages.CompletionItem, 'range'>[]> {
        const { File, Folder } = monaco.languages.CompletionItemKind;
        const isWanted = (name: string): boolean =>
            name.toLowerCase().startsWith(begun.toLowerCase()) && (begun !== '' || !name.startsWith('.'));
        const entries = await this.attached.entries(folder);
        return entries
            .filter(({ name }) => isWanted(name))
            .map(({ uri, name, isDirectory }) => {
                const path = this.workspace.getRootPrefixedPath(uri);
                return isDirectory
                    ? {
                          label: `${name}/`,
                          kind: Folder,
                          sortText: `ZZ0${name}`,
                          insertText: `@${folder}${name}/`,
                          command: { id: 'editor.action.triggerSuggest', title: '' }
                      }
                    : {
                          label: name,
                          kind: File,
                          sortText: `ZZ1${name}`,
                          insertText: fileReference(path),
                          command: { id: VARIABLE_ADD_CONTEXT_COMMAND.id, title: '', arguments: ['file', path] }
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
