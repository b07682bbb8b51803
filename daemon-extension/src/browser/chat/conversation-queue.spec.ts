// SPDX-License-Identifier: Apache-2.0

import { MarkdownChatResponseContentImpl, MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { STATUS_LINE } from './turn-view';

const { shown } = ChatFixture;

describe('A message that waits for the turn that runs', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    const status = ({ response }: MutableChatRequestModel): string | undefined => response.getProgressMessage(STATUS_LINE)?.content;

    it('says how many prompts wait before it', async () => {
        const request = await fixture.ask('later');
        fixture.backend.say({ kind: 'queue', turnIds: ['turn-0', 'turn-1'] });
        expect(status(request)).to.match(/behind 2/);
        fixture.backend.say({ kind: 'queue', turnIds: ['turn-1'] });
        expect(status(request)).to.match(/behind 1/);
        fixture.backend.say({ kind: 'queue', turnIds: [] });
        expect(status(request)).to.match(/working/);
    });

    it('puts the messages that waited at the input again when the user stops, and only then', async () => {
        await fixture.begin();
        const queued: MutableChatRequestModel[] = [];
        for (const [index, text] of ['second', 'third'].entries()) {
            const turnId = `turn-${index + 2}`;
            queued.push(await fixture.ask(text));
            fixture.backend.say({ kind: 'turn', turnId, origin: 'own', prompt: text });
        }
        queued[1].response.cancel();
        fixture.backend.say(
            { kind: 'end', turnId: 'turn-3', outcome: 'removed' },
            { kind: 'end', turnId: 'turn-2', outcome: 'removed' },
            { kind: 'end', turnId: 'turn-1', outcome: 'cancelled' }
        );
        expect(fixture.view.input).to.equal('@Qwen second\n@Qwen third');
    });

    it('puts a message at the input again that could not be given to the daemon, but not one of an earlier page', async () => {
        await fixture.begin();
        const message = await fixture.ask('use tabs');
        const events: SessionEvent[] = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' },
            { kind: 'turn', turnId: 'turn-2', origin: 'own', prompt: 'use tabs' },
            { kind: 'end', turnId: 'turn-2', outcome: 'removed', problem: { code: 'prompt-limit' } }
        ];
        fixture.backend.say(...events);
        expect(fixture.view.input).to.equal('@Qwen use tabs');
        expect(shown(message)[0]).to.match(/^problem prompt-limit/);
        fixture.view.input = '';
        fixture.backend.replay = events;
        await fixture.conversations.find(fixture.chat.id)?.open(true);
        expect(fixture.view.input).to.equal('');
        expect(fixture.chat.getRequests().map(({ id }) => id)).to.deep.equal(['turn-1', 'turn-2']);
    });

    it('gives a message back that waited in a backend that was restarted', async () => {
        await fixture.begin();
        const message = await fixture.ask('and then');
        fixture.backend.say({ kind: 'turn', turnId: 'turn-2', origin: 'own', prompt: 'and then' });
        fixture.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' }];
        await fixture.conversations.find(fixture.chat.id)?.open(true);
        expect(fixture.view.input).to.equal('@Qwen and then');
        expect(shown(message)[0]).to.match(/^problem turn-lost/);
        expect(fixture.chat.getRequests()[0].response.isComplete).to.equal(false);
    });

    for (const [why, openResult] of [
        ['the backend was restarted', { ok: true, value: undefined }],
        ['the trust was taken back', { ok: false, problem: { code: 'untrusted' } }]
    ] as const) {
        it(`gives several back in the order in which they were sent, because ${why}`, async () => {
            await fixture.begin();
            fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'Half an' });
            await fixture.ask('second');
            await fixture.ask('third');
            fixture.backend.openResult = openResult;
            fixture.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' }];
            await fixture.conversations.find(fixture.chat.id)?.open(true);
            expect(fixture.view.input).to.equal('@Qwen second\n@Qwen third');
        });
    }

    it('gives nothing back that others asked, of which a backend that was restarted knows nothing', async () => {
        await fixture.begin();
        fixture.backend.say(
            { kind: 'turn', turnId: 'theirs', origin: 'other', prompt: 'their prompt' },
            { kind: 'turn', turnId: 'unnamed-1', origin: 'qwen', prompt: '' }
        );
        fixture.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' }];
        await fixture.conversations.find(fixture.chat.id)?.open(true);
        expect(fixture.view.input).to.equal('');
    });

    it('is stopped with what runs before it, also while it is on its way', async () => {
        await fixture.begin();
        const { promise, resolve } = new Deferred<void>();
        fixture.lookUp = promise;
        const messages = ['second', 'third'].map(text => {
            const request = fixture.request(text);
            request.message.parts.push(new ParsedChatRequestVariablePart({ start: 6, endExclusive: 20 }, 'file', 'known.ts'));
            return { request, sent: fixture.agent.invoke(request) };
        });
        await new Promise(settled => setImmediate(settled));
        // Theia offers Stop for the newest one only.
        messages[1].request.response.cancel();
        resolve();
        await Promise.all(messages.map(({ sent }) => sent));
        expect(fixture.backend.prompts.map(({ text }) => text)).to.deep.equal(['hello']);
        expect(fixture.backend.calls).to.include('cancel turn-1');
    });

    it('is taken back when it is edited, with what waits behind it: only the new one is sent', async () => {
        const first = await fixture.begin();
        const second = await fixture.ask('second');
        await fixture.ask('third');
        const referencedRequestId = second.id;
        const edited = fixture.chat.addRequest({ ...second.message, request: { ...second.request, referencedRequestId } }, 'Qwen');
        await fixture.agent.invoke(edited);
        expect(fixture.backend.calls.filter(call => call.startsWith('cancel'))).to.deep.equal(['cancel turn-3', 'cancel turn-2']);
        fixture.backend.say({ kind: 'end', turnId: 'turn-3', outcome: 'removed' }, { kind: 'end', turnId: 'turn-2', outcome: 'removed' });
        expect(fixture.view.input).to.equal('');
        expect(first.response.isComplete).to.equal(false);
        expect(fixture.backend.prompts.at(-1)?.requestId).to.equal(edited.id);
    });

    it('stands behind the turn that goes on, after a reload of the page', async () => {
        await fixture.begin('count');
        await fixture.ask('and then');
        const events: SessionEvent[] = [
            { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'count' },
            { kind: 'text', turnId: 'turn-1', text: 'one' },
            { kind: 'turn', turnId: 'turn-2', origin: 'own', prompt: 'and then' },
            { kind: 'queue', turnIds: ['turn-2'] }
        ];
        const page = new ChatFixture();
        const chat = new MutableChatModel(JSON.parse(JSON.stringify(fixture.chat.toSerializable())));
        page.backend.replay = events;
        await page.conversations.of(chat, 'session-1').open();
        const [first, second] = chat.getRequests();
        expect([first, second].map(({ response }) => response.isComplete)).to.deep.equal([false, false]);
        expect(status(second)).to.equal('Queued behind 1 other prompt');
        page.backend.say({ kind: 'end', turnId: 'turn-1', outcome: 'completed' }, { kind: 'text', turnId: 'turn-2', text: 'two' });
        expect(chat.getRequests().map(shown)).to.deep.equal([['one'], ['two']]);
        expect(chat.getRequests().map(({ message }) => message.parts.at(-1)?.text.trim())).to.deep.equal(['count', 'and then']);
        page.connection.disable();
    });

    it('of another agent behind a turn that goes on stays as it is', async () => {
        await fixture.begin('count');
        const other = fixture.chat.addRequest(fixture.request('hi').message, 'Coder');
        other.response.response.addContent(new MarkdownChatResponseContentImpl('Theirs.'));
        const page = new ChatFixture();
        const chat = new MutableChatModel(JSON.parse(JSON.stringify(fixture.chat.toSerializable())));
        const before = chat.getRequests().map(({ id }) => id);
        page.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'count' }];
        await page.conversations.of(chat, 'session-1').open();
        expect(chat.getRequests().map(({ id }) => id)).to.deep.equal(before);
        page.connection.disable();
    });
});
