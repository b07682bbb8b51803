// SPDX-License-Identifier: Apache-2.0

import { ChatAgentService, ChatService, ChatSession } from '@theia/ai-chat/lib/common';
import { ChatViewWidget } from '@theia/ai-chat-ui/lib/browser/chat-view-widget';
import { AIVariableOpener, AIVariableResolver, ResolvedAIVariable } from '@theia/ai-core/lib/common';
import { FrontendVariableService } from '@theia/ai-core/lib/browser/frontend-variable-service';
import { FrontendApplicationContribution, open, OpenerService, WidgetManager } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { visibleText } from 'theia-cli-companion/lib/common';
import { QWEN_AGENT_ID } from '../chat/conversations';
import { EDITOR_VARIABLE, EditorContextSource, editorLabel, isEditorVariable, resolvedEditor } from '../chat/editor-variable';
import { BackendConnection } from '../connection/backend-connection';

/**
 * Puts the editor's context as a chip at the input of every chat that is for Qwen. The user sees what goes with a message, and can remove it;
 * in that chat it then stays away.
 */
@injectable()
export class EditorChip implements FrontendApplicationContribution, AIVariableResolver, AIVariableOpener {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(ChatAgentService)
    protected readonly agents: ChatAgentService;
    @inject(FrontendVariableService)
    protected readonly variables: FrontendVariableService;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(EditorContextSource)
    protected readonly source: EditorContextSource;
    @inject(OpenerService)
    protected readonly openers: OpenerService;
    @inject(WidgetManager)
    protected readonly widgets: WidgetManager;

    protected readonly toDisposeOnDisable = new DisposableCollection();
    /** Ids of chats whose user removed the chip. */
    protected readonly unwanted = new Set<string>();
    protected readonly watched = new Set<string>();
    protected changing = false;
    protected shown = '';

    onStart(): void {
        this.connection.onDidChangeStatus(() => this.update());
        this.agents.onDefaultAgentChanged(() => this.update());
        this.chats.onSessionEvent(() => this.update());
        this.source.onDidChange(() => this.update());
    }

    getName(): string {
        const { current } = this.source;
        return current ? visibleText(editorLabel(current)) : (EDITOR_VARIABLE.label ?? EDITOR_VARIABLE.name);
    }

    getLongName(): string {
        return this.source.current ? visibleText(this.source.current.path) : this.getName();
    }

    canResolve(): number {
        return 1;
    }

    async resolve(): Promise<ResolvedAIVariable> {
        return resolvedEditor(this.source.current);
    }

    async canOpen(): Promise<number> {
        return 1;
    }

    async open(): Promise<void> {
        const { current } = this.source;
        if (current) {
            await open(this.openers, FileUri.create(current.path));
        }
    }

    /**
     * Removes the chip of the active chat, or brings it back.
     * @returns whether it is there now; `undefined` where there can be none
     */
    toggle(): { sent: boolean | undefined; label: string } {
        const chat = this.chats.getActiveSession();
        const context = chat?.model.context;
        const index = context?.getVariables().findIndex(isEditorVariable) ?? -1;
        if (index >= 0) {
            context?.deleteVariables(index);
            return { sent: false, label: '' };
        }
        this.unwanted.delete(chat?.id ?? '');
        this.update();
        return { sent: context?.getVariables().some(isEditorVariable) || undefined, label: this.getName() };
    }

    protected update(): void {
        const { enabled } = this.connection;
        if (enabled && this.toDisposeOnDisable.disposed) {
            this.toDisposeOnDisable.push(this.variables.registerResolver(EDITOR_VARIABLE, this));
            this.toDisposeOnDisable.push(this.variables.registerOpener(EDITOR_VARIABLE, this));
        } else if (!enabled) {
            this.toDisposeOnDisable.dispose();
        }
        this.chats.getSessions().forEach(chat => this.updateChat(chat, enabled));
        const name = enabled ? this.getName() : '';
        const view = this.widgets.tryGetWidget(ChatViewWidget.ID);
        if (name !== this.shown && view instanceof ChatViewWidget) {
            this.shown = name;
            view.inputWidget.update();
        }
    }

    protected updateChat(chat: ChatSession, enabled: boolean): void {
        const { context } = chat.model;
        const index = context.getVariables().findIndex(isEditorVariable);
        const agentId = (chat.pinnedAgent ?? this.agents.getEffectiveDefaultAgent())?.id;
        const wanted = enabled && agentId === QWEN_AGENT_ID && this.source.current !== undefined && !this.unwanted.has(chat.id);
        this.changing = true;
        try {
            if (wanted && index < 0) {
                this.watch(chat);
                context.addVariables({ variable: EDITOR_VARIABLE });
            } else if (!wanted && index >= 0) {
                context.deleteVariables(index);
            }
        } finally {
            this.changing = false;
        }
    }

    protected watch({ id, model }: ChatSession): void {
        if (!this.watched.has(id)) {
            this.watched.add(id);
            model.context.onDidChange(() => {
                if (!this.changing && !model.context.getVariables().some(isEditorVariable)) {
                    this.unwanted.add(id);
                } else {
                    this.unwanted.delete(id);
                }
            });
        }
    }
}
