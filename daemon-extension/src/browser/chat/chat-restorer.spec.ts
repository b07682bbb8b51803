// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation } from '@theia/ai-chat/lib/common';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { ChatService, ChatSession } from '@theia/ai-chat/lib/common/chat-service';
import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { fakeSession } from '../test/fake-backend';
import { samplePermission } from '../test/sample-permission';
import { ChatRestorer, PageMemory } from './chat-restorer';
import { ChatView } from './conversation-page';

/** What of Theia's chat service the restorer uses. */
class FakeChats {
    readonly events = new Emitter<{ type: 'activeChange'; sessionId: string | undefined }>();
    readonly onSessionEvent = this.events.event;
    readonly stored = new Map<string, MutableChatModel>();
    readonly sessions: ChatSession[] = [];

    constructor() {
        this.createSession();
    }

    createSession(): ChatSession {
        return this.add(new MutableChatModel(ChatAgentLocation.Panel));
    }

    async getOrRestoreSession(id: string): Promise<ChatSession | undefined> {
        const model = this.stored.get(id);
        return model && this.add(model, false);
    }

    getActiveSession(): ChatSession | undefined {
        return this.sessions.find(({ isActive }) => isActive);
    }

    setActiveSession(id: string): void {
        this.sessions.forEach(session => (session.isActive = session.id === id));
        this.events.fire({ type: 'activeChange', sessionId: id });
    }

    add(model: MutableChatModel, active = true): ChatSession {
        const session: ChatSession = { id: model.id, model, isActive: false };
        this.sessions.push(session);
        if (active) {
            this.setActiveSession(session.id);
        }
        return session;
    }
}

