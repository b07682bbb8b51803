// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { FakeDaemon, FakeSession, permissionEvent } from '../test/fake-daemon';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { TestBackend, TestPage, value } from '../test/test-workspaces';

describe('Permissions of a daemon session (against a fake daemon)', () => {
    let fixture: FakeDaemonFixture;
    let backend: TestBackend;
    let daemon: FakeDaemon;
    let page: TestPage;
    let sessionId: string;
    let session: FakeSession;
    const prompt = (text?: string): Promise<string> => fixture.prompt(text);

    FakeDaemonFixture.forEachTest(created => {
        fixture = created;
        ({ backend, daemon, page, sessionId, session } = fixture);
    });

    it('keeps a pending permission over a cut, and hands the answer on', async () => {
        const turnId = await prompt();
        daemon.permission(session, turnId, 'permission-1');
        await page.until('a permission', () => page.ofKind(sessionId, 'permission')[0]);
        daemon.cut(session);
        await page.until('a stream', () => session.streams.size > 0);
        expect(value(await page.service.answerPermission(sessionId, 'permission-1', { optionId: 'proceed_once' }))).to.equal('accepted');
        expect(daemon.requestsTo(`/session/${sessionId}/permission/permission-1`)[0].body).to.deep.equal({
            outcome: { outcome: 'selected', optionId: 'proceed_once' }
        });
    });

    it('goes on telling while a permission waits: the pump waits for no person', async () => {
        const turnId = await prompt();
        daemon.permission(session, turnId, 'permission-1');
        daemon.text(session, turnId, 'meanwhile');
        await page.until('text', () => page.text(sessionId, turnId) === 'meanwhile');
    });

    it('asks a pending permission again if another backend loads the session', async () => {
        const turnId = await prompt();
        session.active = true;
        session.journal = [permissionEvent(sessionId, turnId, 'permission-1')];
        daemon.pendingPermissions.add('permission-1');
        await backend.restart();
        const later = await backend.page();
        const opened = await later.open({ chatSessionId: 'chat-1' });
        expect(opened.session).to.deep.include({ sessionId });
        expect(later.ofKind(sessionId, 'permission')[0].permission.id).to.equal('permission-1');
        expect(value(await later.service.answerPermission(sessionId, 'permission-1', { optionId: 'cancel' }))).to.equal('accepted');
    });

    it('lets the first of two voters win', async () => {
        const turnId = await prompt();
        daemon.permission(session, turnId, 'permission-1');
        await page.until('a permission', () => page.ofKind(sessionId, 'permission')[0]);
        daemon.pendingPermissions.delete('permission-1');
        expect(value(await page.service.answerPermission(sessionId, 'permission-1', { optionId: 'proceed_once' }))).to.equal('late');
        const outcome = { outcome: 'selected', optionId: 'cancel' };
        const data = { requestId: 'permission-1', outcome, voterClientId: 'client_of_another' };
        daemon.emit(session, { type: 'permission_resolved', promptId: turnId, data });
        daemon.emit(session, { type: 'permission_already_resolved', promptId: turnId, data: { ...data, sessionId } });
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        expect(page.ofKind(sessionId, 'permissionClosed').map(({ by, optionId }) => [by, optionId])).to.deep.equal([
            ['other-client', 'cancel']
        ]);
    });

    it('refuses an answer that was not offered, or for a request that does not wait', async () => {
        const turnId = await prompt();
        daemon.permission(session, turnId, 'permission-1');
        await page.until('a permission', () => page.ofKind(sessionId, 'permission')[0]);
        const wrong = await page.service.answerPermission(sessionId, 'permission-1', { optionId: 'yolo' });
        expect(wrong.ok ? '' : wrong.problem.code).to.equal('invalid');
        expect(value(await page.service.answerPermission(sessionId, 'permission-2', { optionId: 'proceed_once' }))).to.equal('late');
        expect(daemon.requests.filter(({ path }) => path.includes('/permission/'))).to.have.length(0);
    });

    it('keeps a permission whose answer could not be sent', async () => {
        const turnId = await prompt();
        daemon.permission(session, turnId, 'permission-1');
        await page.until('a permission', () => page.ofKind(sessionId, 'permission')[0]);
        daemon.intercept = ({ path }, response) => path.includes('/permission/') && response.destroy() && true;
        expect((await page.service.answerPermission(sessionId, 'permission-1', { optionId: 'proceed_once' })).ok).to.equal(false);
        daemon.intercept = () => false;
        expect(value(await page.service.answerPermission(sessionId, 'permission-1', { optionId: 'proceed_once' }))).to.equal('accepted');
    });

    it('cancels with a pending permission', async () => {
        const turnId = await prompt();
        daemon.permission(session, turnId, 'permission-1');
        await page.until('a permission', () => page.ofKind(sessionId, 'permission')[0]);
        value(await page.service.cancelTurn(sessionId, turnId));
        expect(daemon.requestsTo('/cancel')).to.have.length(1);
        daemon.emit(session, { type: 'prompt_cancelled', promptId: turnId, data: { sessionId } });
        daemon.emit(session, {
            type: 'permission_resolved',
            promptId: turnId,
            data: { requestId: 'permission-1', outcome: { outcome: 'cancelled' } }
        });
        daemon.complete(session, turnId, 'cancelled');
        expect((await page.end(sessionId, turnId)).outcome).to.equal('cancelled');
        expect(page.ofKind(sessionId, 'cancelling')).to.have.length(1);
        expect(page.ofKind(sessionId, 'permissionClosed').map(({ by }) => by)).to.deep.equal(['turn']);
        value(await page.service.cancelTurn(sessionId, turnId));
        expect(daemon.requestsTo('/cancel'), 'a turn that is over is not cancelled again').to.have.length(1);
    });

    it('takes a prompt that waits behind another client from the queue of the daemon', async () => {
        const queued = { promptId: 'queued', lastEventId: 0 };
        daemon.intercept = ({ path }, response) => {
            const isRemoval = path.endsWith('/pending-prompts/queued');
            const body = isRemoval ? { removed: true } : path.endsWith('/prompt') && queued;
            return body && !!response.writeHead(isRemoval ? 200 : 202, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        };
        const turnId = await prompt();
        value(await page.service.cancelTurn(sessionId, turnId));
        expect((await page.end(sessionId, turnId)).outcome).to.equal('removed');
        expect(daemon.requestsTo('/cancel')).to.be.empty;
    });

    it("keeps both texts of an edit for the page's diff, out of the events", async () => {
        const turnId = await prompt();
        daemon.permission(session, turnId, 'permission-1');
        const { permission } = await page.until('a permission', () => page.ofKind(sessionId, 'permission')[0]);
        expect(permission.diff).to.deep.equal({ path: '/w/out.txt', isNew: true });
        expect(await page.service.readDiff(sessionId, { turnId, toolId: permission.toolId })).to.deep.include({
            oldText: '',
            newText: 'hello\n'
        });
    });
});
