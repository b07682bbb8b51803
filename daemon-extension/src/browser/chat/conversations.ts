// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { BackendConnection } from '../connection/backend-connection';
import { Conversation, ConversationHost } from './conversation';

/** All chats of this page that talk, or talked, to the daemon. */
export class Conversations implements Disposable {
    protected readonly byChat = new Map<string, Conversation>();
    protected readonly toDispose = new DisposableCollection();

    protected readonly didChange = new Emitter<Conversation | undefined>();
    /** What a conversation shows beside its chat changed; `undefined`: one came or went. */
    readonly onDidChange = this.didChange.event;

    constructor(
        protected readonly agentId: string,
        protected readonly connection: BackendConnection,
        protected readonly host: Omit<ConversationHost, 'call' | 'callAgain'>
    ) {
        this.toDispose.pushAll([
            this.didChange,
            connection.onDidReceiveEvents(events => this.byChat.forEach(conversation => conversation.receive(events))),
            connection.onDidReconnect(() => this.openAgain()),
            connection.onDidChangeStatus(() => {
                if (!connection.enabled) {
                    this.clear();
                }
            })
        ]);
    }

    /** The conversation of a chat, where there is one already. */
    find(chatSessionId: string | undefined): Conversation | undefined {
        return chatSessionId === undefined ? undefined : this.byChat.get(chatSessionId);
    }

    /** @param sessionId the daemon session, where the chat's stored responses do not say it */
    of(model: MutableChatModel, sessionId?: string): Conversation {
        const known = this.byChat.get(model.id);
        if (known) {
            return known;
        }
        const host: ConversationHost = {
            ...this.host,
            call: ask => this.connection.call(ask),
            callAgain: (ask, before) => this.connection.callAgain(ask, before)
        };
        const conversation = new Conversation(model, this.agentId, host, sessionId);
        conversation.onDidChange(() => this.didChange.fire(conversation));
        this.byChat.set(model.id, conversation);
        this.didChange.fire(undefined);
        return conversation;
    }

    /** The chat was deleted. Its daemon session lives on, and can be opened again. */
    forget(chatSessionId: string): void {
        const conversation = this.byChat.get(chatSessionId);
        if (conversation) {
            this.byChat.delete(chatSessionId);
            this.leave(conversation);
            this.didChange.fire(undefined);
        }
    }

    dispose(): void {
        this.byChat.forEach(conversation => conversation.dispose());
        this.byChat.clear();
        this.toDispose.dispose();
    }

    protected leave(conversation: Conversation): void {
        const { sessionId } = conversation;
        conversation.dispose();
        if (sessionId && ![...this.byChat.values()].some(other => other.sessionId === sessionId)) {
            void this.connection.tell(backend => backend.leaveSession(sessionId));
        }
    }

    protected openAgain(): void {
        for (const conversation of this.byChat.values()) {
            if (conversation.session) {
                void conversation.open(true);
            }
        }
    }

    protected clear(): void {
        this.byChat.forEach(conversation => {
            conversation.turns.failRunning({
                code: 'off',
                message: 'The Qwen daemon was switched off in the preferences; this turn is no longer shown.'
            });
            conversation.dispose();
        });
        this.byChat.clear();
        this.didChange.fire(undefined);
    }
}
