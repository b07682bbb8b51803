// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';

describe('What no page uses any more', () => {
    let fixture: FakeDaemonFixture;

    beforeEach(async () => {
        fixture = await FakeDaemonFixture.create();
    });
    afterEach(() => fixture.dispose());

    /** Another page opens another folder, for which a daemon would be needed. */
    async function openOther(): Promise<void> {
        const folder = await fs.mkdtemp(path.join(fixture.backend.folder, 'other-'));
        await (await fixture.backend.page(folder)).service.connect();
    }

    it('is a workspace that goes when another one is opened, with its sessions, and is found again by the next page', async () => {
        const { backend, page, session, sessionId } = fixture;
        backend.close(page);
        await openOther();
        expect(session.streams.size, 'the page may only be reloading').to.equal(1);
        while (session.streams.size > 0) {
            await openOther();
        }
        fixture.page = await backend.page();
        const opened = await fixture.page.open({ chatSessionId: 'chat-1' });
        expect(opened.session).to.deep.include({ sessionId, state: 'live' });
        expect(fixture.daemon.requestsTo('/load')).to.have.length(1);
    });

    it('is no workspace in which another page works, or a turn runs', async () => {
        const { backend, daemon, page, session, sessionId } = fixture;
        const second = await backend.page();
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'still');
        await page.until('text', () => page.text(sessionId, turnId) === 'still');
        backend.close(second);
        await openOther();
        backend.close(page);
        await openOther();
        expect(session.streams.size, 'while a turn runs').to.equal(1);
        daemon.complete(session, turnId);
        while (session.streams.size > 0) {
            await openOther();
        }
    });

    it('is a session that goes when a chat begins', async () => {
        const { backend, page, session, sessionId } = fixture;
        const second = await backend.page();
        await page.service.leaveSession(sessionId);
        await second.open({ chatSessionId: 'chat-2' });
        await page.until('no stream', () => session.streams.size === 0);
        expect((await page.open({ chatSessionId: 'chat-1' })).session).to.deep.include({ sessionId, state: 'live' });
    });
});
