// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { BackendConnection } from '../connection/backend-connection';
import { Conversation } from './conversation';
import { ConversationPage } from './conversation-page';
import { PermissionView } from './permission-view';

/** Chats whose sessions the backend keeps with their logs and edits; one that is used again is loaded again. */
const MAX_IDLE = 10;

/** All chats of this page that talk, or talked, to the daemon. */
@injectable()
export class Conversations {
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(ConversationPage)
    protected readonly page: ConversationPage;

    protected readonly byChat = new Map<string, Conversation>();

    protected readonly onDidChangeEmitter = new Emitter<Conversation | undefined>();
    /** Fires when a conversation changed what it shows beside its chat. `undefined`: a conversation came or went. */
    readonly onDidChange = this.onDidChangeEmitter.event;

    @postConstruct()
    protected init(): void {
        this.connection.onDidReceiveEvents(events => this.byChat.forEach(conversation => conversation.receive(events)));
        this.connection.onDidReconnect(() => this.openAgain());
        this.connection.onDidChangeStatus(() => {
            if (!this.connection.enabled) {
                this.clear();
            }
        });
    }

    get all(): Conversation[] {
        return [...this.byChat.values()];
    }

    get waiting(): PermissionView[] {
        return this.all.flatMap(({ turns }) => turns.waiting);
    }

    find(chatSessionId: string | undefined): Conversation | undefined {
        return chatSessionId === undefined ? undefined : this.byChat.get(chatSessionId);
    }

    /** @param sessionId the daemon session, if the chat's stored responses do not name it */
    of(model: MutableChatModel, sessionId?: string): Conversation {
        const known = this.byChat.get(model.id);
        if (known) {
            // In the order of their last use.
            this.byChat.delete(model.id);
            this.byChat.set(model.id, known);
            return known;
        }
        const conversation = new Conversation(model, this.page, this.connection, sessionId);
        conversation.onDidChange(() => this.onDidChangeEmitter.fire(conversation));
        this.byChat.set(model.id, conversation);
        this.all.slice(0, -MAX_IDLE).forEach(({ chatSessionId, isIdle }) => isIdle && this.forget(chatSessionId));
        this.onDidChangeEmitter.fire(undefined);
        return conversation;
    }

    /** The chat was deleted, or not used for long: what runs in it is stopped. Its daemon session lives on, and can be opened again. */
    forget(chatSessionId: string): void {
        const conversation = this.byChat.get(chatSessionId);
        if (conversation) {
            this.byChat.delete(chatSessionId);
            void conversation.stopAll().then(() => this.leave(conversation));
            conversation.dispose();
            this.onDidChangeEmitter.fire(undefined);
        }
    }

    protected leave({ sessionId }: Conversation): void {
        if (sessionId && !this.all.some(other => other.sessionId === sessionId)) {
            void this.connection.call(async backend => ({ ok: true, value: await backend.leaveSession(sessionId) }));
        }
    }

    protected openAgain(): void {
        for (const conversation of this.byChat.values()) {
            if (conversation.session || (conversation.sessionId && conversation.problem)) {
                void conversation.open(true);
            }
        }
    }

    protected clear(): void {
        this.byChat.forEach(conversation => {
            conversation.turns.failRunning({ code: 'off' });
            conversation.dispose();
        });
        this.byChat.clear();
        this.onDidChangeEmitter.fire(undefined);
    }
}
