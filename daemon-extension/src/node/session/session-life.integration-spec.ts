// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { Answer } from '../../common/qwen-daemon-protocol';
import { FakeDaemon, FakeSession } from '../test/fake-daemon';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { TestBackend, TestPage, value } from '../test/test-workspaces';

describe('The life of a daemon session (against a fake daemon)', () => {
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

    it('session_died: ends the turn, says so, and comes back by load, in the mode that was chosen', async () => {
        value(await page.service.setApprovalMode(sessionId, 'plan'));
        const turnId = await prompt();
        daemon.text(session, turnId, 'half');
        daemon.emit(session, { type: 'session_died', data: { sessionId: 'another-session', reason: 'x' } });
        daemon.emit(session, { type: 'session_died', data: { sessionId, reason: 'channel_closed' } });
        daemon.end(session);
        expect((await page.end(sessionId, turnId)).outcome).to.equal('lost');
        await page.until('the loss', () =>
            page.ofKind(sessionId, 'session').some(({ state, problem }) => state === 'lost' && problem?.code === 'session-died')
        );
        await page.open({ chatSessionId: 'chat-1', sessionId });
        expect(daemon.requestsTo('/load').at(-1)?.body).to.deep.include({ approvalMode: 'plan' });
        await page.until('life', () => page.ofKind(sessionId, 'session').at(-1)?.state === 'live');
    });

    it('session_died: gives back the messages that waited, the newest first, since each is put above the one before', async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'busy');
        for (const requestId of ['second', 'third']) {
            value(await page.service.sendPrompt(sessionId, { requestId, text: requestId }));
        }
        daemon.emit(session, { type: 'session_died', data: { sessionId, reason: 'channel_closed' } });
        await page.end(sessionId, turnId);
        expect(page.ofKind(sessionId, 'end').map(end => [end.turnId, end.outcome])).to.deep.equal([
            ['third', 'removed'],
            ['second', 'removed'],
            [turnId, 'lost']
        ]);
    });

    it('is lost if it could only be opened half, and the next message opens it whole', async () => {
        let failures = 1;
        daemon.intercept = ({ path }, response) => {
            if (!path.endsWith('/context') || failures-- <= 0) {
                return false;
            }
            response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ error: 'Internal error', code: -32603 }));
            return true;
        };
        const refused = await page.service.openSession({ chatSessionId: 'chat-2' });
        expect(refused.ok).to.equal(false);
        const opened = await page.open({ chatSessionId: 'chat-2' });
        const half = daemon.sessions.get(opened.session.sessionId)!;
        await page.until('a stream', () => half.streams.size > 0);
        const turnId = await fixture.prompt('hi', {}, half.id);
        daemon.text(half, turnId, 'whole');
        daemon.complete(half, turnId);
        await page.end(half.id, turnId);
        expect(page.text(half.id, turnId)).to.equal('whole');
        expect(daemon.sessions.size, 'the same session of the daemon').to.equal(2);
    });

    it('session_closed by another client: the next prompt opens it again', async () => {
        daemon.emit(session, { type: 'session_closed', data: { sessionId, reason: 'client_close', closedBy: 'client_other' } });
        await page.until('the end', () => page.ofKind(sessionId, 'session').at(-1)?.state === 'lost');
        await prompt();
        expect(daemon.requestsTo('/load')).to.have.length(1);
        await page.until('life', () => page.ofKind(sessionId, 'session').at(-1)?.state === 'live');
    });

    it('daemon restarted: loads the session by itself; the turn that was lost says so', async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'half');
        await page.until('text', () => page.text(sessionId, turnId) === 'half');
        session.terminals = [{ promptId: turnId, terminal: 'interrupted', code: 'daemon_lost' }];
        await daemon.restart();
        const end = await page.end(sessionId, turnId);
        expect(end.outcome).to.equal('lost');
        expect(end.problem?.code).to.equal('turn-lost');
        const next = await prompt('again');
        await page.until('a stream', () => session.streams.size > 0);
        daemon.text(session, next, 'works');
        daemon.complete(session, next);
        await page.end(sessionId, next);
        expect(page.text(sessionId, next)).to.equal('works');
    });

    it('daemon replaced by another one behind a stream that nobody closed: the turn is lost, and the session loaded', async () => {
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'half');
        await page.until('text', () => page.text(sessionId, turnId) === 'half');
        session.streams.clear();
        session.events = [];
        daemon.intercept = ({ path }, response) =>
            daemon.requestsTo('/load').length === 0 &&
            path.startsWith('/session/') &&
            !!response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ code: 'session_not_found' }));
        expect((await page.end(sessionId, turnId)).outcome).to.equal('lost');
        await page.until('a stream', () => session.streams.size > 0);
    });

    it('[F13b] a page that opens the session while it is loaded again gets everything once, as the others do', async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'whole');
        await page.until('text', () => page.text(sessionId, turnId) === 'whole');
        session.active = true;
        session.journal = session.events.filter(({ type }) => type === 'session_update');
        const second = await backend.page();
        let opened: Promise<unknown> | undefined;
        daemon.intercept = async ({ path }) => {
            if (path.endsWith('/context')) {
                opened = second.open({ chatSessionId: 'chat', sessionId });
            }
            return false;
        };
        daemon.emitUnnumbered(session, { type: 'state_resync_required', data: { reason: 'ring_evicted' } });
        await page.until('a load', () => daemon.requestsTo('/load').length === 1 && opened !== undefined);
        await opened;
        await page.until('life', () => page.ofKind(sessionId, 'session').at(-1)?.state === 'live');
        expect([page, second].map(one => one.text(sessionId, turnId))).to.deep.equal(['whole', 'whole']);
    });

    it('[F3] a schedule begins a turn of Qwen, of which the daemon says no end: it ends when nothing runs there any more', async () => {
        const alone = (sessionUpdate: string, text: string, _meta?: object): void =>
            daemon.emit(session, {
                type: 'session_update',
                originatorClientId: undefined,
                data: { sessionId, update: { sessionUpdate, content: { type: 'text', text }, _meta } }
            });
        let isActive = true;
        daemon.intercept = ({ path }, response) => {
            if (!path.endsWith('/status')) {
                return false;
            }
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ sessionId, hasActivePrompt: false, activeWorkState: isActive ? 'active' : 'idle' }));
            isActive = false;
            return true;
        };
        alone('user_message_chunk', 'check the build', { source: 'cron' });
        alone('agent_message_chunk', 'All green.');
        const { turnId } = await page.until('the turn', () => page.ofKind(sessionId, 'turn').find(({ origin }) => origin === 'qwen'));
        expect((await page.end(sessionId, turnId)).outcome).to.equal('completed');
        expect(daemon.requestsTo('/status')).to.have.length(3);
        expect(page.text(sessionId, turnId)).to.equal('All green.');
        expect(page.ofKind(sessionId, 'waiting')).to.be.empty;
    });

    it('a turn whose end cannot be read is over when the daemon says twice that nothing runs', async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'the whole answer');
        daemon.intercept = ({ path }, response) => {
            if (!path.endsWith('/status')) {
                return false;
            }
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ sessionId, hasActivePrompt: false, activeWorkState: 'idle' }));
            return true;
        };
        const end = await page.end(sessionId, turnId);
        expect([end.outcome, end.problem?.code]).to.deep.equal(['lost', 'turn-lost']);
        expect(daemon.requestsTo('/status')).to.have.length(2);
        // The next one is on its way when the daemon says so once more.
        const { intercept } = daemon;
        const looked = new Deferred<void>();
        daemon.intercept = async (request, response) => {
            if (request.path.endsWith('/prompt')) {
                await looked.promise;
            }
            const isLook = await intercept(request, response);
            if (isLook) {
                daemon.intercept = () => false;
                setTimeout(looked.resolve, 50);
            }
            return isLook;
        };
        const next = await prompt();
        await looked.promise;
        daemon.complete(session, next);
        expect((await page.end(sessionId, next)).outcome).to.equal('completed');
    });

    it('resync: loads the session again with a new client and builds everything again', async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'old');
        await page.until('text', () => page.text(sessionId, turnId) === 'old');
        session.history = [
            {
                type: 'session_update',
                id: 9,
                promptId: turnId,
                data: { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'whole' } } }
            }
        ];
        session.terminals = [{ promptId: turnId, terminal: 'completed', stopReason: 'end_turn' }];
        daemon.emitUnnumbered(session, { type: 'state_resync_required', data: { reason: 'ring_evicted' } });
        await page.until('the whole text', () => page.text(sessionId, turnId) === 'whole');
        expect((await page.end(sessionId, turnId)).outcome).to.equal('completed');
    });

    describe('switched off while the daemon is asked', () => {
        /** @returns ends when the daemon was asked; what it gives lets the daemon answer */
        function holdBack(method: string, end: string): Promise<() => void> {
            return new Promise(resolve => {
                daemon.intercept = async request => {
                    if (request.method === method && request.path.endsWith(end)) {
                        await new Promise<void>(answer => resolve(answer));
                    }
                    return false;
                };
            });
        }

        async function switchOff(): Promise<void> {
            backend.configuration.set('qwen-code.experimentalDaemon.enabled', false);
            await page.until('off', () => page.statuses.at(-1)?.state === 'off');
        }

        /** What was asked after the daemon's late answer. */
        async function askedAfter(answer: () => void, opening: Promise<Answer<unknown>>): Promise<string[]> {
            const before = daemon.requests.length;
            answer();
            const opened = await opening;
            expect(opened.ok ? '' : opened.problem.code).to.equal('off');
            // A round to the daemon and back, for whatever would follow.
            await fetch(daemon.url);
            return daemon.requests
                .slice(before)
                .map(request => request.path)
                .filter(requested => requested !== '/');
        }

        it('starts nothing with a session that is made only then', async () => {
            const asked = holdBack('POST', '/session');
            const opening = page.service.openSession({ chatSessionId: 'chat-2' });
            const answer = await asked;
            await switchOff();
            expect(await askedAfter(answer, opening)).to.be.empty;
        });

        it('starts nothing with a session that is loaded only then', async () => {
            daemon.emit(session, { type: 'session_died', data: { sessionId, reason: 'channel_closed' } });
            await page.until('the loss', () => page.ofKind(sessionId, 'session').at(-1)?.state === 'lost');
            const asked = holdBack('POST', '/load');
            const opening = page.service.openSession({ chatSessionId: 'chat-1', sessionId });
            const answer = await asked;
            await switchOff();
            expect(await askedAfter(answer, opening)).to.be.empty;
            expect(page.ofKind(sessionId, 'session').at(-1)).to.deep.include({ state: 'lost' });
        });

        it('starts nothing with a session that was never open before', async () => {
            await backend.restart();
            page = await backend.page();
            const asked = holdBack('POST', '/load');
            const opening = page.service.openSession({ chatSessionId: 'chat-1', sessionId });
            const answer = await asked;
            await switchOff();
            expect(await askedAfter(answer, opening)).to.be.empty;
        });
    });

    it('is one session for two that ask at once, by its own id and by the id of its chat', async () => {
        await backend.restart();
        page = await backend.page();
        await Promise.all([page.open({ chatSessionId: 'chat-1' }), page.open({ chatSessionId: 'chat-1', sessionId })]);
        expect(daemon.requestsTo('/load')).to.have.length(1);
        await page.until('a stream', () => session.streams.size > 0);
        fixture.page = page;
        const turnId = await prompt('hi');
        daemon.text(session, turnId, 'once');
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        expect(page.text(sessionId, turnId)).to.equal('once');
        expect(session.streams.size).to.equal(1);
    });
});
