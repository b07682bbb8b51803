// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { permissionEvent } from '../test/fake-daemon';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { value } from '../test/test-workspaces';
import { ChosenModes } from './chosen-modes';

describe('The approval mode that was chosen (against a fake daemon)', () => {
    let fixture: FakeDaemonFixture;
    FakeDaemonFixture.forEachTest(created => (fixture = created));

    /** The mode with which the daemon was last asked to load the session. */
    const loadedWith = (): unknown => fixture.daemon.requestsTo('/load').at(-1)?.body.approvalMode;

    async function choose(modeId: string): Promise<void> {
        value(await fixture.page.service.setApprovalMode(fixture.sessionId, modeId));
    }

    async function restartBackend(): Promise<void> {
        await fixture.backend.restart();
        fixture.page = await fixture.backend.page();
    }

    it('counts after a restart of the backend, for a page that knows nothing of it', async () => {
        await choose('plan');
        await restartBackend();
        const { session } = await fixture.page.open({ chatSessionId: 'chat-1', sessionId: fixture.sessionId });
        expect([loadedWith(), session.chosenModeId, session.currentModeId]).to.deep.equal(['plan', 'plan', 'plan']);
    });

    it('is that of the next message, whoever changed it since', async () => {
        const { daemon, page, sessionId } = fixture;
        const asked = (): unknown[] => daemon.requestsTo('/approval-mode').map(({ body }) => body.mode);
        const send = async (modeId: string): Promise<void> => {
            const turnId = await fixture.prompt('hi', { modeId });
            daemon.complete(daemon.session, turnId);
            await page.end(sessionId, turnId);
        };
        await send('default');
        expect(asked(), 'it is that already').to.be.empty;
        const loosened = { type: 'approval_mode_changed', originatorClientId: 'client_other', data: { next: 'auto' } };
        daemon.emit(daemon.session, loosened);
        const mode = await page.until('the other mode', () => page.ofKind(sessionId, 'mode').find(({ modeId }) => modeId === 'auto'));
        expect(mode).to.deep.include({ chosenModeId: 'default', looser: true });
        await send('default');
        expect(asked()).to.deep.equal(['default']);
        await send('plan');
        expect(asked()).to.deep.equal(['default', 'plan']);
        await restartBackend();
        await fixture.page.open({ chatSessionId: 'chat-1', sessionId });
        expect(loadedWith()).to.equal('plan');
    });

    it('keeps a message from being sent if it cannot be changed', async () => {
        const { daemon, page, sessionId } = fixture;
        daemon.intercept = ({ path }, response) => path.endsWith('/approval-mode') && response.writeHead(500).end() && true;
        value(await page.service.sendPrompt(sessionId, { requestId: 'r1', text: 'hi', modeId: 'plan' }));
        expect(await page.end(sessionId, 'r1')).to.deep.include({
            outcome: 'removed',
            problem: { code: 'call-failed', status: 500 }
        });
        expect(daemon.requestsTo('/prompt')).to.be.empty;
    });

    it('is the default again if that was chosen last', async () => {
        await choose('auto-edit');
        await choose('default');
        await restartBackend();
        await fixture.page.open({ chatSessionId: 'chat-1', sessionId: fixture.sessionId });
        expect(loadedWith()).to.equal('default');
    });

    it('[F13p] is forgotten after a year in which nobody opened its session', async () => {
        await choose('plan');
        const folder = path.join(fixture.backend.folder, 'config', 'qwen-daemon-modes');
        const old = path.join(folder, randomUUID());
        await fs.writeFile(old, 'plan');
        const long = new Date(Date.now() - 400 * 24 * 3_600_000);
        await fs.utimes(old, long, long);
        await new ChosenModes(async () => folder).removeOld();
        expect(await fs.readdir(folder)).to.deep.equal([fixture.sessionId]);
    });

    it('counts no mode that the daemon refused', async () => {
        await choose('plan');
        fixture.daemon.intercept = ({ path }, response) => path.endsWith('/approval-mode') && response.writeHead(500).end() && true;
        expect((await fixture.page.service.setApprovalMode(fixture.sessionId, 'auto-edit')).ok).to.equal(false);
        fixture.daemon.intercept = () => false;
        await restartBackend();
        await fixture.page.open({ chatSessionId: 'chat-1', sessionId: fixture.sessionId });
        expect(loadedWith()).to.equal('plan');
    });

    it('is the mode in which an approved plan is carried out', async () => {
        await choose('plan');
        const { daemon, page, sessionId } = fixture;
        const session = daemon.session;
        const turnId = await fixture.prompt('plan it');
        const plan = permissionEvent(session.id, turnId, 'r1');
        Object.assign(plan.data as object, { toolCall: { toolCallId: 'c', kind: 'switch_mode', title: 'Plan:', rawInput: { plan: 'p' } } });
        daemon.pendingPermissions.add('r1');
        daemon.emit(session, plan);
        await page.until('the permission', () => page.ofKind(sessionId, 'permission')[0]);
        value(await page.service.answerPermission(sessionId, 'r1', { optionId: 'proceed_always' }));
        const outcome = { outcome: 'selected', optionId: 'proceed_always' };
        const resolved = { requestId: 'r1', outcome, voterClientId: session.clientId };
        daemon.emit(session, { type: 'permission_resolved', promptId: turnId, data: resolved });
        daemon.update(session, turnId, { sessionUpdate: 'current_mode_update', currentModeId: 'auto-edit' });
        const mode = await page.until('the mode', () => page.ofKind(sessionId, 'mode').find(({ modeId }) => modeId === 'auto-edit'));
        expect(mode).to.deep.include({ chosenModeId: 'auto-edit', looser: false });
        await restartBackend();
        await fixture.page.open({ chatSessionId: 'chat-1', sessionId });
        expect(loadedWith()).to.equal('auto-edit');
    });
});
