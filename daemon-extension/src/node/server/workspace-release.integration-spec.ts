// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { ForgetfulWorkspaces, TestBackend } from '../test/test-workspaces';

describe('A workspace that no page works in any more', () => {
    it('is released with its sessions, and found again by the next page', async () => {
        const fixture = await FakeDaemonFixture.create(ForgetfulWorkspaces);
        try {
            const { backend, page, session, sessionId } = fixture;
            backend.close(page);
            await page.until('no stream', () => session.streams.size === 0);
            fixture.page = await backend.page();
            const opened = await fixture.page.open({ chatSessionId: 'chat-1' });
            expect(opened.session).to.deep.include({ sessionId, state: 'live' });
            expect(fixture.daemon.requestsTo('/load')).to.have.length(1);
        } finally {
            await fixture.dispose();
        }
    });

    it('is kept while another page works in it, and while a turn runs', async () => {
        const fixture = await FakeDaemonFixture.create(ForgetfulWorkspaces);
        try {
            const { backend, daemon, page, session, sessionId } = fixture;
            /** For what must not happen then. */
            const grace = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 2 * ForgetfulWorkspaces.release));
            const second = await backend.page();
            const turnId = await fixture.prompt();
            daemon.text(session, turnId, 'still');
            await page.until('text', () => page.text(sessionId, turnId) === 'still');
            backend.close(page);
            await grace();
            expect(session.streams.size, 'while another page works in it').to.equal(1);
            backend.close(second);
            await grace();
            expect(session.streams.size, 'while a turn runs').to.equal(1);
            daemon.complete(session, turnId);
            await page.until('no stream', () => session.streams.size === 0);
        } finally {
            await fixture.dispose();
        }
    });

    it('takes no place from others, however many come and go, and none while the daemon is off', async () => {
        const backend = await TestBackend.create(ForgetfulWorkspaces);
        try {
            for (const enabled of [false, true]) {
                backend.configuration.values['qwen-code.experimentalDaemon.enabled'] = enabled;
                // Refused before anything is started: what is counted are the workspaces.
                backend.configuration.values['qwen-code.experimentalDaemon.url'] = 'ftp://127.0.0.1';
                for (let index = 0; index < 25; index++) {
                    const folder = path.join(backend.folder, `${enabled}-${index}`);
                    await fs.mkdir(folder);
                    const page = await backend.page(folder);
                    const { state, problem } = await page.service.connect();
                    expect([state, problem?.code]).to.deep.equal(enabled ? ['refused', 'bad-url'] : ['off', undefined]);
                    if (enabled) {
                        backend.close(page);
                    }
                }
            }
        } finally {
            await backend.dispose();
        }
    });
});
