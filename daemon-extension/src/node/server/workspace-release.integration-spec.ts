// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { value } from '../test/test-workspaces';

describe('A session that no page shows any more (half an hour is 100 ms here)', () => {
    let fixture: FakeDaemonFixture;
    FakeDaemonFixture.forEachTest(created => (fixture = created));

    const noStream = (): Promise<boolean> => fixture.page.until('no stream', () => fixture.session.streams.size === 0);
    const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 300));

    it('goes, with its workspace if that was the last, and is found again by the next page', async () => {
        const { backend, daemon, page, sessionId } = fixture;
        backend.close(page);
        await noStream();
        const { length } = daemon.requestsTo('/capabilities');
        fixture.page = await backend.page();
        const opened = await fixture.page.open({ chatSessionId: 'chat-1' });
        expect(opened.session).to.deep.include({ sessionId, state: 'live' });
        expect(daemon.requestsTo('/load')).to.have.length(1);
        expect(daemon.requestsTo('/capabilities').length, 'another connection').to.equal(length + 1);
    });

    it('stays while another page shows it, or a turn runs in it', async () => {
        const { backend, daemon, page, session, sessionId } = fixture;
        const second = await backend.page();
        await second.open({ chatSessionId: 'chat-1' });
        const turnId = await fixture.prompt();
        await second.service.leaveSession(sessionId);
        await pause();
        expect(session.streams.size, 'while it is shown').to.equal(1);
        backend.close(page);
        await pause();
        expect(session.streams.size, 'while a turn runs').to.equal(1);
        daemon.complete(session, turnId);
        await noStream();
    });

    it('stays while a turn runs in it, also after the daemon was switched off and on', async () => {
        const { backend, page, session, sessionId } = fixture;
        backend.configuration.set('qwen-code.experimentalDaemon.enabled', false);
        await noStream();
        backend.configuration.set('qwen-code.experimentalDaemon.enabled', true);
        await page.until('the daemon to be on', () => page.statuses.at(-1)?.state === 'idle');
        await page.open({ chatSessionId: 'chat-1', sessionId });
        await page.until('a stream', () => session.streams.size > 0);
        await fixture.prompt();
        backend.close(page);
        await pause();
        expect(session.streams.size).to.equal(1);
    });

    it('stays for a page that comes back in time', async () => {
        const { backend, daemon, page, session } = fixture;
        backend.close(page);
        fixture.page = await backend.page();
        await fixture.page.open({ chatSessionId: 'chat-1' });
        await pause();
        expect([session.streams.size, daemon.requestsTo('/load').length]).to.deep.equal([1, 0]);
    });

    it('is left behind what was asked in it just before: a chat that is deleted stops its turn', async () => {
        const { daemon, page, sessionId } = fixture;
        const turnId = await fixture.prompt();
        // Two messages that arrive in one piece are handed on in one go.
        const cancelled = page.service.cancelTurn(sessionId, turnId);
        await page.service.leaveSession(sessionId);
        value(await cancelled);
        expect(daemon.requestsTo('/cancel')).to.have.length(1);
    });

    it('leaves the connection to the page that works in the folder', async () => {
        const { daemon, page, sessionId } = fixture;
        await page.service.leaveSession(sessionId);
        await noStream();
        const { length } = daemon.requestsTo('/capabilities');
        await page.open({ chatSessionId: 'chat-1' });
        expect(daemon.requestsTo('/capabilities')).to.have.length(length);
    });

    for (const how of ['is closed', 'opens another folder']) {
        it(`has gone before the last page ${how}: then the daemon goes after it`, async () => {
            const { backend, page, sessionId } = fixture;
            await page.service.leaveSession(sessionId);
            await noStream();
            expect(await page.service.connect()).to.include({ state: 'connected' });
            await (how === 'is closed' ? backend.close(page) : page.service.hello({ roots: [], trust: 'trusted' }));
            await pause();
            expect((await backend.page()).statuses.at(-1)).to.include({ state: 'idle' });
        });
    }
});
