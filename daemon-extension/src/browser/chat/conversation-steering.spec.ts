// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { expect } from 'chai';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { sampleTool } from '../test/sample-permission';
import { STATUS_LINE } from './turn-view';

const { shown } = ChatFixture;

describe('A message that steers the turn that runs', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    const status = ({ response }: MutableChatRequestModel): string | undefined => response.getProgressMessage(STATUS_LINE)?.content;
    const nextTask = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
    const waits = (request: MutableChatRequestModel): SessionEvent[] => [
        { kind: 'turn', turnId: 'message-1', origin: 'own', requestId: request.id, prompt: 'use tabs' },
        { kind: 'queue', turnIds: ['message-1'], steering: ['message-1'] }
    ];
    const taken: SessionEvent = { kind: 'steered', turnId: 'turn-1', messageId: 'message-1' };
    const asked = async (): Promise<MutableChatRequestModel> => {
        fixture.backend.promptResult = { ok: true, value: { turnId: 'message-1', ahead: 1, steers: true } };
        return fixture.ask('use tabs');
    };
    /** What each message of the chat shows. */
    const chat = (): string[][] => fixture.chat.getRequests().map(shown);

    it('says that it waits for the step, then the answer goes on behind it, and both are complete with the turn', async () => {
        const first = await fixture.begin('write it');
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'Writing.' }, { kind: 'tool', turnId: 'turn-1', tool: sampleTool() });
        const message = await asked();
        expect(status(message)).to.equal('Qwen gets this when its current step is done.');
        fixture.backend.say(...waits(message));
        expect(status(message)).to.equal('Qwen gets this when its current step is done.');
        fixture.backend.say(
            { kind: 'tool', turnId: 'turn-1', tool: sampleTool({ status: 'completed', result: 'done' }) },
            { kind: 'queue', turnIds: [], steering: [] },
            taken,
            { kind: 'text', turnId: 'turn-1', text: 'With tabs now.' }
        );
        expect(chat()).to.deep.equal([
            ['Writing.', 'tool write_file completed: done'],
            ['notice Qwen got this message while it worked.', 'With tabs now.']
        ]);
        expect([first, message].map(({ response }) => response.isComplete)).to.deep.equal([true, false]);
        fixture.backend.say({ kind: 'end', turnId: 'turn-1', outcome: 'completed' });
        expect(message.response.isComplete).to.equal(true);
    });

    it('does not keep Stop from stopping the turn, before and after Qwen took it', async () => {
        await fixture.begin('write it');
        const message = await asked();
        fixture.backend.say(...waits(message), taken);
        message.response.cancel();
        await nextTask();
        expect(fixture.backend.calls.filter(call => call.startsWith('cancel'))).to.include('cancel turn-1');
    });

    it('runs as a turn of its own if the turn ended before', async () => {
        await fixture.begin('write it');
        const message = await asked();
        fixture.backend.say(
            ...waits(message),
            { kind: 'end', turnId: 'turn-1', outcome: 'completed' },
            { kind: 'queue', turnIds: [], steering: [] },
            { kind: 'text', turnId: 'message-1', text: 'Tabs it is.' },
            { kind: 'end', turnId: 'message-1', outcome: 'completed' }
        );
        expect(shown(message)).to.deep.equal(['Tabs it is.']);
        expect(message.response.isComplete).to.equal(true);
    });

    for (const ended of [false, true]) {
        it(`stands where it stood when all is shown again, ${ended ? 'after' : 'before'} the end of the turn`, async () => {
            const first = await fixture.begin('write it');
            const message = await asked();
            const events: SessionEvent[] = [
                { kind: 'text', turnId: 'turn-1', text: 'Writing.' },
                ...waits(message),
                taken,
                { kind: 'text', turnId: 'turn-1', text: 'With tabs now.' },
                ...(ended ? [{ kind: 'end', turnId: 'turn-1', outcome: 'completed' } as const] : [])
            ];
            fixture.backend.say(...events);
            const before = chat();
            fixture.backend.replay = [
                { kind: 'turn', turnId: 'turn-1', origin: 'own', requestId: first.id, prompt: 'write it' },
                ...events
            ];
            await fixture.conversations.find(fixture.chat.id)?.open(true);
            expect(chat()).to.deep.equal(before);
            expect(before[1]).to.deep.equal(['notice Qwen got this message while it worked.', 'With tabs now.']);
        });
    }
});
