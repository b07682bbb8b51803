// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Answer } from '../../common/qwen-daemon-protocol';
import { EditorContextText } from '../../common/editor-context';
import { requestIdOf } from '../test/fake-daemon';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { value } from '../test/test-workspaces';

describe('Prompts and cancellations on their way (against a fake daemon)', () => {
    let fixture: FakeDaemonFixture;
    FakeDaemonFixture.forEachTest(created => (fixture = created));

    const code = (answer: Answer<unknown>): string => (answer.ok ? 'taken' : answer.problem.code);
    /** Every request to this path waits until the result is called. */
    function holdBack(end: string): { asked: Promise<void>; answer: () => void } {
        let answer = (): void => undefined;
        const held = new Promise<void>(resolve => (answer = resolve));
        const asked = new Promise<void>(resolve => {
            fixture.daemon.intercept = async ({ path }) => {
                if (path.endsWith(end)) {
                    resolve();
                    await held;
                }
                return false;
            };
        });
        return { asked, answer };
    }

    it('a cancellation is over before the next prompt is sent, or it could hit that one', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'busy');
        await page.until('text', () => page.text(sessionId, turnId) === 'busy');
        const { asked, answer } = holdBack('/cancel');
        const cancelled = page.service.cancelTurn(sessionId, turnId);
        await asked;
        const next = fixture.prompt('next');
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        // Ways there and back that nothing holds up.
        for (let count = 0; count < 5; count++) {
            value(await page.service.setModel(sessionId, 'fake-b(openai)'));
        }
        expect(daemon.requestsTo('/prompt')).to.have.length(1);
        answer();
        value(await cancelled);
        await next;
        expect(daemon.requestsTo('/prompt')).to.have.length(2);
    });

    it('the context of the editor goes behind the prompt, in a block of its own', async () => {
        const { daemon } = fixture;
        const editor = { path: '/w/a.ts', cursor: { line: 3, character: 1 }, selectedText: 'x' };
        await fixture.prompt('explain', { editor });
        expect(daemon.requestsTo('/prompt').at(-1)?.body.prompt).to.deep.equal([
            { type: 'text', text: 'explain' },
            { type: 'text', text: EditorContextText.create(editor) }
        ]);
    });

    it('wait until nothing runs, in their order, each for its mode; taken back, they are never sent', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const turnId = await fixture.prompt('first', { modeId: 'default' });
        daemon.text(session, turnId, 'busy');
        const send = async (requestId: string, modeId: string): Promise<void> =>
            value(await page.service.sendPrompt(sessionId, { requestId, text: requestId, modeId }));
        await send('careful', 'default');
        await send('never', 'auto-edit');
        await send('loose', 'auto-edit');
        value(await page.service.cancelTurn(sessionId, 'never'));
        expect((await page.end(sessionId, 'never')).outcome).to.equal('removed');
        await page.until('the queue', () => page.ofKind(sessionId, 'queue').at(-1)?.turnIds.join() === 'careful,loose');
        // Asked again.
        await send('careful', 'default');
        const said = (): unknown[] =>
            daemon.requests.flatMap(({ path, body }) =>
                path.endsWith('/approval-mode') ? body.mode : path.endsWith('/prompt') ? requestIdOf(body) : []
            );
        for (const [running, then] of [
            [turnId, ['careful']],
            ['careful', ['careful', 'auto-edit', 'loose']]
        ] as const) {
            expect(said()).to.deep.equal([turnId, ...then].slice(0, running === turnId ? 1 : 2));
            daemon.complete(session, running);
            await page.until('the next', () => said().length === then.length + 1);
            expect(said()).to.deep.equal([turnId, ...then]);
        }
    });

    it("wait for another client's turn, which a cancellation does not touch", async () => {
        const { page, daemon, session, sessionId } = fixture;
        daemon.text(session, 'theirs', 'busy');
        await page.until('their turn', () => page.ofKind(sessionId, 'turn').some(({ turnId }) => turnId === 'theirs'));
        value(await page.service.sendPrompt(sessionId, { requestId: 'mine', text: 'x' }));
        value(await page.service.cancelTurn(sessionId, 'mine'));
        daemon.complete(session, 'theirs');
        await page.end(sessionId, 'theirs');
        expect([...daemon.requestsTo('/cancel'), ...daemon.requestsTo('/prompt')]).to.be.empty;
    });

    it('outlive a restart of the daemon while they wait', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'busy');
        await page.until('text', () => page.text(sessionId, turnId) === 'busy');
        const next = fixture.prompt('next');
        await daemon.restart();
        expect((await page.end(sessionId, turnId)).outcome).to.equal('lost');
        daemon.complete(session, await next);
        expect((await page.end(sessionId, await next)).outcome).to.equal('completed');
    });

    it('wait for a daemon that is just being started again', async () => {
        const { page, daemon, session, sessionId } = fixture;
        await daemon.stop();
        await page.until('reconnecting', () => page.statuses.at(-1)?.state === 'reconnecting');
        value(await page.service.sendPrompt(sessionId, { requestId: 'meanwhile', text: 'meanwhile' }));
        await page.until('the turn', () => page.ofKind(sessionId, 'turn').length === 1);
        await daemon.restart();
        await page.until('the prompt', () => daemon.requestsTo('/prompt').length === 1);
        daemon.complete(session, 'meanwhile');
        expect((await page.end(sessionId, 'meanwhile')).outcome).to.equal('completed');
    });

    it('are taken again after one that another daemon refused, which stands behind a stream that nobody closed', async () => {
        const { page, daemon, session, sessionId } = fixture;
        session.streams.clear();
        const { asked, answer } = holdBack('/load');
        const held = daemon.intercept;
        daemon.intercept = (request, response) =>
            request.path.endsWith('/prompt')
                ? !!response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ code: 'session_not_found' }))
                : held(request, response);
        expect(await page.end(sessionId, await fixture.prompt())).to.deep.include({
            outcome: 'removed',
            problem: { code: 'session-died' }
        });
        await asked;
        daemon.intercept = () => false;
        answer();
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'here again');
        await page.until('text', () => page.text(sessionId, turnId) === 'here again');
    });

    it('a turn has one id, whatever the daemon calls it, also for a backend that was restarted', async () => {
        const { backend, daemon, session, sessionId } = fixture;
        let promptId = '';
        daemon.intercept = (request, response) => {
            const isPrompt = request.path.endsWith('/prompt');
            if (isPrompt) {
                promptId = daemon.take(session, request, 'of-the-daemon');
                response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ promptId, lastEventId: 0 }));
            }
            return isPrompt;
        };
        const turnId = await fixture.prompt();
        daemon.text(session, promptId, 'one');
        await fixture.page.until('text', () => fixture.page.text(sessionId, turnId) === 'one');
        session.journal = [...session.events];
        session.active = true;
        await backend.restart();
        fixture.page = await backend.page();
        await fixture.page.open({ chatSessionId: 'chat-1' });
        expect(fixture.page.ofKind(sessionId, 'turn')).to.deep.equal([{ kind: 'turn', turnId, origin: 'own', prompt: 'hello' }]);
        value(await fixture.page.service.sendPrompt(sessionId, { requestId: turnId, text: 'hello' }));
        value(await fixture.page.service.cancelTurn(sessionId, turnId));
        expect([daemon.requestsTo('/prompt').length, daemon.requestsTo('/cancel').length]).to.deep.equal([1, 1]);
        await fixture.page.until('a stream', () => session.streams.size > 0);
        daemon.complete(session, promptId, 'cancelled');
        expect((await fixture.page.end(sessionId, turnId)).outcome).to.equal('cancelled');
    });

    it('forgets no turn while one runs, nor one that is not known, or that the daemon cannot forget; and never files', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const turnId = await fixture.prompt();
        const at = Date.now();
        await page.until('the turn', () => page.ofKind(sessionId, 'turn')[0]);
        session.snapshots = [{ promptId: 's########0', turnIndex: 0, timestamp: new Date(at + 5).toISOString() }];
        const forgets = async (turn: string): Promise<boolean> => (await page.service.rewind(sessionId, turn)).ok;
        expect(await forgets(turnId), 'it runs').to.equal(false);
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        expect(await forgets('turn-of-nobody')).to.equal(false);
        expect(daemon.requestsTo('/rewind').filter(({ method }) => method === 'POST')).to.be.empty;
        for (const [status, problem] of [
            [409, 'session_busy'],
            [400, 'invalid_rewind_target']
        ] as const) {
            daemon.intercept = ({ method, path }, response) =>
                method === 'POST' && path.endsWith('/rewind') && !!response.writeHead(status).end(JSON.stringify({ code: problem }));
            expect(await forgets(turnId), problem).to.equal(false);
        }
        daemon.intercept = () => false;
        expect(await forgets(turnId)).to.equal(true);
        expect(daemon.requestsTo('/rewind').at(-1)?.body).to.deep.include({ promptId: 's########0', rewindFiles: false });
        expect(await forgets(turnId), 'again').to.equal(true);
    });

    it('a turn that ended while its cancellation waited is not cancelled any more', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'busy');
        await page.until('text', () => page.text(sessionId, turnId) === 'busy');
        const { asked, answer } = holdBack('/cancel');
        const cancelled = [1, 2].map(() => page.service.cancelTurn(sessionId, turnId));
        await asked;
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        answer();
        (await Promise.all(cancelled)).forEach(value);
        expect(daemon.requestsTo('/cancel')).to.have.length(1);
    });

    it('the prompt behind one that is taken back on its way is sent once, and ends with its turn', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const { asked, answer } = holdBack('/approval-mode');
        value(await page.service.sendPrompt(sessionId, { requestId: 'first', text: 'first', modeId: 'plan' }));
        await asked;
        value(await page.service.sendPrompt(sessionId, { requestId: 'next', text: 'next' }));
        value(await page.service.cancelTurn(sessionId, 'first'));
        expect((await page.end(sessionId, 'first')).outcome).to.equal('removed');
        answer();
        await page.until('the prompt', () => daemon.requestsTo('/prompt').length === 1);
        daemon.text(session, 'next', 'answer');
        await page.until('text', () => page.text(sessionId, 'next') === 'answer');
        daemon.complete(session, 'next');
        expect((await page.end(sessionId, 'next')).outcome).to.equal('completed');
        expect(daemon.requestsTo('/prompt')).to.have.length(1);
    });

    it('refuses more prompts than can wait', async () => {
        const { page, daemon, sessionId } = fixture;
        const { asked, answer } = holdBack('/prompt');
        const send = async (requestId: string): Promise<string> => code(await page.service.sendPrompt(sessionId, { requestId, text: 'x' }));
        expect(await send('first')).to.equal('taken');
        await asked;
        const answers = await Promise.all(Array.from({ length: 11 }, (_, index) => send(`${index}`)));
        expect(answers).to.deep.equal([...Array<string>(10).fill('taken'), 'prompt-limit']);
        answer();
        expect(daemon.requestsTo('/prompt')).to.have.length(1);
    });
});
