// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Answer } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';

const { shown } = ChatFixture;

describe('A conversation in a workspace that may not be trusted', () => {
    let fixture: ChatFixture;
    const untrusted: Answer<void> = { ok: false, problem: { code: 'untrusted' } };

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

    it('waits while the user is asked, and asks the backend nothing', async () => {
        await fixture.connection.ready;
        fixture.backend.calls.length = 0;
        const answer = fixture.workspace.ask();
        fixture.workspace.roots = ['file:///work/cloned'];
        void fixture.connection.followWorkspace();
        const sending = fixture.ask('hello');
        await pause();
        expect([fixture.backend.calls, fixture.backend.opened]).to.deep.equal([[], []]);
        answer('trusted');
        expect((await sending).response.isError).to.equal(false);
        expect(fixture.backend.calls).to.deep.equal(['hello file:///work/cloned trusted']);
        expect(fixture.backend.prompts.map(({ text }) => text)).to.deep.equal(['hello']);
    });

    it('says why nothing runs, and what to do', async () => {
        fixture.workspace.change('untrusted');
        fixture.backend.openResult = untrusted;
        const [said] = shown(await fixture.ask('hello'));
        expect(said).to.contain('this workspace is not trusted').and.to.contain('Manage Workspace Trust');
        expect(fixture.backend.calls.at(-1)).to.equal('hello file:///work/project untrusted');
        expect(fixture.backend.prompts).to.be.empty;
    });

    it('ends what runs when the trust is taken back, with the reason, and goes on once it is given again', async () => {
        const request = await fixture.begin();
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'Half an' });
        fixture.backend.openResult = untrusted;
        fixture.workspace.change('untrusted');
        await pause();
        expect(shown(request)[0]).to.equal('Half an');
        expect(shown(request)[1]).to.match(/^problem untrusted/);
        expect(request.response.isComplete).to.equal(true);

        fixture.backend.openResult = { ok: true, value: undefined };
        fixture.workspace.change('trusted');
        await pause();
        expect(fixture.backend.opened).to.have.length(3);
        expect(fixture.conversations.of(fixture.chat)).to.have.property('problem', undefined);
    });
});
