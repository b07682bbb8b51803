// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { problemText } from '../../common/daemon-problem';
import { FakeDaemon } from '../test/fake-daemon';
import { TestBackend, TestPage } from '../test/test-workspaces';

const NEW_TOKEN = 'another-secret-of-the-fake-daemon-9876543210';

describe('A connection that is lost or no longer true (against a fake daemon)', () => {
    let backend: TestBackend;
    let daemon: FakeDaemon;
    let page: TestPage;

    beforeEach(async () => {
        backend = await TestBackend.create();
        daemon = new FakeDaemon(backend.workspace);
        await daemon.start();
    });

    afterEach(async () => {
        expect(JSON.stringify([page.wire, page.statuses])).not.to.contain(daemon.token);
        await backend.dispose();
        await daemon.stop();
    });

    async function connectedPage(): Promise<TestPage> {
        await backend.useDaemon(daemon.url, daemon.token);
        page = await backend.page();
        page.statuses.push(await page.service.connect());
        return page;
    }

    /** A command that plays a managed daemon. */
    async function manage(script: string): Promise<void> {
        const command = path.join(backend.folder, 'qwen');
        await fs.writeFile(command, `#!${process.execPath}\n${script}`, { mode: 0o755 });
        backend.configuration.values['qwen-code.experimentalDaemon.enabled'] = true;
        backend.configuration.values['qwen-code.experimentalDaemon.command'] = command;
        page = await backend.page();
    }

    const listen = `server.listen(0, '127.0.0.1', () => console.log('listening on http://127.0.0.1:' + server.address().port));`;

    it('loses a daemon, tries again, and gets it back', async () => {
        await connectedPage();
        const { session } = await page.open({ chatSessionId: 'c' });
        await page.until('a stream', () => daemon.session.streams.size > 0);
        await daemon.stop();
        await page.until('reconnecting', () => page.statuses.at(-1)?.state === 'reconnecting');
        await daemon.start();
        await page.until('connected', () => page.statuses.at(-1)?.state === 'connected');
        await page.until('a stream', () => daemon.session.streams.size > 0);
        expect(page.ofKind(session.sessionId, 'session').at(-1)?.state).to.equal('live');
    });

    it('starts a managed daemon again that fell over, but not for ever', async () => {
        const starts = path.join(backend.folder, 'starts');
        await manage(`
            require('fs').appendFileSync(${JSON.stringify(starts)}, 'x');
            const answer = ${JSON.stringify(JSON.stringify(daemon.capabilities))};
            const server = require('http').createServer((_, response) => response.end(answer, () => setTimeout(() => process.exit(3), 50)));
            ${listen}`);
        expect((await page.service.connect()).state).to.equal('connected');
        await page.until('the loss', () => page.statuses.at(-1)?.state === 'lost');
        expect((await fs.readFile(starts, 'utf8')).length)
            .to.be.greaterThan(2)
            .and.lessThan(10);
    });

    it('finds a daemon by itself that was started again with another token, which the token file holds', async () => {
        await connectedPage();
        const { session } = await page.open({ chatSessionId: 'c' });
        await page.until('a stream', () => daemon.session.streams.size > 0);
        daemon.token = NEW_TOKEN;
        await backend.useDaemon(daemon.url, NEW_TOKEN);
        await daemon.restart();
        await page.until('a stream', () => daemon.session.streams.size > 0);
        await page.until('life', () => page.ofKind(session.sessionId, 'session').at(-1)?.state === 'live');
    });

    it('says that the token is wrong if the file holds the old one, and Connect reads it again', async () => {
        await connectedPage();
        const { session } = await page.open({ chatSessionId: 'c' });
        await page.until('a stream', () => daemon.session.streams.size > 0);
        daemon.token = NEW_TOKEN;
        await daemon.restart();
        await page.until('the refusal', () => page.statuses.at(-1)?.problem?.code === 'wrong-token');
        await page.until('the loss', () => page.ofKind(session.sessionId, 'session').at(-1)?.problem?.code === 'wrong-token');
        await backend.useDaemon(daemon.url, NEW_TOKEN);
        expect((await page.service.connect()).state).to.equal('connected');
        await page.open({ chatSessionId: 'c', sessionId: session.sessionId });
        expect(page.ofKind(session.sessionId, 'session').at(-1)?.state).to.equal('live');
    });

    it('Connect checks a connection that nobody uses: another token', async () => {
        await connectedPage();
        daemon.token = NEW_TOKEN;
        await daemon.restart();
        expect((await page.service.connect()).problem?.code).to.equal('wrong-token');
        await backend.useDaemon(daemon.url, NEW_TOKEN);
        expect((await page.service.connect()).state).to.equal('connected');
    });

    it('Connect checks a connection that nobody uses: a daemon of another folder has the port', async () => {
        await connectedPage();
        daemon.capabilities.workspaceCwd = '/elsewhere';
        expect((await page.service.connect()).problem?.code).to.equal('workspace-mismatch');
        daemon.capabilities.workspaceCwd = backend.workspace;
        daemon.capabilities.qwenCodeVersion = '9.9.9';
        expect(await page.service.connect()).to.deep.include({ state: 'connected', version: '9.9.9' });
    });

    it('stays off if it was switched off while a lost daemon was checked', async () => {
        await connectedPage();
        let answer = (): void => undefined;
        const asked = new Promise<void>(resolve => {
            daemon.intercept = async ({ path: requested }, response) => {
                if (requested !== '/capabilities') {
                    return false;
                }
                resolve();
                await new Promise<void>(go => (answer = go));
                response.destroy();
                return true;
            };
        });
        const connecting = page.service.connect();
        await asked;
        backend.configuration.set('qwen-code.experimentalDaemon.enabled', false);
        await page.until('off', () => page.statuses.at(-1)?.state === 'off');
        const before = daemon.requests.length;
        answer();
        expect((await connecting).state).to.equal('off');
        // Longer than the first waits before another attempt.
        await new Promise(resolve => setTimeout(resolve, 200));
        expect([daemon.requests.length, page.statuses.at(-1)?.state]).to.deep.equal([before, 'off']);
    });

    it('says why a session gets no more events, if the daemon is there and refuses the stream', async () => {
        await connectedPage();
        const { session } = await page.open({ chatSessionId: 'c' });
        await page.until('a stream', () => daemon.session.streams.size > 0);
        for (const status of [403, 429]) {
            daemon.intercept = ({ path: requested }, response) =>
                requested.endsWith('/events') && response.writeHead(status).end('{}') && true;
            daemon.cut(daemon.session);
            await page.until('the loss', () => {
                const { state, problem } = page.ofKind(session.sessionId, 'session').at(-1) ?? {};
                return state === 'lost' && problem?.code === 'call-failed' && problem.status === status;
            });
            daemon.intercept = () => false;
            await page.open({ chatSessionId: 'c', sessionId: session.sessionId });
            await page.until('a stream', () => daemon.session.streams.size > 0);
        }
        expect(page.statuses.at(-1)?.state).to.equal('connected');
    });

    it('ends a managed daemon that it cannot use', async () => {
        const old = path.join(backend.folder, 'old');
        await manage(`
            require('fs').writeFileSync(${JSON.stringify(old)}, String(process.pid));
            const answer = ${JSON.stringify(JSON.stringify({ ...daemon.capabilities, features: ['session_create'] }))};
            const server = require('http').createServer((_, response) => response.end(answer));
            ${listen}`);
        expect((await page.service.connect()).problem?.code).to.equal('incompatible');
        const pid = Number(await fs.readFile(old, 'utf8'));
        await page.until('its end', () => !processExists(pid));
    });

    it('shows the last output of a managed daemon that ended before it was ready', async () => {
        await manage(`
            const starting = JSON.stringify({ code: 'daemon_runtime_starting' });
            const server = require('http').createServer((_, response) => {
                response.writeHead(503, { 'content-type': 'application/json' }).end(starting);
                setTimeout(() => { console.error('No space left for the sessions'); process.exit(4); }, 100);
            });
            ${listen}`);
        const { state, problem } = await page.service.connect();
        expect([state, problem?.code]).to.deep.equal(['refused', 'start-failed']);
        expect(problem && problemText(problem)).to.contain('No space left for the sessions');
    });
});

function processExists(pid: number): boolean {
    try {
        return process.kill(pid, 0);
    } catch {
        return false;
    }
}
