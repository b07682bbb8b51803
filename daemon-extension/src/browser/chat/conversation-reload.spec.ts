// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { expect } from 'chai';
import { cappedText, DaemonLimits } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { fakeSession } from '../test/fake-backend';
import { samplePermission } from '../test/sample-permission';

const { shown, question, choose } = ChatFixture;

describe('A conversation after a reload of the page', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.dispose());

    const begun = (text?: string): Promise<MutableChatRequestModel> => fixture.begin(text);
    /** The chat as Theia restores it after a reload: every response is finished, data of requests is gone. */
    const reload = (chat: MutableChatModel): MutableChatModel => {
        const data = chat.toSerializable();
        const restored = new MutableChatModel(JSON.parse(JSON.stringify(data)));
        for (const request of restored.getRequests()) {
            const contents = chat.getRequest(request.id)?.response.response.content ?? [];
            request.response.response.addContents(contents);
        }
        return restored;
    };

    let page: ChatFixture;
    afterEach(() => page.connection.dispose());

    it('goes on with a running turn, and asks its permission again', async () => {
        const request = await begun('write it');
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'Writing' });
        const chat = reload(fixture.chat);
        expect(chat.getRequests()[0].response.isComplete).to.equal(true);

        page = new ChatFixture();
        page.backend.session = { ...fakeSession, created: false, runningTurnId: 'turn-1' };
        page.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', requestId: request.id, prompt: 'write it' },
            { kind: 'text', turnId: 'turn-1', text: 'Writing now' },
            { kind: 'permission', turnId: 'turn-1', permission: samplePermission() }
        ];
        await page.conversations.of(chat).open();
        expect(page.backend.opened[0].sessionId).to.equal('session-1');
        expect(chat.getRequests()).to.have.length(1);
        const restored = chat.getRequests()[0];
        expect(restored.response.isComplete).to.equal(false);
        expect(shown(restored)).to.deep.equal(['Writing now', 'question Allow|Reject|Allow All Edits -> ?']);
        expect(page.diffs).to.deep.equal(['open turn-1 call-1']);

        await choose(question(restored), 'Allow');
        expect(page.backend.votes).to.have.length(1);
        page.backend.say(
            { kind: 'permissionClosed', permissionId: 'p1', outcome: 'selected', optionId: 'proceed_once', by: 'this-ide' },
            { kind: 'text', turnId: 'turn-1', text: 'done' },
            { kind: 'end', turnId: 'turn-1', outcome: 'completed' }
        );
        expect(shown(restored).at(-1)).to.equal('done');
        expect(restored.response.isComplete).to.equal(true);
        restored.cancel();
        expect(page.backend.calls).not.to.include('cancel turn-1');
    });

    it('stops a turn that went on, as any other', async () => {
        const request = await begun('write it');
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.session = { ...fakeSession, created: false, runningTurnId: 'turn-1' };
        page.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', requestId: request.id, prompt: 'write it' }];
        await page.conversations.of(chat).open();
        chat.getRequests()[0].cancel();
        await new Promise(resolve => setImmediate(resolve));
        expect(page.backend.calls).to.include('cancel turn-1');
    });

    it('completes a turn that ended meanwhile', async () => {
        await begun('count');
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'one ' });
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'history', prompt: 'count' },
            { kind: 'text', turnId: 'turn-1', text: 'one two three' },
            { kind: 'permission', turnId: 'turn-1', permission: samplePermission() },
            { kind: 'permissionClosed', permissionId: 'p1', outcome: 'selected', optionId: 'proceed_once', by: 'unknown' },
            { kind: 'end', turnId: 'turn-1', outcome: 'completed' }
        ];
        await page.conversations.of(chat).open();
        expect(chat.getRequests()).to.have.length(1);
        expect(shown(chat.getRequests()[0])[0]).to.equal('one two three');
        expect(page.diffs.filter(diff => diff.startsWith('open'))).to.be.empty;
    });

    it('keeps the text that a killed daemon lost, and says that the turn was lost', async () => {
        await begun('count');
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'one two ' });
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'history', prompt: 'count' },
            { kind: 'end', turnId: 'turn-1', outcome: 'lost', problem: { code: 'failed', cause: 'Lost.' } }
        ];
        await page.conversations.of(chat).open();
        expect(shown(chat.getRequests()[0])).to.deep.equal(['one two ', 'problem failed: Lost.']);
    });

    it('recognises its turns by their prompts if the daemon forgot their ids', async () => {
        for (const [turnId, prompt] of [
            ['turn-1', 'same'],
            ['turn-2', 'same'],
            ['turn-3', 'other']
        ]) {
            const request = await fixture.ask(prompt);
            fixture.backend.say(
                { kind: 'turn', turnId, origin: 'own', requestId: request.id, prompt },
                { kind: 'text', turnId, text: `old ${turnId}` },
                { kind: 'end', turnId, outcome: 'completed' }
            );
        }
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.replay = ['same', 'same', 'other'].flatMap((prompt, index) => [
            { kind: 'turn' as const, turnId: `unnamed-${index}`, origin: 'history' as const, prompt },
            { kind: 'text' as const, turnId: `unnamed-${index}`, text: `new ${index}` },
            { kind: 'end' as const, turnId: `unnamed-${index}`, outcome: 'completed' as const }
        ]);
        await page.conversations.of(chat).open();
        expect(chat.getRequests().flatMap(shown)).to.deep.equal(['new 0', 'new 1', 'new 2']);
    });

    it('recognises a prompt that is longer than the part of it that a page gets', async () => {
        const prompt = `fix src/key-bindings.ts ${'x'.repeat(40_000)}`;
        const request = await fixture.ask(prompt);
        fixture.backend.say({ kind: 'turn', turnId: 'turn-1', origin: 'own', requestId: request.id, prompt });
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.replay = [
            { kind: 'turn', turnId: 'unnamed-1', origin: 'history', prompt: cappedText(prompt, DaemonLimits.toolText) },
            { kind: 'text', turnId: 'unnamed-1', text: 'found' },
            { kind: 'end', turnId: 'unnamed-1', outcome: 'completed' }
        ];
        await page.conversations.of(chat).open();
        expect(chat.getRequests().map(shown)).to.deep.equal([['found']]);
    });

    it('finds a turn again that was not stored yet with the chat', async () => {
        const unsent = fixture.request('early');
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', requestId: unsent.id, prompt: 'early' },
            { kind: 'text', turnId: 'turn-1', text: 'here' }
        ];
        await page.conversations.of(chat, 'session-1').open();
        expect(chat.getRequests()).to.have.length(1);
        expect(shown(chat.getRequests()[0])).to.deep.equal(['here']);
    });
});
