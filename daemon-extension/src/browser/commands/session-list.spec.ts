// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChatAgentLocation, ChatService } from '@theia/ai-chat/lib/common';
import { MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { MessageService } from '@theia/core/lib/common/message-service';
import { Emitter } from '@theia/core/lib/common/event';
import { QuickInputService, QuickPickSeparator } from '@theia/core/lib/common/quick-pick-service';
import { SessionSummary } from '../../common/qwen-daemon-protocol';
import { ChatView } from '../chat/chat-view';
import { ChatFixture } from '../test/chat-fixture';
import { SessionItem, sessionItems, sessionTitle } from './session-items';
import { SessionList } from './session-list';

const now = new Date(2026, 10, 22, 18, 30);
function session(title: string, updatedAt: Date, more: Partial<SessionSummary> = {}): SessionSummary {
    return { sessionId: `id of ${title}`, title, updatedAt: updatedAt.getTime(), active: false, ...more };
}

describe('The list of earlier sessions', () => {
    it('tells sessions apart by title and date, in groups of days, also to a screen reader', () => {
        const items = sessionItems(
            [
                session('Fix the parser\nand more', new Date(2026, 10, 22, 9, 5), { active: true }),
                session('', new Date(2026, 10, 21, 23, 59)),
                session('Tests', new Date(2026, 10, 17)),
                session('Old', new Date(2025, 0, 1))
            ],
            sessionId => sessionId === 'id of Tests',
            now
        );
        expect(items.map(item => ('type' in item && item.type === 'separator' ? `-- ${item.label}` : item.label))).to.deep.equal([
            '-- Today',
            'Fix the parser',
            '-- Yesterday',
            'Without a title',
            '-- In the last 7 days',
            'Tests',
            '-- Older',
            'Old'
        ]);
        const [, first, , , , tests] = items as SessionItem[];
        expect(first.description).to.contain('2026').and.to.match(/9:05/);
        expect(first.ariaLabel).to.equal(`Fix the parser, ${first.description}, Running`);
        expect(tests.detail).to.equal('Open in a chat of this window');
    });

    it('makes no icon of a title', () => {
        expect(sessionTitle({ title: '$(error) all' })).not.to.contain('$(error)');
    });

    describe('as a person uses it', () => {
        let fixture: ChatFixture;
        let pick: FakePick;
        let chats: FakeChats;
        let list: SessionList;
        const errors: string[] = [];

        beforeEach(() => {
            fixture = new ChatFixture();
            chats = new FakeChats(fixture.chat);
            errors.length = 0;
            const { container } = fixture;
            container.bind(ChatService).toConstantValue(chats as unknown as ChatService);
            container.bind(QuickInputService).toConstantValue({
                createQuickPick: () => (pick = new FakePick()),
                input: async () => ' Parser '
            } as unknown as QuickInputService);
            container.bind(MessageService).toConstantValue({ error: (text: string) => errors.push(text) } as unknown as MessageService);
            container.bind<ChatView>(ChatView).toConstantValue(fixture.view);
            container.bind(SessionList).toSelf();
            list = container.get(SessionList);
        });

        const listed = (): SessionItem[] => pick.items.filter((item): item is SessionItem => item.type !== 'separator');
        const labels = (): string[] => listed().map(({ label }) => label);
        const choose = (label: string): Promise<void> => pick.choose(label);

        it('is there at once, and says so where there is none', async () => {
            const shown = list.show();
            expect(pick).to.include({ isShown: true, busy: true, placeholder: 'Looking for earlier sessions…' });
            await shown;
            expect(pick.busy).to.equal(false);
            expect(labels()).to.deep.equal(['Qwen has no earlier sessions of this workspace.']);
        });

        it('opens the chosen one in a chat of its own, with its history and title', async () => {
            fixture.backend.sessions = { ok: true, value: [session('Fix the parser', now)] };
            fixture.backend.session = { ...fixture.backend.session, created: false };
            fixture.backend.replay = [
                { kind: 'turn', turnId: 'turn-9', origin: 'history', prompt: 'Fix the parser' },
                { kind: 'text', turnId: 'turn-9', text: 'Done.' },
                { kind: 'end', turnId: 'turn-9', outcome: 'completed' }
            ];
            await list.show();
            await choose('Fix the parser');
            expect(pick.isShown).to.equal(false);
            const [, opened] = chats.all;
            expect(chats.active).to.equal(opened.id);
            expect(chats.titles).to.deep.equal(['Fix the parser']);
            expect(opened.model.getRequests().map(request => ChatFixture.shown(request))).to.deep.equal([['Done.']]);
        });

        it('has the names that the user gave, and lets the user give one', async () => {
            chats.stored = { stored: { title: 'My parser' } };
            fixture.backend.sessions = {
                ok: true,
                value: [session('Fix the parser', now, { chatSessionId: 'stored' }), session('From a terminal', now)]
            };
            await list.show();
            expect(labels()).to.deep.equal(['My parser', 'From a terminal']);
            expect(listed().map(({ buttons }) => buttons?.map(({ tooltip }) => tooltip))).to.deep.equal([['Rename'], undefined]);
            await pick.trigger({ item: listed()[0] });
            expect(chats.titles).to.deep.equal(['Parser']);
        });

        it('says why one cannot be opened, leaves no empty chat behind, and goes back to the list', async () => {
            fixture.backend.sessions = { ok: true, value: [session('Gone', now)] };
            fixture.backend.openResult = { ok: false, problem: { code: 'session-gone' } };
            await list.show();
            await choose('Gone');
            expect(labels()).to.deep.equal(['The daemon no longer knows this session.', 'Show the list again']);
            expect(chats.all).to.have.length(1);
            expect(chats.active).to.equal(fixture.chat.id);
            await choose('Show the list again');
            expect(labels()).to.deep.equal(['Gone']);
            expect(errors).to.deep.equal([]);
        });

        it('says why there is no list, and asks again', async () => {
            fixture.backend.sessions = { ok: false, problem: { code: 'not-running', host: '127.0.0.1:4170' } };
            await list.show();
            expect(listed()[0]).to.deep.include({ label: 'No daemon answers at 127.0.0.1:4170.' });
            expect(listed()[0].detail).to.contain('qwen serve');
            fixture.backend.sessions = { ok: true, value: [session('Back', now)] };
            await choose('Show the list again');
            expect(labels()).to.deep.equal(['Back']);
        });
    });
});

/** What the list uses of Theia's quick pick. */
class FakePick {
    title = '';
    placeholder = '';
    value = '';
    busy = false;
    matchOnDescription = false;
    isShown = false;
    items: (SessionItem | QuickPickSeparator)[] = [];
    selectedItems: SessionItem[] = [];
    protected readonly hidden = new Emitter<void>();
    readonly onDidHide = this.hidden.event;
    protected accept: () => Promise<void> = async () => undefined;
    trigger: (event: { item: SessionItem }) => Promise<void> = async () => undefined;

    onDidTriggerItemButton(trigger: (event: { item: SessionItem }) => Promise<void>): void {
        this.trigger = trigger;
    }

    onDidAccept(accept: () => Promise<void>): void {
        this.accept = accept;
    }

    show(): void {
        this.isShown = true;
    }

    hide(): void {
        this.isShown = false;
        this.hidden.fire();
    }

    dispose(): void {
        this.hidden.dispose();
    }

    choose(label: string): Promise<void> {
        this.selectedItems = this.items.filter((item): item is SessionItem => item.label === label);
        return this.accept();
    }
}

/** What the list uses of Theia's chats. */
class FakeChats {
    all: { id: string; model: MutableChatModel }[];
    active: string;
    readonly titles: string[] = [];
    stored: Record<string, { title: string }> = {};

    constructor(first: MutableChatModel) {
        this.all = [{ id: first.id, model: first }];
        this.active = first.id;
    }

    getSessions(): { id: string }[] {
        return this.all;
    }

    getSession(sought: string): { id: string; title?: string } | undefined {
        return this.all.find(({ id }) => id === sought);
    }

    async getPersistedSessions(): Promise<Record<string, { title: string }>> {
        return this.stored;
    }

    getActiveSession(): { id: string } | undefined {
        return this.all.find(({ id }) => id === this.active);
    }

    createSession(): { id: string; model: MutableChatModel } {
        const model = new MutableChatModel(ChatAgentLocation.Panel);
        this.all = [...this.all, { id: model.id, model }];
        this.active = model.id;
        return { id: model.id, model };
    }

    async deleteSession(deleted: string): Promise<void> {
        this.all = this.all.filter(({ id }) => id !== deleted);
    }

    setActiveSession(id: string): void {
        this.active = id;
    }

    async renameSession(_id: string, title: string): Promise<void> {
        this.titles.push(title);
    }
}
