// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { expect } from 'chai';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { fakeSession } from '../test/fake-backend';

const { shown } = ChatFixture;

describe('The approval mode of a conversation', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    /** The modes with which the messages were sent. */
    const sent = (): unknown[] => fixture.backend.prompts.map(({ modeId }) => modeId);
    const warnings = (request: MutableChatRequestModel): string[] => shown(request).filter(text => text.startsWith('notice Warning'));
    const loosened: SessionEvent = { kind: 'mode', modeId: 'yolo', chosenModeId: 'default', looser: true };
    const turn = (turnId: string): SessionEvent => ({ kind: 'turn', turnId, origin: 'own', prompt: '' });

    it('goes with every message, as it is at the input', async () => {
        await fixture.ask('one', 'plan');
        await fixture.ask('two', 'plan');
        await fixture.ask('three', 'default');
        expect(fixture.backend.opened.map(({ chatSessionId }) => chatSessionId)).to.deep.equal([fixture.chat.id]);
        expect(sent()).to.deep.equal(['plan', 'plan', 'default']);
    });

    it('the approval mode of a conversation is confirmed once if Qwen asks nothing in it', async () => {
        await fixture.ask('one', 'yolo');
        await fixture.ask('two', 'yolo');
        expect([fixture.asked, ...sent()]).to.deep.equal([1, 'yolo', 'yolo']);
        await fixture.ask('three', 'default');
        await fixture.conversations.of(fixture.chat).setMode('yolo');
        expect(fixture.asked, 'it was chosen again').to.equal(2);
    });

    it('the approval mode of a conversation is not taken if the user does not confirm that Qwen asks nothing: the message is at the input again', async () => {
        fixture.neverAsking = false;
        const request = await fixture.ask('rm -rf build', 'yolo');
        expect(fixture.backend.prompts).to.be.empty;
        expect(request.response.isCanceled).to.equal(true);
        expect([fixture.view.input, fixture.view.mode]).to.deep.equal(['@Qwen rm -rf build', 'default']);
        await fixture.conversations.of(fixture.chat).setMode('yolo');
        expect(fixture.backend.calls).not.to.include('mode yolo');
        expect([fixture.asked, fixture.view.mode]).to.deep.equal([2, 'default']);
    });

    it('the approval mode of a conversation is said in the chat once if another client makes it looser, and the next message has the mode at the input', async () => {
        const request = await fixture.ask('hello');
        fixture.backend.say(turn(request.id), loosened, loosened);
        expect(warnings(request)).to.have.length(1);
        expect(warnings(request)[0]).to.match(/Never ask/);
        expect(fixture.view.mode, 'that of the other client').not.to.equal('yolo');
        await fixture.ask('more', 'default');
        expect(sent().at(-1)).to.equal('default');
    });

    it('the approval mode of a conversation is said also if nothing was asked in the chat yet', async () => {
        await fixture.conversations.of(fixture.chat).open();
        fixture.backend.say(loosened);
        fixture.backend.say({ kind: 'turn', turnId: 'turn-9', origin: 'other', prompt: 'delete it' });
        expect(warnings(fixture.chat.getRequests()[0])).to.have.length(1);
    });

    it('the approval mode of a conversation is not said if the first message has taken it back', async () => {
        await fixture.conversations.of(fixture.chat).open();
        fixture.backend.say(loosened);
        const request = await fixture.ask('hello');
        fixture.backend.say({ kind: 'mode', modeId: 'default', chosenModeId: 'default', looser: false }, turn(request.id));
        expect(warnings(request)).to.be.empty;
    });

    it('moves the input with what was allowed for all edits, or with a plan that was approved', async () => {
        const request = await fixture.ask('a plan', 'plan');
        fixture.backend.say(turn(request.id), { kind: 'mode', modeId: 'auto-edit', chosenModeId: 'auto-edit', looser: false });
        expect(fixture.view.mode).to.equal('auto-edit');
        expect(warnings(request)).to.be.empty;
    });

    it('leaves the input alone that the user has moved on since the message was sent', async () => {
        await fixture.ask('a plan', 'plan');
        fixture.view.mode = 'auto-edit';
        fixture.backend.say({ kind: 'mode', modeId: 'plan', chosenModeId: 'plan', looser: false });
        expect(fixture.view.mode).to.equal('auto-edit');
    });

    it('of a message that waited does not move the input while a later one waits with another', async () => {
        const [first, second] = [await fixture.ask('carefully', 'auto-edit'), await fixture.ask('as usual', 'default')];
        fixture.view.mode = 'default';
        fixture.backend.say(turn(first.id), turn(second.id), {
            kind: 'mode',
            modeId: 'auto-edit',
            chosenModeId: 'auto-edit',
            looser: false
        });
        expect(fixture.view.mode).to.equal('default');
        fixture.backend.say(
            { kind: 'end', turnId: first.id, outcome: 'completed' },
            { kind: 'mode', modeId: 'default', chosenModeId: 'default', looser: false }
        );
        expect(fixture.view.mode).to.equal('default');
    });

    describe('after a reload of the page, when Theia shows its default at the input', () => {
        const later = (chosenModeId: string): void => {
            fixture.backend.session = { ...fakeSession, currentModeId: chosenModeId, chosenModeId };
            fixture.conversations.of(fixture.chat, 'session-1');
        };

        it('is shown at the input as soon as the session is open', async () => {
            later('auto-edit');
            await fixture.conversations.find(fixture.chat.id)?.open();
            expect(fixture.view.mode).to.equal('auto-edit');
        });

        it('keeps the stricter mode of a session that the first message opens', async () => {
            later('plan');
            await fixture.ask('go on', 'default');
            expect(sent()).to.deep.equal(['plan']);
            expect(fixture.view.mode).to.equal('plan');
        });

        it('keeps it if the chat does not know its session, and the backend finds it', async () => {
            fixture.backend.session = { ...fakeSession, currentModeId: 'plan', chosenModeId: 'plan' };
            await fixture.ask('go on', 'default');
            expect(sent()).to.deep.equal(['plan']);
        });

        it('takes the mode at the input if it is stricter, or was changed there', async () => {
            later('auto-edit');
            await fixture.ask('go on', 'default');
            await fixture.ask('now plan', 'plan');
            expect(sent()).to.deep.equal(['default', 'plan']);
        });
    });
});
