// SPDX-License-Identifier: Apache-2.0

import { ChatAgent, ChatAgentLocation, ChatSession, isActiveSessionChangedEvent } from '@theia/ai-chat/lib/common';
import { ChatService } from '@theia/ai-chat/lib/common/chat-service';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { BackendConnection } from '../connection/backend-connection';
import { Conversations } from './conversations';
import { QwenChatAgent } from './qwen-chat-agent';
import { ChatView } from './chat-view';

export const PageMemory = Symbol('PageMemory');
/** One page's memory. It survives a reload, and other pages do not share it. */
export interface PageMemory {
    read(): string | undefined;
    write(value: string | undefined): void;
}

/** Ids only. */
interface ShownChat {
    chatSessionId: string;
    sessionId: string;
    /** A turn was running. */
    running: boolean;
}

/**
 * Brings the chat with Qwen back after a reload of the page: Theia always begins with a new, empty one. If a turn was running, the
 * session is opened at once, so that the turn continues on the screen; also if the backend is connected, so that mode and model are known.
 * Otherwise the next message opens it.
 */
@injectable()
export class ChatRestorer implements Disposable {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(QwenChatAgent)
    protected readonly agent: ChatAgent;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(PageMemory)
    protected readonly memory: PageMemory;
    @inject(ChatView)
    protected readonly view: ChatView;

    protected readonly toDispose = new DisposableCollection();
    protected started = false;
    /** Nothing may overwrite the memory before it was used. */
    protected restored = false;

    /** To be called whenever the daemon is enabled; only the first call of a page restores. */
    async restore(): Promise<void> {
        if (this.started) {
            return;
        }
        this.started = true;
        const shown = this.remembered();
        this.toDispose.pushAll([
            this.conversations.onDidChange(() => this.remember()),
            this.chats.onSessionEvent(event => isActiveSessionChangedEvent(event) && this.remember())
        ]);
        try {
            if (shown) {
                await this.show(shown);
            }
        } finally {
            this.restored = true;
            this.remember();
        }
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    protected async show({ chatSessionId, sessionId, running }: ShownChat): Promise<void> {
        const stored = await this.chats.getOrRestoreSession(chatSessionId);
        if (!stored && !running) {
            return;
        }
        if (running) {
            await this.view.show();
        }
        // The user may have begun something in the new chat meanwhile.
        if (this.chats.getActiveSession()?.model.isEmpty() === false) {
            return;
        }
        const chat = stored ?? this.chats.createSession(ChatAgentLocation.Panel, undefined, this.agent);
        this.pin(chat);
        this.chats.setActiveSession(chat.id);
        this.view.showEnd(chat.id);
        if (chat.model instanceof MutableChatModel) {
            const conversation = this.conversations.of(chat.model, sessionId);
            await this.connection.ready;
            if (running || this.connection.status?.state === 'connected') {
                await conversation.open();
            }
        }
    }

    /** A chat that is restored before the agent is registered loses its pinned agent. */
    protected pin(chat: ChatSession): void {
        chat.pinnedAgent ??= this.agent;
    }

    protected remember(): void {
        if (!this.restored) {
            return;
        }
        const conversation = this.conversations.find(this.chats.getActiveSession()?.id);
        if (!conversation?.sessionId) {
            // A new, empty chat: that is what the next page begins with anyway.
            this.memory.write(undefined);
            return;
        }
        const shown: ShownChat = {
            chatSessionId: conversation.chatSessionId,
            sessionId: conversation.sessionId,
            running: conversation.turns.running
        };
        this.memory.write(JSON.stringify(shown));
    }

    protected remembered(): ShownChat | undefined {
        try {
            const shown: Partial<ShownChat> = JSON.parse(this.memory.read() ?? '{}');
            return typeof shown.chatSessionId === 'string' && typeof shown.sessionId === 'string'
                ? { chatSessionId: shown.chatSessionId, sessionId: shown.sessionId, running: shown.running === true }
                : undefined;
        } catch {
            return undefined;
        }
    }
}

/** The browser's memory for this tab. If the browser forbids storage, nothing is remembered. */
export function sessionMemory(key: string): PageMemory {
    return {
        read: () => {
            try {
                return sessionStorage.getItem(key) ?? undefined;
            } catch {
                return undefined;
            }
        },
        write: value => {
            try {
                if (value === undefined) {
                    sessionStorage.removeItem(key);
                } else {
                    sessionStorage.setItem(key, value);
                }
            } catch {
                // Not remembered.
            }
        }
    };
}
