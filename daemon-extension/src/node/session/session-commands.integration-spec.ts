// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Answer } from '../../common/qwen-daemon-protocol';
import { EditorContextText } from '../../common/editor-context';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { value } from '../test/test-workspaces';
import { DaemonSession } from './daemon-session';
import { SessionCommands } from './session-commands';
import { MapperFixture } from '../test/mapper-fixture';

describe('Prompts and cancellations on their way (against a fake daemon)', () => {
    let fixture: FakeDaemonFixture;

    beforeEach(async () => {
        fixture = await FakeDaemonFixture.create();
    });
    afterEach(() => fixture.dispose());

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
        const next = page.service.sendPrompt(sessionId, { requestId: 'next', text: 'next' });
        // Ways there and back that nothing holds up.
        for (let count = 0; count < 5; count++) {
            value(await page.service.setModel(sessionId, 'fake-b(openai)'));
        }
        expect(daemon.requestsTo('/prompt')).to.have.length(1);
        answer();
        value(await cancelled);
        expect(code(await next)).to.equal('taken');
    });

    it('the context of the editor goes behind the prompt, in a block of its own', async () => {
        const { page, daemon, sessionId } = fixture;
        const editor = { path: '/w/a.ts', cursor: { line: 3, character: 1 }, selectedText: 'x' };
        value(await page.service.sendPrompt(sessionId, { requestId: 'with-editor', text: 'explain', editor }));
        expect(daemon.requestsTo('/prompt').at(-1)?.body.prompt).to.deep.equal([
            { type: 'text', text: 'explain' },
            { type: 'text', text: EditorContextText.create(editor) }
        ]);
    });

    it('a text steers a turn that runs; files, commands and what the turn does not take wait in the queue', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'busy');
        await page.until('text', () => page.text(sessionId, turnId) === 'busy');
        const send = (requestId: string, text: string, files?: string[]): Promise<Answer<{ turnId: string; steers?: boolean }>> =>
            page.service.sendPrompt(sessionId, { requestId, text, files, editor: files ? undefined : { path: '/w/a.ts' } });
        session.takesSteering = true;
        expect(value(await send('message-1', 'use tabs'))).to.deep.include({ turnId: 'message-1', steers: true });
        expect(daemon.requestsTo('/mid-turn-message').map(({ body }) => body)).to.deep.equal([
            { message: `use tabs${EditorContextText.create({ path: '/w/a.ts' })}`, messageId: 'message-1' }
        ]);
        expect(value(await send('message-1', 'use tabs')).turnId, 'asked again').to.equal('message-1');
        for (const [text, files] of [['look', ['/w/a.ts']], ['/stats'], ['x'.repeat(20_000)]] as [string, string[]?][]) {
            expect(value(await send(text.slice(0, 20), text, files)).steers).to.equal(undefined);
        }
        expect(daemon.requestsTo('/mid-turn-message')).to.have.length(1);
        session.takesSteering = false;
        expect(value(await send('message-2', 'too late')).turnId).not.to.equal('message-2');

        daemon.emit(session, { type: 'pending_prompt_added', promptId: 'message-1', data: { promptId: 'message-1', text: 'use tabs' } });
        await page.until('the queue', () => page.ofKind(sessionId, 'queue').at(-1)?.steering.includes('message-1'));
        value(await page.service.cancelTurn(sessionId, 'message-1'));
        expect(daemon.requestsTo('/mid-turn-messages/message-1')).to.have.length(1);
        expect(daemon.requestsTo('/cancel')).to.be.empty;
    });

    it('forgets no turn while one runs, nor one that is not known, or that the daemon cannot forget; and never files', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const turnId = await fixture.prompt();
        const at = Date.now();
        daemon.emit(session, {
            type: 'session_update',
            promptId: turnId,
            _meta: { serverTimestamp: at },
            data: { update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'hello' } } }
        });
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
        expect(await forgets(turnId), 'again').to.equal(false);
    });

    it('a turn that ended while its cancellation waited is not cancelled any more', async () => {
        const { page, daemon, session, sessionId } = fixture;
        const turnId = await fixture.prompt();
        daemon.text(session, turnId, 'busy');
        await page.until('text', () => page.text(sessionId, turnId) === 'busy');
        const { asked, answer } = holdBack('/prompt');
        const next = page.service.sendPrompt(sessionId, { requestId: 'next', text: 'next' });
        await asked;
        const cancelled = page.service.cancelTurn(sessionId, turnId);
        daemon.complete(session, turnId);
        await page.end(sessionId, turnId);
        answer();
        value(await next);
        value(await cancelled);
        expect(daemon.requestsTo('/cancel')).to.be.empty;
    });

    it('refuses more prompts than can wait for the daemon', async () => {
        const { page, daemon, sessionId } = fixture;
        const { asked, answer } = holdBack('/prompt');
        const prompts = Array.from({ length: 12 }, (_, index) =>
            page.service.sendPrompt(sessionId, { requestId: `${index}`, text: `${index}` })
        );
        await asked;
        expect([code(await prompts[10]), code(await prompts[11])]).to.deep.equal(['prompt-limit', 'prompt-limit']);
        answer();
        expect((await Promise.all(prompts.slice(0, 10))).map(code)).to.deep.equal(Array(10).fill('taken'));
        expect(daemon.requestsTo('/prompt')).to.have.length(10);
    });

    it('does not send a prompt that waited too long', async () => {
        const asked: string[] = [];
        const { mapper, own } = new MapperFixture();
        const session: Partial<DaemonSession> = {
            mapper,
            own,
            client: async () => ({ submitPrompt: async () => asked.push('prompt') }) as never,
            reportFailure: () => undefined
        };
        const commands = new SessionCommands(session as DaemonSession, -1);
        const answer = await commands.sendPrompt({ requestId: 'r', text: 'x' });
        expect(code(answer)).to.equal('not-sent');
        expect(asked).to.be.empty;
    });
});
