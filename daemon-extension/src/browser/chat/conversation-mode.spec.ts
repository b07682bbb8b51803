// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChatFixture } from '../test/chat-fixture';
import { fakeSession } from '../test/fake-backend';

const { shown } = ChatFixture;

describe('The approval mode of a conversation', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    const modeCalls = (): string[] => fixture.backend.calls.filter(call => call.startsWith('mode'));

    it('opens one session per chat, with the mode selected at the input', async () => {
        await fixture.ask('one', 'plan');
        await fixture.ask('two', 'plan');
        expect(fixture.backend.opened.map(({ chatSessionId, approvalMode }) => [chatSessionId, approvalMode])).to.deep.equal([
            [fixture.chat.id, 'plan']
        ]);
        expect(modeCalls()).to.be.empty;
        await fixture.ask('three', 'default');
        expect(fixture.backend.opened).to.have.length(1);
        expect(modeCalls()).to.deep.equal(['mode default']);
    });

    it('says once that Qwen asks nothing in the mode that was chosen', async () => {
        const [first, second] = [await fixture.ask('one', 'yolo'), await fixture.ask('two', 'yolo')];
        expect(ChatFixture.shown(first)).to.deep.equal(['notice In this mode Qwen runs commands and changes files without asking.']);
        expect(ChatFixture.shown(second)).to.be.empty;
    });

    it('warns when the mode becomes looser than chosen', async () => {
        const request = await fixture.ask('hello');
        fixture.backend.say({ kind: 'turn', turnId: 'turn-1', origin: 'own', requestId: request.id, prompt: 'hello' });
        fixture.backend.say({ kind: 'mode', modeId: 'auto-edit', chosenModeId: 'default', looser: true });
        fixture.backend.say({ kind: 'mode', modeId: 'auto-edit', chosenModeId: 'default', looser: true });
        const warnings = shown(request).filter(text => text.startsWith('notice Warning'));
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.match(/Edit without asking/);
        // The user allowed it; the next message must not silently take it back.
        await fixture.ask('more', 'default');
        expect(modeCalls()).to.be.empty;
        // Chosen here now, it is no longer something to warn of.
        await fixture.ask('so be it', 'auto-edit');
        expect(modeCalls()).to.deep.equal(['mode auto-edit']);
    });

    it('is that of a plan that was approved; the input shows it, and what is selected there counts', async () => {
        await fixture.ask('a plan', 'plan');
        fixture.backend.say({ kind: 'mode', modeId: 'auto-edit', chosenModeId: 'auto-edit', looser: false });
        expect(fixture.view.mode).to.equal('auto-edit');
        await fixture.ask('go on', 'auto-edit');
        expect(modeCalls()).to.be.empty;
        await fixture.ask('only plan this', 'plan');
        expect(modeCalls()).to.deep.equal(['mode plan']);
    });

    it('is the stricter one if the input could not show what was chosen meanwhile', async () => {
        await fixture.ask('a plan', 'plan');
        fixture.view.showMode = () => false;
        fixture.backend.say({ kind: 'mode', modeId: 'auto-edit', chosenModeId: 'auto-edit', looser: false });
        await fixture.ask('only plan this', 'plan');
        expect(modeCalls()).to.deep.equal(['mode plan']);
    });

    describe('after a reload of the page, when Theia shows its default at the input', () => {
        const later = (chosenModeId: string): void => {
            fixture.backend.session = { ...fakeSession, currentModeId: chosenModeId, chosenModeId };
            fixture.conversations.of(fixture.chat, 'session-1');
        };

        it('keeps the stricter mode of a session that the first message opens', async () => {
            later('plan');
            await fixture.ask('go on', 'default');
            expect(fixture.backend.opened.map(({ approvalMode }) => approvalMode)).to.deep.equal([undefined]);
            expect(modeCalls()).to.be.empty;
            expect(fixture.conversations.find(fixture.chat.id)?.session?.currentModeId).to.equal('plan');
        });

        it('keeps it also if the session was open before the first message', async () => {
            later('plan');
            await fixture.conversations.find(fixture.chat.id)?.open();
            await fixture.ask('go on', 'default');
            expect(modeCalls()).to.be.empty;
        });

        it('keeps it if the chat does not know its session, and the backend finds it', async () => {
            fixture.backend.session = { ...fakeSession, currentModeId: 'plan', chosenModeId: 'plan' };
            await fixture.ask('go on', 'default');
            expect(modeCalls()).to.be.empty;
        });

        it('takes the mode at the input if it is stricter', async () => {
            later('auto-edit');
            await fixture.ask('go on', 'default');
            expect(modeCalls()).to.deep.equal(['mode default']);
        });

        it('takes a change at the input from then on', async () => {
            later('plan');
            await fixture.ask('go on', 'default');
            await fixture.ask('now edit', 'auto-edit');
            expect(modeCalls()).to.deep.equal(['mode auto-edit']);
        });

        it('gives the mode again to a backend that was restarted', async () => {
            later('plan');
            await fixture.ask('go on', 'default');
            fixture.backend.reconnected.fire();
            await new Promise(resolve => setImmediate(resolve));
            expect(fixture.backend.opened.at(-1)?.approvalMode).to.equal('plan');
        });
    });
});
