// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';

describe('The agent of a chat, for the list of changes', () => {
    let fixture: FakeDaemonFixture;
    FakeDaemonFixture.forEachTest(created => (fixture = created));

    const activeAt = (root = fixture.backend.workspace): number[] =>
        fixture.backend.workspaces.agentsIn([root]).map(agent => {
            expect(agent.name).to.equal('Qwen');
            return agent.activeAt;
        });

    it('is there while a session is open, and works from a prompt to the end of its turn', async () => {
        const { daemon, page, session } = fixture;
        let changes = 0;
        fixture.backend.workspaces.onDidChangeWork(() => changes++);
        expect(activeAt()).to.deep.equal([-Infinity]);
        expect(activeAt('/elsewhere')).to.deep.equal([]);
        const turnId = await fixture.prompt();
        await page.until('the work', () => activeAt()[0] === Infinity);
        daemon.complete(session, turnId);
        await page.until('its rest', () => Number.isFinite(activeAt()[0]));
        expect(performance.now() - activeAt()[0]).to.be.within(0, 60_000);
        expect(changes).to.be.greaterThan(0);
    });

    it('says that it works also on a message that waited', async () => {
        const { backend, daemon, page, session, sessionId } = fixture;
        const first = await fixture.prompt();
        await page.service.sendPrompt(sessionId, { requestId: 'next', text: 'next', modeId: 'plan' });
        await page.until('the next', () => page.ofKind(sessionId, 'queue').at(-1)?.turnIds.length === 1);
        let worked = 0;
        backend.workspaces.onDidChangeWork(() => (worked = activeAt()[0]));
        daemon.complete(session, first);
        await page.until('the prompt', () => daemon.requestsTo('/prompt').length === 2);
        await page.until('the work', () => worked === Infinity);
    });

    it('is gone once its daemon is', async () => {
        fixture.backend.workspaces.endUnused('/elsewhere');
        expect(activeAt()).to.have.length(1);
        let changes = 0;
        fixture.backend.workspaces.onDidChangeWork(() => changes++);
        await fixture.page.service.hello({ roots: [], trust: 'untrusted' });
        fixture.backend.workspaces.endUnused(fixture.backend.workspace);
        expect([activeAt(), changes]).to.deep.equal([[], 1]);
    });
});