describe('ChatRestorer', () => {
    let fixture: ChatFixture;
    let chats: FakeChats;
    let memory: string | undefined;

    const restorer = (): ChatRestorer => {
        const container = fixture.container.createChild();
        container.bind(ChatService).toConstantValue(chats as unknown as ChatService);
        container.bind<PageMemory>(PageMemory).toConstantValue({
            getItem: () => memory ?? null,
            setItem: (_key, value) => (memory = value),
            removeItem: () => (memory = undefined)
        });
        container.bind<ChatView>(ChatView).toConstantValue(fixture.view);
        container.bind(ChatRestorer).toSelf();
        return container.get(ChatRestorer);
    };
    const remember = (): void => {
        memory = JSON.stringify([{ chatSessionId: fixture.chat.id, isShown: true, sessionId: fakeSession.sessionId }]);
    };

    beforeEach(() => {
        fixture = new ChatFixture();
        chats = new FakeChats();
        memory = undefined;
    });
    afterEach(() => fixture.connection.disable());

    it('brings the chat back, and opens its session', async () => {
        chats.stored.set(fixture.chat.id, fixture.chat);
        remember();
        await restorer().restore();
        expect(chats.getActiveSession()?.id).to.equal(fixture.chat.id);
        expect(chats.getActiveSession()?.pinnedAgent?.id).to.equal('Qwen');
        expect(fixture.backend.opened.map(({ sessionId }) => sessionId)).to.deep.equal(['session-1']);
    });

    it('opens the session of an earlier chat that the user shows, if the daemon is connected', async () => {
        await fixture.ask('hello');
        fixture.backend.say({ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' });
        fixture.conversations.forget(fixture.chat.id);
        fixture.backend.opened.length = 0;
        await restorer().restore();
        const earlier = chats.add(fixture.chat, false);
        earlier.pinnedAgent = fixture.agent;
        chats.setActiveSession(earlier.id);
        expect(fixture.backend.opened).to.be.empty;
        await fixture.connection.connectNow();
        chats.setActiveSession(earlier.id);
        await new Promise(resolve => setImmediate(resolve));
        expect(fixture.backend.opened.map(({ sessionId }) => sessionId)).to.deep.equal(['session-1']);
    });

    it('shows a running turn also if Theia had not stored its chat yet', async () => {
        remember();
        fixture.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' },
            { kind: 'text', turnId: 'turn-1', text: 'Hi' }
        ];
        await restorer().restore();
        const [request] = (chats.getActiveSession()?.model as MutableChatModel).getRequests();
        expect(ChatFixture.shown(request)).to.deep.equal(['Hi']);
        request.response.cancel();
        await new Promise(resolve => setImmediate(resolve));
        expect(fixture.backend.calls).to.include('cancel turn-1');
    });

    it('remembers the chat that is shown', async () => {
        await restorer().restore();
        const active = chats.getActiveSession()?.model as MutableChatModel;
        await fixture.agent.invoke(fixture.request('hello', 'default', active));
        expect(JSON.parse(memory ?? '')).to.deep.equal([{ chatSessionId: active.id, isShown: true, sessionId: 'session-1', unsent: [] }]);
        fixture.backend.say({ kind: 'end', turnId: 'turn-1', outcome: 'completed' });
        chats.createSession();
        expect(memory).to.equal(undefined);
    });

    it('brings back all that runs: also what waits for the user in a chat that is not shown', async () => {
        await restorer().restore();
        const earlier = chats.getActiveSession()!;
        await fixture.agent.invoke(fixture.request('hello', 'default', earlier.model as MutableChatModel));
        const asked: SessionEvent[] = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' },
            { kind: 'permission', turnId: 'turn-1', permission: samplePermission() }
        ];
        fixture.backend.say(...asked);
        chats.createSession();
        const left = memory;
        fixture.connection.disable();

        // The next page.
        chats = new FakeChats();
        chats.stored.set(earlier.id, earlier.model as MutableChatModel);
        const begun = chats.getActiveSession()?.id;
        fixture = new ChatFixture();
        memory = left;
        fixture.backend.replay = asked;
        await restorer().restore();
        expect(fixture.conversations.waiting.map(({ chatSessionId }) => chatSessionId)).to.deep.equal([earlier.id]);
        expect(chats.getActiveSession()?.id).to.equal(begun);
    });

    it('says of a message that was on its way, before there was a session, that it was not answered; it can be sent again', async () => {
        await restorer().restore();
        const active = chats.getActiveSession()?.model as MutableChatModel;
        fixture.connection.disable();
        const opened = new Promise<never>(() => undefined);
        fixture.backend.openSession = () => opened;
        fixture.connection.enable();
        void fixture.agent.invoke(fixture.request('hello', 'default', active));
        await new Promise(resolve => setImmediate(resolve));
        const left = memory ?? '';

        // The next page.
        const next = new ChatFixture();
        try {
            chats = new FakeChats();
            chats.stored.set(active.id, active);
            fixture = next;
            memory = left;
            await restorer().restore();
            expect(chats.getActiveSession()?.id).to.equal(active.id);
            expect(ChatFixture.shown(active.getRequests()[0]).join()).to.match(/^problem no-answer/);
            expect(next.backend.opened, 'a daemon that was started by that').to.be.empty;
            chats = new FakeChats();
            memory = left;
            await restorer().restore();
            expect(next.view.input, 'Theia had not stored the chat').to.equal('@Qwen hello');
        } finally {
            next.connection.disable();
        }
    });

    it('does not say it of a message whose turn the session has', async () => {
        chats.stored.set(fixture.chat.id, fixture.chat);
        const request = await fixture.ask('hello');
        fixture.conversations.forget(fixture.chat.id);
        const unsent = [{ id: request.id, text: '@Qwen hello' }];
        memory = JSON.stringify([{ chatSessionId: fixture.chat.id, isShown: true, sessionId: 'session-1', unsent }]);
        fixture.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' }];
        await restorer().restore();
        expect(ChatFixture.shown(fixture.chat.getRequests()[0])).to.be.empty;
        expect(fixture.view.input).to.equal('');
    });

    it('ignores a memory that is damaged', async () => {
        for (const damaged of ['{', 'null', '{}', '[7]', '[{"chatSessionId":7}]']) {
            memory = damaged;
            await restorer().restore();
            expect(chats.sessions).to.have.length(1);
        }
    });
});
