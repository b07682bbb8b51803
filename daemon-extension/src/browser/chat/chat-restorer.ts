// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation, ChatSession, isActiveSessionChangedEvent } from '@theia/ai-chat/lib/common';
import { ChatService } from '@theia/ai-chat/lib/common/chat-service';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { timeout } from '@theia/core/lib/common/promise-util';
import { inject, injectable } from '@theia/core/shared/inversify';
import { QWEN_AGENT_ID } from '../../common/qwen-daemon-protocol';
import { BackendConnection } from '../connection/backend-connection';
import { UnsentMessage } from './conversation';
import { Conversations } from './conversations';
import { QwenChatAgent } from './qwen-chat-agent';
import { ChatView } from './conversation-page';

export const PageMemory = Symbol('PageMemory');
/** The tab's memory. It survives a reload, and other tabs do not share it. */
export type PageMemory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'qwen-daemon.shownChat';
/** Theia (1.74) gives the input the mode of a chat's last message 200 ms after it shows the chat; the one that was chosen since may be tighter. */
const INPUT_SETTLES_MS = 500;

interface ShownChat {
    chatSessionId: string;
    /** Absent until it is open. */
    sessionId?: string;
    unsent: UnsentMessage[];
}

/**
 * Brings the chat with Qwen back after a reload of the page: Theia always begins with a new, empty one. Opens the session of each chat that is
 * shown, so that a turn that runs continues on the screen. One of Theia's list of earlier chats starts no daemon by that.
 */
@injectable()
export class ChatRestorer {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(QwenChatAgent)
    protected readonly agent: QwenChatAgent;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(PageMemory)
    protected readonly memory: PageMemory;
    @inject(ChatView)
    protected readonly view: ChatView;

    protected started = false;

    /** To be called whenever the daemon is enabled; only the first call of a page restores. */
    async restore(): Promise<void> {
        if (this.started) {
            return;
        }
        this.started = true;
        const shown = this.remembered();
        try {
            if (shown) {
                await this.show(shown);
            }
        } finally {
            this.conversations.onDidChange(() => this.remember());
            this.chats.onSessionEvent(event => isActiveSessionChangedEvent(event) && void this.activeChanged());
            this.remember();
        }
    }

    protected async show({ chatSessionId, sessionId, unsent }: ShownChat): Promise<void> {
        const stored = await this.chats.getOrRestoreSession(chatSessionId);
        // The user may have begun something in the new chat meanwhile.
        if (this.chats.getActiveSession()?.model.isEmpty() === false) {
            return;
        }
        const chat = stored ?? this.chats.createSession(ChatAgentLocation.Panel, undefined, this.agent);
        // A chat that is restored before the agent is registered loses its pinned agent.
        chat.pinnedAgent ??= this.agent;
        this.chats.setActiveSession(chat.id);
        await this.open(chat, sessionId);
        this.conversations.find(chat.id)?.restoreUnsent(unsent);
    }

    protected async activeChanged(): Promise<void> {
        this.remember();
        const chat = this.chats.getActiveSession();
        if (chat?.pinnedAgent?.id === QWEN_AGENT_ID && !chat.model.isEmpty() && this.connection.status?.state === 'connected') {
            await this.open(chat);
            await timeout(INPUT_SETTLES_MS);
            const chosen = this.conversations.find(chat.id)?.session?.chosenModeId;
            if (chosen !== undefined) {
                this.view.showMode(chat.id, chosen);
            }
        }
    }

    protected async open({ id, model }: ChatSession, sessionId?: string): Promise<void> {
        this.view.showEnd(id);
        if (model instanceof MutableChatModel) {
            const conversation = this.conversations.of(model, sessionId);
            if (conversation.sessionId && !conversation.session) {
                await conversation.open();
            }
        }
    }

    protected remember(): void {
        const conversation = this.conversations.find(this.chats.getActiveSession()?.id);
        const { chatSessionId, sessionId, unsent = [] } = conversation ?? {};
        if (chatSessionId !== undefined && (sessionId !== undefined || unsent.length > 0)) {
            this.memory.setItem(KEY, JSON.stringify({ chatSessionId, sessionId, unsent } satisfies ShownChat));
        } else {
            // A new, empty chat: that is what the next page begins with anyway.
            this.memory.removeItem(KEY);
        }
    }

    protected remembered(): ShownChat | undefined {
        try {
            const { chatSessionId, sessionId, unsent }: Partial<ShownChat> = JSON.parse(this.memory.getItem(KEY) ?? '{}');
            return typeof chatSessionId === 'string'
                ? { chatSessionId, sessionId, unsent: Array.isArray(unsent) ? unsent : [] }
                : undefined;
        } catch {
            return undefined;
        }
    }
}
