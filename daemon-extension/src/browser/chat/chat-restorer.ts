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

const KEY = 'qwen-daemon.chats';
/** Theia (1.74) gives the input the mode of a chat's last message 200 ms after it shows the chat; the one that was chosen since may be tighter. */
const INPUT_SETTLES_MS = 500;

interface KeptChat {
    chatSessionId: string;
    isShown: boolean;
    /** Absent until it is open. */
    sessionId?: string;
    unsent: UnsentMessage[];
}

/**
 * Brings the chats with Qwen back after a reload of the page: the one that was shown, since Theia always begins with a new, empty one, and those in
 * which something runs, so that what Qwen asks there is not overlooked. Opens the session of each chat that is shown, so that a turn that runs
 * continues on the screen. One of Theia's list of earlier chats starts no daemon by that.
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
        try {
            await Promise.all(this.remembered().map(chat => this.bringBack(chat)));
        } finally {
            this.conversations.onDidChange(() => this.remember());
            this.chats.onSessionEvent(event => isActiveSessionChangedEvent(event) && void this.activeChanged());
            this.remember();
        }
    }

    protected async bringBack({ chatSessionId, isShown, sessionId, unsent }: KeptChat): Promise<void> {
        const stored = await this.chats.getOrRestoreSession(chatSessionId);
        // The user may have begun something in the new chat meanwhile.
        const isFree = isShown && this.chats.getActiveSession()?.model.isEmpty() !== false;
        const chat = stored ?? (isFree ? this.chats.createSession(ChatAgentLocation.Panel, undefined, this.agent) : undefined);
        if (!chat) {
            return;
        }
        // A chat that is restored before the agent is registered loses its pinned agent.
        chat.pinnedAgent ??= this.agent;
        if (isFree) {
            this.chats.setActiveSession(chat.id);
        }
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
        const shown = this.chats.getActiveSession()?.id;
        const kept = this.conversations.all.flatMap(({ chatSessionId, sessionId, unsent, isIdle }): KeptChat[] => {
            const isShown = chatSessionId === shown;
            const isKept = (isShown || !isIdle) && (sessionId !== undefined || unsent.length > 0);
            return isKept ? [{ chatSessionId, isShown, sessionId, unsent }] : [];
        });
        if (kept.length > 0) {
            this.memory.setItem(KEY, JSON.stringify(kept));
        } else {
            // A new, empty chat: that is what the next page begins with anyway.
            this.memory.removeItem(KEY);
        }
    }

    protected remembered(): KeptChat[] {
        try {
            const kept: Partial<KeptChat>[] = JSON.parse(this.memory.getItem(KEY) ?? '[]');
            return kept.flatMap(({ chatSessionId, isShown = false, sessionId, unsent }) =>
                typeof chatSessionId === 'string' ? { chatSessionId, isShown, sessionId, unsent: Array.isArray(unsent) ? unsent : [] } : []
            );
        } catch {
            return [];
        }
    }
}
