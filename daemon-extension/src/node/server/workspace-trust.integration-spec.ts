// SPDX-License-Identifier: Apache-2.0

import { promises } from 'fs';
import * as path from 'path';
import { pathToFileURL } from 'url';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { Answer, WorkspaceTrust } from '../../common/qwen-daemon-protocol';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { TestPage } from '../test/test-workspaces';

describe('The trust in a workspace', () => {
    let fixture: FakeDaemonFixture;
    FakeDaemonFixture.forEachTest(created => (fixture = created));

    const code = (answer: Answer<unknown>): string => (answer.ok ? 'done' : answer.problem.code);
    const say = (page: TestPage, trust: WorkspaceTrust): ReturnType<TestPage['service']['hello']> =>
        page.service.hello({ roots: [pathToFileURL(fixture.backend.workspace).href], trust });

    for (const trust of ['untrusted', 'ai-off'] as const) {
        it(`is needed for everything that would contact the daemon (${trust})`, async () => {
            const { backend, daemon, sessionId } = fixture;
            const page = await backend.page(undefined, trust);
            expect(page.statuses.at(-1)).to.deep.include({ state: 'refused', problem: { code: trust } });
            const before = daemon.requests.length;
            expect(await page.service.connect()).to.deep.include({ state: 'refused', problem: { code: trust } });
            for (const request of [{ chatSessionId: 'new' }, { chatSessionId: 'chat-1', sessionId }]) {
                expect(code(await page.service.openSession(request))).to.equal(trust);
            }
            expect(code(await page.service.setModel(sessionId, 'fake-b'))).to.equal(trust);
            expect(code(await page.service.setApprovalMode(sessionId, 'plan'))).to.equal(trust);
            expect(code(await page.service.sendPrompt(sessionId, { requestId: 'r', text: 'x' }))).to.equal(trust);
            expect(daemon.requests.length).to.equal(before);
        });
    }

    it('the trust in a workspace that is taken back ends what runs, and the session is there again once it is given back', async () => {
        const { daemon, page, session, sessionId } = fixture;
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'busy');
        await page.until('text', () => page.text(sessionId, turnId) === 'busy');
        expect(await say(page, 'untrusted')).to.deep.include({ state: 'refused', problem: { code: 'untrusted' } });
        await page.until('no stream', () => session.streams.size === 0);
        expect(code(await page.service.sendPrompt(sessionId, { requestId: 'r', text: 'x' }))).to.equal('untrusted');

        await say(page, 'trusted');
        expect((await page.open({ chatSessionId: 'chat-1', sessionId })).session.state).to.equal('live');
        await page.until('a stream', () => session.streams.size > 0);
        const next = await fixture.prompt();
        daemon.text(session, next, 'here again');
        await page.until('text', () => page.text(sessionId, next) === 'here again');
    });

    it('the trust in a workspace that is taken back while a session is opened opens none', async () => {
        const { daemon, page } = fixture;
        const opening = page.service.openSession({ chatSessionId: 'another' });
        await say(page, 'untrusted');
        expect(code(await opening)).to.equal('untrusted');
        const before = daemon.requests.length;
        expect(daemon.requests.length).to.equal(before);
    });

    it('a page that has opened another folder gets no session of the folder before, also if that is slow', async () => {
        const { backend, daemon } = fixture;
        const other = path.join(backend.folder, 'workspace-b');
        await promises.mkdir(other);
        const open = (page: TestPage, root: string): Promise<unknown> =>
            page.service.hello({ roots: [pathToFileURL(root).href], trust: 'trusted' });
        const page = await backend.page();
        const moved = new Deferred<void>();
        daemon.intercept = async () => {
            await moved.promise;
            return false;
        };
        const asked = daemon.requests.length;
        const opening = page.service.openSession({ chatSessionId: 'another' });
        await page.until('the session to be asked for', () => daemon.requests.length > asked);
        await open(page, other);
        moved.resolve();
        expect(code(await opening)).to.equal('invalid');
        const another = [...daemon.sessions.values()][1];
        const isAsked = (): boolean => daemon.requestsTo('/events').some(request => request.path.includes(another.id));
        await page.until('its stream, and the end of that', () => isAsked() && another.streams.size === 0);
        const { realpath } = promises;
        const slow = sinon.stub(promises, 'realpath').callsFake((async (file: string) => {
            await new Promise(resolve => setTimeout(resolve, file === backend.workspace ? 200 : 0));
            return realpath(file);
        }) as typeof promises.realpath);
        try {
            await Promise.all([open(page, backend.workspace), open(page, other)]);
        } finally {
            slow.restore();
        }
        // The daemon is that of the folder before.
        expect(code(await page.service.openSession({ chatSessionId: 'third' }))).to.equal('workspace-mismatch');
    });

    it('the trust in a workspace is not needed of every page with the same first folder: what runs goes on until the last that trusts it has gone', async () => {
        const { backend, daemon, page, session, sessionId } = fixture;
        const other = await backend.page(undefined, 'untrusted');
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'still');
        await page.until('text', () => page.text(sessionId, turnId) === 'still');
        backend.close(page);
        await say(other, 'untrusted');
        await other.until('no stream', () => session.streams.size === 0);
    });

    it('the trust in a workspace counts as it was said last, whatever is faster', async () => {
        const { page } = fixture;
        const [, last] = await Promise.all([say(page, 'trusted'), say(page, 'untrusted')]);
        expect(last.problem).to.deep.equal({ code: 'untrusted' });
    });
});
