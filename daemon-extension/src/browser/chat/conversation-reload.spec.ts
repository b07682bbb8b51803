// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';
import { fakeSession } from '../test/fake-backend';
import { samplePermission, sampleTool } from '../test/sample-permission';

const { shown, question, choose } = ChatFixture;
const problemOf = (code: string): string => `problem ${code}: The session was closed, or the daemon's agent process ended`;

describe('A conversation after a reload of the page', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

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
    afterEach(() => page.connection.disable());

    it('goes on with a running turn, and asks its permission again', async () => {
        await begun('write it');
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'Writing' });
        const chat = reload(fixture.chat);
        expect(chat.getRequests()[0].response.isComplete).to.equal(true);

        page = new ChatFixture();
        page.backend.session = { ...fakeSession };
        page.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'write it' },
            { kind: 'text', turnId: 'turn-1', text: 'Writing now' },
            { kind: 'permission', turnId: 'turn-1', permission: samplePermission() }
        ];
        await page.conversations.of(chat).open();
        expect(page.backend.opened[0].sessionId).to.equal('session-1');
        expect(chat.getRequests()).to.have.length(1);
        const restored = chat.getRequests()[0];
        expect(restored.response.isComplete).to.equal(false);
        expect(restored.response.languageModel).to.equal('Fake A');
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
        restored.response.cancel();
        expect(page.backend.calls).not.to.include('cancel turn-1');
    });

    it('stops a turn that went on, as any other', async () => {
        await begun('write it');
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.session = { ...fakeSession };
        page.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'write it' }];
        await page.conversations.of(chat).open();
        chat.getRequests()[0].response.cancel();
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

    it('says no more of a turn that the user stopped, whatever the daemon knows of it later', async () => {
        const request = await fixture.begin();
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'One' });
        request.response.cancel();
        fixture.backend.say({ kind: 'end', turnId: 'turn-1', outcome: 'lost', problem: { code: 'session-died' } });
        expect(ChatFixture.shown(request)).to.deep.equal(['One']);
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

    it('keeps a partial answer, with one error, after the session was loaded again for an agent process that ended', async () => {
        const request = await begun('count');
        fixture.backend.say(
            { kind: 'text', turnId: 'turn-1', text: 'one two ' },
            { kind: 'end', turnId: 'turn-1', outcome: 'lost', problem: { code: 'session-died' } },
            { kind: 'session', state: 'lost', problem: { code: 'session-died' } }
        );
        const told = ['one two ', problemOf('session-died')];
        expect(shown(request).map(part => part.split('.')[0])).to.deep.equal(told);
        fixture.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'count' },
            { kind: 'end', turnId: 'turn-1', outcome: 'error', problem: { code: 'model-failed', cause: '' } }
        ];
        await fixture.conversations.find(fixture.chat.id)?.open(true);
        expect(
            fixture.chat
                .getRequests()
                .map(shown)
                .flat()
                .map(part => part.split('.')[0])
        ).to.deep.equal(told);

        page = new ChatFixture();
        page.backend.replay = fixture.backend.replay;
        const chat = reload(fixture.chat);
        await page.conversations.of(chat).open();
        expect(
            chat
                .getRequests()
                .map(shown)
                .flat()
                .map(part => part.split('.')[0])
        ).to.deep.equal(told);
    });

    it('goes on with a turn that was thought lost', async () => {
        await begun('count');
        fixture.backend.say(
            { kind: 'text', turnId: 'turn-1', text: 'one two ' },
            { kind: 'end', turnId: 'turn-1', outcome: 'lost', problem: { code: 'session-died' } }
        );
        page = fixture;
        fixture.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'count' },
            { kind: 'text', turnId: 'turn-1', text: 'one two ' }
        ];
        await new Promise(resolve => setTimeout(resolve));
        await fixture.conversations.find(fixture.chat.id)?.open(true);
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'three' });
        const [running] = fixture.chat.getRequests();
        expect(shown(running)).to.deep.equal(['one two three']);
        expect(running.response.isComplete).to.equal(false);
    });

    it('shows the rest of a turn that was thought lost and has ended meanwhile, and its files', async () => {
        await begun('count');
        fixture.backend.say(
            { kind: 'text', turnId: 'turn-1', text: 'one ' },
            { kind: 'end', turnId: 'turn-1', outcome: 'lost', problem: { code: 'daemon-lost' } }
        );
        page = fixture;
        const tool = sampleTool({ status: 'completed', result: 'done' });
        fixture.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'count' },
            { kind: 'text', turnId: 'turn-1', text: 'one two three' },
            { kind: 'tool', turnId: 'turn-1', tool },
            { kind: 'end', turnId: 'turn-1', outcome: 'completed' }
        ];
        await new Promise(resolve => setTimeout(resolve));
        await fixture.conversations.find(fixture.chat.id)?.open(true);
        const [ended] = fixture.chat.getRequests();
        expect(shown(ended)[0]).to.equal('one two three');
        expect(shown(ended)).to.have.length(2);
        expect([ended.response.isComplete, ended.response.isError]).to.deep.equal([true, false]);
    });

    it('keeps the answers that the log of a long session no longer names', async () => {
        await begun('count');
        fixture.backend.say(
            { kind: 'text', turnId: 'turn-1', text: 'one two three' },
            { kind: 'end', turnId: 'turn-1', outcome: 'completed' }
        );
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.replay = [
            { kind: 'notice', notice: { code: 'history-shortened' } },
            { kind: 'turn', turnId: 'turn-2', origin: 'own', prompt: 'and then' },
            { kind: 'text', turnId: 'turn-2', text: 'four' }
        ];
        await page.conversations.of(chat).open();
        expect(chat.getRequests().map(shown)).to.deep.equal([['one two three'], ['four']]);
        expect(chat.getRequests().map(({ response }) => response.isComplete)).to.deep.equal([true, false]);
    });

    it('shows again where it was asked a turn that was edited since, and that Qwen could not forget', async () => {
        await begun('count');
        const [first] = fixture.chat.getRequests();
        fixture.chat.addRequest({ ...first.message, request: { ...first.request, referencedRequestId: first.id } }, 'Qwen');
        page = fixture;
        fixture.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'count' },
            { kind: 'text', turnId: 'turn-1', text: 'one' },
            { kind: 'end', turnId: 'turn-1', outcome: 'completed' }
        ];
        await fixture.conversations.find(fixture.chat.id)?.open(true);
        expect(shown(first)).to.deep.equal(['one']);
        expect(fixture.chat.getRequests()).to.have.length(1);
    });

    it('does not stop a turn of another client that runs when the session is opened', async () => {
        page = new ChatFixture();
        page.backend.replay = [{ kind: 'turn', turnId: 'theirs', origin: 'history', prompt: 'x' }];
        await page.conversations.of(page.chat, 'session-1').open();
        page.conversations.forget(page.chat.id);
        await new Promise(resolve => setImmediate(resolve));
        expect(page.backend.calls.filter(call => call.startsWith('cancel'))).to.be.empty;
    });

    it('keeps an answered permission, of which a loaded session knows nothing, behind its tool call', async () => {
        const request = await begun('write it');
        const tool = sampleTool({ status: 'completed', result: 'done' });
        const text = { kind: 'text', turnId: 'turn-1', text: 'Written.' } as const;
        const end = { kind: 'end', turnId: 'turn-1', outcome: 'completed' } as const;
        fixture.backend.say(
            { kind: 'tool', turnId: 'turn-1', tool: sampleTool() },
            { kind: 'permission', turnId: 'turn-1', permission: samplePermission() },
            { kind: 'permissionClosed', permissionId: 'p1', outcome: 'selected', optionId: 'proceed_once', by: 'this-ide' },
            { kind: 'tool', turnId: 'turn-1', tool },
            text,
            end
        );
        const told = shown(request);
        expect(told[1]).to.equal('question Allow|Reject|Allow All Edits -> Allow');
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'history', prompt: 'write it' },
            { kind: 'tool', turnId: 'turn-1', tool },
            text,
            end
        ];
        await page.conversations.of(chat).open();
        expect(shown(chat.getRequests()[0])).to.deep.equal(told);
    });

    it('finds a turn again that was not stored yet with the chat', async () => {
        fixture.request('early');
        const chat = reload(fixture.chat);
        page = new ChatFixture();
        page.backend.replay = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'early' },
            { kind: 'text', turnId: 'turn-1', text: 'here' }
        ];
        await page.conversations.of(chat, 'session-1').open();
        expect(chat.getRequests()).to.have.length(1);
        expect(shown(chat.getRequests()[0])).to.deep.equal(['here']);
    });
});
