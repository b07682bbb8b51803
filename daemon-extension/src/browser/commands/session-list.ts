// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation, ChatService } from '@theia/ai-chat/lib/common';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickInputService, QuickPick } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { withoutIcons } from 'theia-cli-companion/lib/common';
import { DaemonProblem } from '../../common/daemon-problem';
import { describeProblem, problemText } from '../../common/daemon-problem-text';
import { Answer } from '../../common/daemon-status';
import { SessionInfo, SessionSummary } from '../../common/qwen-daemon-protocol';
import { textAsMarkdown } from '../../common/plain-text';
import { Conversations } from '../chat/conversations';
import { QwenChatAgent } from '../chat/qwen-chat-agent';
import { ChatView } from '../chat/chat-view';
import { BackendConnection } from '../connection/backend-connection';
import { SessionItem, sessionItems, sessionTitle } from './session-items';

/** Finds an earlier session by its title or date, and opens it in a chat, with its history. */
@injectable()
export class SessionList {
    @inject(ChatService)
    protected readonly chats: ChatService;
    @inject(QuickInputService)
    protected readonly quickInput: QuickInputService;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(BackendConnection)
    protected readonly connection: BackendConnection;
    @inject(Conversations)
    protected readonly conversations: Conversations;
    @inject(QwenChatAgent)
    protected readonly agent: QwenChatAgent;
    @inject(ChatView)
    protected readonly view: ChatView;

    /** The list is there at once: to ask may mean to start the daemon. It stays until a session is open, and says what went wrong. */
    async show(): Promise<void> {
        const pick = this.quickInput.createQuickPick<SessionItem>();
        pick.title = nls.localize('theia/qwen-daemon/sessions/title', 'Earlier sessions of Qwen in this workspace');
        pick.matchOnDescription = true;
        let isOpen = true;
        pick.onDidHide(() => {
            isOpen = false;
            pick.dispose();
        });
        pick.onDidAccept(async () => {
            const [chosen] = pick.selectedItems;
            if (chosen?.retry) {
                await this.load(pick, () => isOpen);
            } else if (chosen?.session) {
                await this.choose(pick, chosen.session, () => isOpen);
            }
        });
        pick.onDidTriggerItemButton(async ({ item }) => {
            pick.hide();
            const { session } = item as SessionItem;
            if (session) {
                await this.rename(session);
            }
        });
        pick.show();
        await this.load(pick, () => isOpen);
    }

    protected async load(pick: QuickPick<SessionItem>, isOpen: () => boolean): Promise<void> {
        this.wait(pick, nls.localize('theia/qwen-daemon/sessions/loading', 'Looking for earlier sessions…'));
        const sessions = await this.connection.call(backend => backend.listSessions());
        if (!isOpen()) {
            return;
        }
        pick.busy = false;
        if (!sessions.ok) {
            this.showProblem(pick, sessions.problem);
        } else if (sessions.value.length) {
            pick.placeholder = nls.localize('theia/qwen-daemon/sessions/choose', 'Choose an earlier session of this workspace');
            const named = await this.named(sessions.value);
            if (isOpen()) {
                pick.items = sessionItems(named, sessionId => this.chatOf(sessionId) !== undefined);
            }
        } else {
            const none = nls.localize('theia/qwen-daemon/sessions/none', 'Qwen has no earlier sessions of this workspace.');
            pick.placeholder = none;
            pick.items = [{ label: none, alwaysShow: true }];
        }
    }

    protected async choose(pick: QuickPick<SessionItem>, session: SessionSummary, isOpen: () => boolean): Promise<void> {
        this.wait(pick, nls.localize('theia/qwen-daemon/sessions/opening', 'Opening "{0}"…', sessionTitle(session)));
        const opened = await this.open(session);
        if (opened.ok) {
            pick.hide();
        } else if (isOpen()) {
            pick.busy = false;
            this.showProblem(pick, opened.problem);
        } else {
            this.messages.error(textAsMarkdown(problemText(opened.problem)));
        }
    }

    protected wait(pick: QuickPick<SessionItem>, placeholder: string): void {
        pick.busy = true;
        pick.value = '';
        pick.items = [];
        pick.placeholder = placeholder;
    }

    protected showProblem(pick: QuickPick<SessionItem>, problem: DaemonProblem): void {
        const { message, nextStep } = describeProblem(problem);
        const [label, detail] = [withoutIcons(message), nextStep && withoutIcons(nextStep)];
        pick.placeholder = label;
        pick.items = [
            { label, detail, iconClasses: ['codicon', 'codicon-error'], alwaysShow: true },
            {
                label: nls.localize('theia/qwen-daemon/sessions/retry', 'Show the list again'),
                iconClasses: ['codicon', 'codicon-refresh'],
                retry: true,
                alwaysShow: true
            }
        ];
    }

    /** By the titles of their chats, which the user may have changed. */
    protected async named(sessions: readonly SessionSummary[]): Promise<SessionSummary[]> {
        const stored = await this.chats.getPersistedSessions();
        return sessions.map(session => {
            const chatId = this.chatOf(session.sessionId) ?? session.chatSessionId ?? '';
            return { ...session, title: this.chats.getSession(chatId)?.title || stored[chatId]?.title || session.title };
        });
    }

    /** Renames the chat of a session. One that no chat of this IDE shows has none. */
    protected async rename(session: SessionSummary): Promise<void> {
        const chatId = this.chatOf(session.sessionId) ?? session.chatSessionId;
        const name = await this.quickInput.input({ prompt: nls.localizeByDefault('Rename'), value: sessionTitle(session) });
        if (chatId !== undefined && name?.trim()) {
            await this.chats.renameSession(chatId, name.trim());
        }
    }

    protected chatOf(sessionId: string): string | undefined {
        return this.chats.getSessions().find(({ id }) => this.conversations.find(id)?.sessionId === sessionId)?.id;
    }

    /** In the chat that shows the session already, or the one that it was made for, or a new one, which goes again if that fails. */
    protected async open(summary: SessionSummary): Promise<Answer<SessionInfo>> {
        const before = this.chats.getActiveSession()?.id;
        const earlierId = this.chatOf(summary.sessionId) ?? summary.chatSessionId;
        const stored = earlierId === undefined ? undefined : await this.chats.getOrRestoreSession(earlierId);
        const chat = stored ?? this.chats.createSession(ChatAgentLocation.Panel, undefined, this.agent);
        if (!(chat.model instanceof MutableChatModel)) {
            return { ok: false, problem: { code: 'session-gone' } };
        }
        chat.pinnedAgent ??= this.agent;
        const opened = await this.conversations.of(chat.model, summary.sessionId).open();
        if (opened.ok) {
            if (!stored) {
                await this.chats.renameSession(chat.id, sessionTitle(summary));
            }
            await this.view.showChat(chat.id);
        } else if (!stored) {
            await this.chats.deleteSession(chat.id);
            if (before !== undefined) {
                this.chats.setActiveSession(before);
            }
        }
        return opened;
    }
}
