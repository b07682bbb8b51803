// SPDX-License-Identifier: Apache-2.0

import { ChatAgentLocation, ChatAgentService, ChatService, ChatSession } from '@theia/ai-chat/lib/common';
import { ChatModel, MutableChatModel } from '@theia/ai-chat/lib/common/chat-model';
import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import { IdeContextFile } from 'theia-cli-companion/lib/common';
import { ChatFixture } from '../test/chat-fixture';
import { EditorChip, CompanionContext } from './editor-chip';

describe('What goes along with a message', () => {
    let fixture: ChatFixture;
    let chip: EditorChip;
    let file: IdeContextFile | undefined;
    let session: ChatSession;
    const moved = new Emitter<void>();

    beforeEach(() => {
        fixture = new ChatFixture();
        const { container, agent, chat } = fixture;
        fixture.connection.disable();
        session = { id: chat.id, model: chat, isActive: true, pinnedAgent: agent };
        container.bind(ChatService).toConstantValue({
            getActiveSession: () => session,
            getSessions: () => [session],
            onSessionEvent: new Emitter().event
        } as unknown as ChatService);
        container.bind(ChatAgentService).toConstantValue({
            getEffectiveDefaultAgent: () => undefined,
            onDefaultAgentChanged: new Emitter().event
        } as unknown as ChatAgentService);
        container.bind<CompanionContext>(CompanionContext).toConstantValue(() => ({
            onDidChange: moved.event,
            shared: { workspaceState: { openFiles: file ? [file] : [] } }
        }));
        container.bind(EditorChip).toSelf();
        chip = container.get(EditorChip);
        chip.onStart();
        file = undefined;
    });
    afterEach(() => fixture.connection.disable());

    const chips = (chat: ChatModel = fixture.chat): unknown[] => chat.context.getVariables().map(variable => chip.getName(variable));
    const look = (name: string, line: number, selected: Pick<IdeContextFile, 'selectedText' | 'selection'> = {}): void => {
        file = { path: `/work/project/${name}`, timestamp: 1, isActive: true, cursor: { line, character: 1 }, ...selected };
        moved.fire();
    };
    const enable = async (): Promise<void> => {
        fixture.connection.enable();
        await fixture.connection.ready;
    };

    it('is one chip at the input of a chat with Qwen: the file, and the line or what is selected', async () => {
        look('cart.js', 6);
        await enable();
        expect(chips()).to.deep.equal(['cart.js:6']);
        const selection = { start: { line: 6, character: 1 }, end: { line: 8, character: 9 } };
        look('cart.js', 8, { selectedText: 'const a;\n\nconst b;', selection });
        expect(chips()).to.deep.equal(['cart.js:6-8']);
        expect(chip.contextFor(fixture.chat)).to.deep.equal({
            path: '/work/project/cart.js',
            cursor: { line: 8, character: 1 },
            selectedText: 'const a;\n\nconst b;'
        });
    });

    it('is left out for as long as the user is at the file whose chip they have taken away', async () => {
        await enable();
        look('cart.js', 6);
        fixture.chat.context.deleteVariables(0);
        expect(chip.contextFor(fixture.chat)).to.equal(undefined);
        look('cart.js', 7);
        expect(chips()).to.be.empty;
        expect(chip.contextFor(fixture.chat)).to.equal(undefined);
        look('test/cart.js', 7);
        expect(chips()).to.deep.equal(['cart.js:7']);
        expect(chip.contextFor(fixture.chat)?.path).to.equal('/work/project/test/cart.js');
        look('src/cart.js', 7);
        fixture.chat.context.deleteVariables(0);
        expect(chip.contextFor(fixture.chat), 'of equal names').to.equal(undefined);
    });

    it('is not shown where another agent answers, nor what is not shared, nor while it is off', async () => {
        await enable();
        session.pinnedAgent = undefined;
        look('cart.js', 6);
        expect(chips()).to.be.empty;
        session.pinnedAgent = fixture.agent;
        moved.fire();
        expect(chips()).to.have.length(1);
        file = undefined;
        moved.fire();
        expect([chips(), chip.contextFor(fixture.chat)]).to.deep.equal([[], undefined]);
        look('cart.js', 6);
        fixture.connection.disable();
        expect(chips()).to.be.empty;
        look('cart.js', 7);
        expect(chips()).to.be.empty;
    });

    it('does not touch what the user attached', async () => {
        await enable();
        const attached = { variable: { id: 'file', name: 'file', description: '' }, arg: 'a.txt' };
        fixture.chat.context.addVariables(attached);
        look('cart.js', 6);
        look('cart.js', 7);
        expect(fixture.chat.context.getVariables()[0]).to.equal(attached);
        expect(chips(new MutableChatModel(ChatAgentLocation.Panel))).to.be.empty;
    });
});
