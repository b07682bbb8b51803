// SPDX-License-Identifier: Apache-2.0

import { ServerResponse } from 'http';
import { expect } from 'chai';
import { noticeText } from '../../common/daemon-problem';
import { FakeDaemon, FakeRequest, FakeSession } from '../test/fake-daemon';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { TestBackend, TestPage, value } from '../test/test-workspaces';

describe('A daemon session (against a fake daemon)', () => {
    let fixture: FakeDaemonFixture;
    let backend: TestBackend;
    let daemon: FakeDaemon;
    let page: TestPage;
    let sessionId: string;
    let session: FakeSession;
    const prompt: FakeDaemonFixture['prompt'] = (...how) => fixture.prompt(...how);

    FakeDaemonFixture.forEachTest(created => {
        fixture = created;
        ({ backend, daemon, page, sessionId, session } = fixture);
    });

    /** A daemon that tells the whole turn before it answers the prompt. */
    function answerLate(): void {
        daemon.intercept = (request, response: ServerResponse) => {
            if (!request.path.endsWith('/prompt')) {
                return false;
            }
            const promptId = daemon.take(session, request);
            daemon.text(session, promptId, 'fast');
            daemon.complete(session, promptId);
            setTimeout(
                () => response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ promptId, lastEventId: 0 })),
                100
            );
            return true;
        };
    }

    it('is made of its own, with an explicit approval mode', () => {
        expect(daemon.requestsTo('/session')[0].body).to.deep.include({
            sessionScope: 'thread',
            approvalMode: 'default',
            sourceId: 'chat-1'
        });
    });

    it("streams text, and tells the end by the prompt's id", async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'Hello ');
        daemon.text(session, turnId, 'there.');
        daemon.complete(session, 'another-turn');
        daemon.complete(session, turnId);
        expect((await page.end(sessionId, turnId)).outcome).to.equal('completed');
        expect(page.text(sessionId, turnId)).to.equal('Hello there.');
        expect(page.ofKind(sessionId, 'turn').map(({ origin }) => origin)).to.deep.equal(['own']);
    });

    it('knows its own turn if the whole turn comes before the answer to the prompt', async () => {
        answerLate();
        const turnId = await prompt('hi');
        await page.end(sessionId, turnId);
        expect(page.ofKind(sessionId, 'turn')).to.have.length(1);
        expect(page.ofKind(sessionId, 'turn')[0]).to.deep.include({ origin: 'own', turnId });
        expect(page.text(sessionId, turnId)).to.equal('fast');
    });

    it('keeps the order also if more events come before the answer to the prompt than can be held back', async () => {
        let expected = '';
        daemon.intercept = (request, response: ServerResponse) => {
            if (!request.path.endsWith('/prompt')) {
                return false;
            }
            const promptId = daemon.take(session, request);
            for (let index = 0; index < 1_500; index++) {
                daemon.text(session, promptId, `${index},`);
                expected += `${index},`;
            }
            daemon.complete(session, promptId);
            const answer = JSON.stringify({ promptId, lastEventId: 0 });
            setTimeout(() => response.writeHead(202, { 'content-type': 'application/json' }).end(answer), 300);
            return true;
        };
        const turnId = await prompt();
        await page.end(sessionId, turnId);
        expect(page.text(sessionId, turnId)).to.equal(expected);
    });

    for (const [when, isHeard] of [
        ['after its first events', true],
        ['before them', false]
    ] as const) {
        it(`has asked what the daemon works on, although the answer to the prompt was cut ${when}`, async () => {
            let asked: FakeRequest | undefined;
            daemon.intercept = async (request, response: ServerResponse) => {
                if (!request.path.endsWith('/prompt')) {
                    return false;
                }
                asked = request;
                if (isHeard) {
                    daemon.text(session, daemon.take(session, request), 'Removing.');
                    await page.until('the text', () => page.ofKind(sessionId, 'text').length > 0);
                }
                response.destroy();
                return true;
            };
            const turnId = await prompt('remove it');
            if (!isHeard) {
                daemon.text(session, daemon.take(session, asked!), 'Removing.');
            }
            daemon.complete(session, turnId);
            expect((await page.end(sessionId, turnId)).outcome).to.equal('completed');
            expect(page.text(sessionId, turnId)).to.equal('Removing.');
        });
    }

    it('says that a prompt may have arrived, of which the daemon knows nothing although its answer was cut', async () => {
        daemon.intercept = ({ path }, response) => {
            if (path.endsWith('/status')) {
                return !!response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ hasActivePrompt: false }));
            }
            return path.endsWith('/prompt') && !!response.destroy();
        };
        expect(await page.end(sessionId, await prompt())).to.deep.include({ outcome: 'lost', problem: { code: 'no-answer' } });
    });

    it('asks the same request once', async () => {
        await Promise.all([1, 2].map(() => prompt('hi', { requestId: 'same' })));
        await prompt('hi', { requestId: 'same' });
        expect(daemon.requestsTo('/prompt')).to.have.length(1);
    });

    it('asks a daemon whether it works only while it is thought to', async () => {
        const turnId = await prompt();
        await page.until('a question', () => daemon.requestsTo('/status').length > 0);
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        const { length } = daemon.requestsTo('/status');
        await new Promise(resolve => setTimeout(resolve, 700));
        expect(daemon.requestsTo('/status')).to.have.length(length);
    });

    it('loses and doubles nothing if the stream is cut in the middle of a turn, and continues at its cursor', async () => {
        const turnId = await prompt();
        let expected = '';
        for (let index = 0; index < 60; index++) {
            daemon.text(session, turnId, `${index} `);
            expected += `${index} `;
            if (index % 10 === 5) {
                daemon.cut(session);
            }
            if (index % 10 === 7) {
                await page.until('a stream', () => session.streams.size > 0);
            }
        }
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        expect(page.text(sessionId, turnId)).to.equal(expected);
        expect(Number(daemon.lastStreamHeaders['last-event-id'])).to.be.greaterThan(0);
        expect(daemon.requestsTo('/load')).to.have.length(0);
    });

    it('stands a burst that evicts it', async () => {
        const turnId = await prompt();
        let expected = '';
        for (let index = 0; index < 3_000; index++) {
            daemon.text(session, turnId, `${index},`);
            expected += `${index},`;
            if (index === 1_000) {
                daemon.emitUnnumbered(session, { type: 'client_evicted', data: { reason: 'queue_overflow' } });
                daemon.end(session);
            }
        }
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        expect(page.text(sessionId, turnId)).to.equal(expected);
    });

    it('gives a page that opens a running session the whole turn so far', async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'so far');
        daemon.permission(session, turnId, 'permission-1');
        await page.until('a permission', () => page.ofKind(sessionId, 'permission')[0]);
        backend.close(page);
        daemon.text(session, turnId, ', and further');
        const later = await backend.page();
        await later.open({ chatSessionId: 'chat-1', sessionId });
        daemon.complete(session, turnId);
        await later.end(sessionId, turnId);
        expect(later.text(sessionId, turnId)).to.equal('so far, and further');
        expect(later.ofKind(sessionId, 'permissionClosed')).to.have.length(1);
    });

    it('hands files on as links', async () => {
        await prompt('see', { files: ['/w/a b.txt'] });
        expect(daemon.requestsTo('/prompt')[0].body.prompt).to.deep.equal([
            { type: 'text', text: 'see' },
            { type: 'resource_link', uri: 'file:///w/a%20b.txt', name: 'a b.txt' }
        ]);
    });

    it('logs unknown events, and says in the chat if a known one cannot be read', async () => {
        const turnId = await prompt();
        daemon.emit(session, { type: 'something_new', promptId: turnId, data: { secret: 1 } });
        daemon.update(session, turnId, { sessionUpdate: 'something_newer' });
        daemon.emit(session, { type: 'permission_request', promptId: turnId, data: { requestId: 'r', options: 'none' } });
        daemon.update(session, turnId, { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'AAAA' } });
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        expect(page.ofKind(sessionId, 'notice').map(({ notice }) => noticeText(notice))).to.satisfy(
            ([first, second, ...none]: string[]) => first.includes('permission_request') && second.includes('image') && none.length === 0
        );
        expect(JSON.stringify(page.wire)).not.to.match(/something_new|secret/);
    });

    it('stands garbage on the stream', async () => {
        const turnId = await prompt();
        daemon.raw(session, 'data: {"v":1,\n\ndata: []\n\nevent: x\ndata: {"type":7}\n\n\u0000\u0001garbage\n\n');
        daemon.text(session, turnId, 'still here');
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        expect(page.text(sessionId, turnId)).to.equal('still here');
    });

    it("forwards a model switch, and nothing of the daemon's answer to it", async () => {
        value(await page.service.setModel(sessionId, 'fake-b(openai)'));
        daemon.emit(session, { type: 'model_switched', data: { sessionId, modelId: 'fake-b' } });
        daemon.emit(session, { type: 'model_switched', data: { sessionId, modelId: 'fake-b(openai)' } });
        await page.until('the model', () => page.ofKind(sessionId, 'model').at(-1)?.modelId === 'fake-b(openai)');
        expect((await page.service.setModel(sessionId, 'not-offered')).ok).to.equal(false);
        expect(daemon.requestsTo('/model')).to.have.length(1);
        expect(JSON.stringify(page.wire)).not.to.contain('key-of-provider');
    });

    it('warns if the mode becomes looser than chosen', async () => {
        daemon.emit(session, { type: 'approval_mode_changed', data: { sessionId, previous: 'default', next: 'auto-edit' } });
        await page.until('a warning', () => page.ofKind(sessionId, 'mode').some(({ modeId, looser }) => modeId === 'auto-edit' && looser));
        value(await page.service.setApprovalMode(sessionId, 'auto-edit'));
        await page.until('no warning', () => page.ofKind(sessionId, 'mode').at(-1)?.looser === false);
    });

    it('says that a silent turn waits, and not while a permission waits', async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'a');
        await page.until('waiting', () => page.ofKind(sessionId, 'waiting').some(event => event.turnId === turnId));
        daemon.permission(session, turnId, 'permission-1');
        await page.until('a permission', () => page.ofKind(sessionId, 'permission')[0]);

        // Another chat's silence, twice as long as it takes, is the clock.
        const other = (await page.open({ chatSessionId: 'chat-2' })).session.sessionId;
        const theirs = daemon.sessions.get(other)!;
        await page.until('a stream', () => theirs.streams.size > 0);
        const theirTurn = await fixture.prompt('x', {}, other);
        for (const count of [1, 2]) {
            daemon.text(theirs, theirTurn, 'b');
            await page.until('their waiting', () => page.ofKind(other, 'waiting').length === count);
        }
        expect(page.ofKind(sessionId, 'waiting')).to.have.length(1);
    });

    it('says that the queue is full', async () => {
        daemon.intercept = ({ path }, response) => {
            if (!path.endsWith('/prompt')) {
                return false;
            }
            response.writeHead(429, { 'content-type': 'application/json' }).end('{"code":"prompt_queue_full","error":"Bearer abcdefgh"}');
            return true;
        };
        expect(await page.end(sessionId, await prompt())).to.deep.include({ outcome: 'removed', problem: { code: 'prompt-limit' } });
    });

    it('sends nothing to a page that did not open the session', async () => {
        const other = await backend.page();
        expect((await other.service.sendPrompt(sessionId, { requestId: 'r', text: 'x' })).ok).to.equal(false);
        expect((await other.service.cancelTurn(sessionId, 't')).ok).to.equal(false);
        daemon.text(session, await prompt(), 'private');
        await page.until('text', () => page.ofKind(sessionId, 'text')[0]);
        expect(other.events.size).to.equal(0);
    });

    it('gives a page that opens the session again everything, and then what is new, once', async () => {
        const turnId = await prompt();
        daemon.text(session, turnId, 'one ');
        await page.until('text', () => page.text(sessionId, turnId) === 'one ');
        daemon.text(session, turnId, 'two ');
        await page.open({ chatSessionId: 'chat', sessionId });
        daemon.text(session, turnId, 'three');
        await page.until('text', () => page.text(sessionId, turnId).endsWith('three'));
        expect(page.text(sessionId, turnId)).to.equal('one two three');
    });
});
