// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { stub } from 'sinon';
import { problemText } from '../../common/daemon-problem';
import { FakeDaemon } from '../test/fake-daemon';
import { TestBackend, TestPage } from '../test/test-workspaces';

describe('The connection (against a fake daemon)', () => {
    let backend: TestBackend;
    let daemon: FakeDaemon;
    let page: TestPage;
    const environmentUrl = process.env.QWEN_IDE_DAEMON_URL;

    beforeEach(async () => {
        delete process.env.QWEN_IDE_DAEMON_URL;
        backend = await TestBackend.create();
        daemon = new FakeDaemon(backend.workspace);
        await daemon.start();
    });

    afterEach(async () => {
        expect(JSON.stringify(page.wire) + JSON.stringify(page.statuses)).not.to.contain(daemon.token);
        await backend.dispose();
        await daemon.stop();
        if (environmentUrl !== undefined) {
            process.env.QWEN_IDE_DAEMON_URL = environmentUrl;
        } else {
            delete process.env.QWEN_IDE_DAEMON_URL;
        }
    });

    async function connectedPage(): Promise<TestPage> {
        await backend.useDaemon(daemon.url, daemon.token);
        page = await backend.page();
        page.statuses.push(await page.service.connect());
        return page;
    }

    it('off: contacts nothing, whatever a page asks', async () => {
        await backend.useDaemon(daemon.url, daemon.token);
        backend.configuration.values['qwen-code.experimentalDaemon.enabled'] = false;
        page = await backend.page();
        expect(page.statuses[0].state).to.equal('off');
        expect((await page.service.connect()).state).to.equal('off');
        const answer = await page.service.openSession({ chatSessionId: 'c' });
        expect(answer.ok ? '' : answer.problem.code).to.equal('off');
        expect(daemon.requests).to.have.length(0);
    });

    it('forbidden by a policy: contacts nothing, whatever a page asks and the user wants', async () => {
        await backend.useDaemon(daemon.url, daemon.token);
        backend.chatAllowed = false;
        page = await backend.page();
        expect(page.statuses[0]).to.deep.include({ state: 'refused', problem: { code: 'policy' } });
        expect((await page.service.connect()).state).to.equal('refused');
        const answer = await page.service.openSession({ chatSessionId: 'c' });
        expect(answer.ok ? '' : answer.problem.code).to.equal('policy');
        expect(daemon.requests).to.have.length(0);
    });

    it('enabled: contacts nothing before a page asks', async () => {
        await backend.useDaemon(daemon.url, daemon.token);
        page = await backend.page();
        expect(page.statuses[0].state).to.equal('idle');
        expect(daemon.requests).to.have.length(0);
    });

    it('connects, and says where', async () => {
        await connectedPage();
        expect(page.statuses.at(-1)).to.deep.include({
            state: 'connected',
            kind: 'external',
            host: `127.0.0.1:${daemon.port}`,
            workspaceCwd: backend.workspace
        });
    });

    it('asks a daemon on this machine past Node’s fetch, which may go to a proxy', async () => {
        const asked = stub(globalThis, 'fetch').rejects(new Error('The proxy has seen the token'));
        try {
            await connectedPage();
            const { session } = await page.open({ chatSessionId: 'c' });
            await page.until('a stream', () => daemon.session.streams.size > 0);
            expect(session.sessionId).not.to.equal('');
            expect(page.statuses.at(-1)?.state).to.equal('connected');
            expect(asked.callCount).to.equal(0);
        } finally {
            asked.restore();
        }
    });

    it('is enabled by the environment variable', async () => {
        process.env.QWEN_IDE_DAEMON_URL = daemon.url;
        await backend.useDaemon('', daemon.token);
        backend.configuration.values['qwen-code.experimentalDaemon.enabled'] = false;
        page = await backend.page();
        expect((await page.service.connect()).state).to.equal('connected');
    });

    it('503: waits until the daemon has started', async () => {
        daemon.startingAnswers = 5;
        await connectedPage();
        expect(page.statuses.at(-1)?.state).to.equal('connected');
        await page.until('starting', () => page.statuses.some(({ state }) => state === 'starting'));
    });

    it('401: says that the token is wrong, once, without it', async () => {
        await backend.useDaemon(daemon.url, 'another-token-0123456789');
        page = await backend.page();
        const status = await page.service.connect();
        expect([status.state, status.problem?.code]).to.deep.equal(['refused', 'wrong-token']);
        expect(JSON.stringify(status)).not.to.contain('another-token');
        expect(daemon.requests).to.have.length(1);
    });

    it('workspace_mismatch: refuses with both paths', async () => {
        daemon.capabilities.workspaceCwd = '/elsewhere';
        await connectedPage();
        const { state, problem } = page.statuses.at(-1)!;
        expect([state, problem?.code]).to.deep.equal(['refused', 'workspace-mismatch']);
        expect(problem && problemText(problem))
            .to.contain('/elsewhere')
            .and.to.contain(backend.workspace);
        expect(daemon.requestsTo('/session')).to.have.length(0);
    });

    it('takes the workspace among several of one daemon', async () => {
        daemon.capabilities.workspaceCwd = '/elsewhere';
        daemon.capabilities.workspaces = [{ cwd: '/elsewhere' }, { cwd: backend.workspace }];
        await connectedPage();
        expect(page.statuses.at(-1)?.state).to.equal('connected');
    });

    it('warns of a daemon that wants no token', async () => {
        await connectedPage();
        expect(page.statuses.at(-1)?.warnings).to.deep.equal([]);
        await backend.restart();
        daemon.open = true;
        await backend.useDaemon(daemon.url, daemon.token);
        backend.configuration.values['qwen-code.experimentalDaemon.tokenFile'] = '';
        page = await backend.page();
        expect((await page.service.connect()).warnings).to.deep.equal(['open-daemon']);
    });

    it('names the features that an old daemon lacks', async () => {
        daemon.capabilities.features = ['session_create'];
        await connectedPage();
        const problem = page.statuses.at(-1)?.problem;
        expect(problem?.code).to.equal('incompatible');
        expect(problem && problemText(problem)).to.contain('session_load');
    });

    it('says that no daemon answers, and connects when it does', async () => {
        await daemon.stop();
        await connectedPage();
        expect(page.statuses.at(-1)?.problem).to.deep.include({ code: 'not-running' });
        await daemon.start();
        expect((await page.service.connect()).state).to.equal('connected');
    });

    it('disconnects when it is switched off, and connects again when it is switched on', async () => {
        await connectedPage();
        const { session } = await page.open({ chatSessionId: 'c' });
        await page.until('a stream', () => daemon.session.streams.size > 0);
        backend.configuration.set('qwen-code.experimentalDaemon.enabled', false);
        await page.until('off', () => page.statuses.at(-1)?.state === 'off');
        await page.until('no stream', () => daemon.session.streams.size === 0);
        await page.until('the loss', () => page.ofKind(session.sessionId, 'session').at(-1)?.problem?.code === 'off');
        backend.configuration.set('qwen-code.experimentalDaemon.enabled', true);
        await page.until('idle', () => page.statuses.at(-1)?.state === 'idle');
        await page.open({ chatSessionId: 'c', sessionId: session.sessionId });
        expect((await page.service.connect()).state).to.equal('connected');
    });

    it('says that there are no credentials', async () => {
        await connectedPage();
        daemon.intercept = ({ path: requested, method }, response) => {
            if (method !== 'POST' || requested !== '/session') {
                return false;
            }
            response.writeHead(500, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ error: 'Authentication required: Use Qwen Code CLI to authenticate first.', code: -32000 }));
            return true;
        };
        const answer = await page.service.openSession({ chatSessionId: 'c' });
        expect(answer.ok ? '' : answer.problem.code).to.equal('no-credentials');
    });

    it('says that there are too many sessions', async () => {
        await connectedPage();
        daemon.intercept = ({ path: requested, method }, response) => {
            if (method !== 'POST' || requested !== '/session') {
                return false;
            }
            response
                .writeHead(503, { 'content-type': 'application/json' })
                .end('{"code":"session_limit_exceeded","limit":3,"scope":"workspace"}');
            return true;
        };
        const answer = await page.service.openSession({ chatSessionId: 'c' });
        expect(answer.ok ? '' : answer.problem.code).to.equal('session-limit');
    });

    it("finds the chat's own session among the earlier ones", async () => {
        await connectedPage();
        const { session } = await page.open({ chatSessionId: 'c' });
        await backend.restart();
        page = await backend.page();
        const again = await page.open({ chatSessionId: 'c' });
        expect(again.session.sessionId).to.equal(session.sessionId);
    });

    it('says that an earlier session is gone', async () => {
        await connectedPage();
        const answer = await page.service.openSession({ chatSessionId: 'c', sessionId: '00000000-0000-4000-8000-000000000000' });
        expect(answer.ok ? '' : answer.problem.code).to.equal('session-gone');
    });

    it('refuses a text that is no session id before it becomes part of a path', async () => {
        await connectedPage();
        const before = daemon.requests.length;
        const { ok } = await page.service.openSession({ chatSessionId: 'c', sessionId: '../../sessions/delete' });
        expect([ok, daemon.requests.length]).to.deep.equal([false, before]);
    });

    it('refuses a token in the preferences, and a token file that others can read', async () => {
        await backend.useDaemon(daemon.url, daemon.token);
        page = await backend.page();
        await fs.chmod(path.join(backend.folder, 'token'), 0o644);
        expect((await page.service.connect()).problem?.code).to.equal('bad-token-file');
        await fs.chmod(path.join(backend.folder, 'token'), 0o600);
        const seen = page.statuses.length;
        backend.configuration.set('qwen-code.experimentalDaemon.token', 'in-the-settings');
        await page.until('idle', () => page.statuses.slice(seen).some(({ state }) => state === 'idle'));
        const status = await page.service.connect();
        expect(status.problem?.code).to.equal('token-in-preferences');
        expect(JSON.stringify(status)).not.to.contain('in-the-settings');
        expect(daemon.requests).to.have.length(0);
    });
});
