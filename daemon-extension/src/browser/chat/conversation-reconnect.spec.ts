// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';

const { shown } = ChatFixture;

describe('A conversation whose page loses the backend', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
    const back = async (): Promise<void> => {
        fixture.backend.closed = false;
        fixture.backend.reconnected.fire();
        await pause();
    };

    it('opens its sessions again when the connection is back', async () => {
        await fixture.ask('hello');
        fixture.backend.say({ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' });
        await back();
        expect(fixture.backend.opened).to.have.length(2);
    });

    for (const [how, lose] of [
        ['breaks the call', () => Promise.reject<never>(new Error('channel closed'))],
        ['swallows the answer', () => new Promise<never>(() => undefined)]
    ] as const) {
        it(`sends a prompt again, as the same request, if the loss ${how}`, async () => {
            await fixture.ask('first');
            const { sendPrompt } = fixture.backend;
            fixture.backend.sendPrompt = async (session, prompt) => {
                await sendPrompt.call(fixture.backend, session, prompt);
                fixture.backend.closed = true;
                return lose();
            };
            const sending = fixture.ask('second');
            await pause();
            fixture.backend.sendPrompt = sendPrompt;
            await back();
            const request = await sending;
            expect(fixture.backend.prompts.map(({ text }) => text)).to.deep.equal(['first', 'second', 'second']);
            expect(fixture.backend.prompts[2].requestId).to.equal(fixture.backend.prompts[1].requestId);
            expect(fixture.backend.opened.length, 'opened again before').to.be.greaterThan(1);
            expect([shown(request), request.response.isError]).to.deep.equal([[], false]);
        });
    }

    it('[F11] does not send a prompt again that the session has, of a backend that was restarted', async () => {
        const { sendPrompt } = fixture.backend;
        fixture.backend.sendPrompt = async (session, prompt) => {
            await sendPrompt.call(fixture.backend, session, prompt);
            fixture.backend.closed = true;
            return new Promise<never>(() => undefined);
        };
        const sending = fixture.ask('delete it');
        await pause();
        fixture.backend.sendPrompt = sendPrompt;
        // The restarted backend knows no request.
        fixture.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'delete it' }];
        await back();
        const request = await sending;
        expect(fixture.backend.prompts.map(({ text }) => text)).to.deep.equal(['delete it']);
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'Deleted.' });
        expect(shown(request)).to.deep.equal(['Deleted.']);
    });

    it('keeps what it said beside the turn when the turn is built anew, because the session was loaded again', async () => {
        const asked = fixture.request('look');
        asked.message.parts.push(new ParsedChatRequestVariablePart({ start: 6, endExclusive: 20 }, 'file', 'gone.ts'));
        await fixture.agent.invoke(asked);
        fixture.backend.say(
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'look' },
            { kind: 'text', turnId: 'turn-1', text: 'one ' },
            { kind: 'turn', turnId: 'unnamed-1', origin: 'qwen', prompt: '' }
        );
        const told = fixture.chat.getRequests().map(request => shown(request).filter(text => text.startsWith('notice')));
        expect(told.map(notices => notices.length)).to.deep.equal([1, 1]);
        fixture.backend.page?.notifyEvents(
            fixture.backend.batch(
                [
                    { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'look' },
                    { kind: 'text', turnId: 'turn-1', text: 'one two' },
                    { kind: 'turn', turnId: 'unnamed-1', origin: 'qwen', prompt: '' }
                ],
                true
            )
        );
        expect(fixture.chat.getRequests().map(request => shown(request).filter(text => text.startsWith('notice')))).to.deep.equal(told);
        expect(shown(asked).at(-1)).to.equal('one two');
    });

    it('opens a session again if the connection was lost before the answer', async () => {
        const { openSession } = fixture.backend;
        fixture.backend.openSession = () => new Promise(() => undefined);
        const sending = fixture.ask('hello');
        await pause();
        fixture.backend.openSession = openSession;
        await back();
        expect((await sending).response.isError).to.equal(false);
        expect(fixture.backend.prompts.map(({ text }) => text)).to.deep.equal(['hello']);
    });

    it('does not send again what the backend refused', async () => {
        fixture.backend.sendPrompt = async (_session, prompt) => {
            fixture.backend.prompts.push(prompt);
            throw new Error('too long');
        };
        const request = await fixture.ask('hello');
        expect(shown(request)).to.deep.equal(['problem failed: too long']);
        expect(fixture.backend.prompts).to.have.length(1);
    });

    it('says with the next message why its session cannot be opened in another workspace', async () => {
        await fixture.ask('here');
        fixture.workspace.roots = ['file:///work/other'];
        fixture.backend.openResult = { ok: false, problem: { code: 'session-gone' } };
        await fixture.connection.followWorkspace();
        await pause();
        const request: MutableChatRequestModel = await fixture.ask('there');
        expect(shown(request)).to.deep.equal(['problem session-gone: The daemon no longer knows this session. Start a new chat.']);
        expect(fixture.backend.prompts.map(({ text }) => text)).to.deep.equal(['here']);
    });

    it('keeps its session if a root was added behind the first', async () => {
        await fixture.ask('here');
        fixture.workspace.roots = [...fixture.workspace.roots, 'file:///work/other'];
        await fixture.connection.followWorkspace();
        await pause();
        expect(fixture.backend.opened).to.have.length(1);
    });
});
