// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Answer } from '../../common/daemon-status';
import { EditorContextText } from '../../common/editor-context';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { value } from '../test/test-workspaces';
import { CommandedSession, SessionCommands } from './session-commands';
import { SessionContext } from './session-context';
import { MapperFixture } from '../test/mapper-fixture';
import { Redactor } from '../config/redactor';

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
        const session: CommandedSession = {
            sessionId: 's',
            mapper: new MapperFixture().mapper,
            context: SessionContext.empty,
            chosenModeId: 'default',
            client: async () => ({ submitPrompt: async () => asked.push('prompt') }) as never,
            admitted: () => undefined,
            reportFailure: () => undefined,
            announceMode: () => undefined,
            keepMode: async () => undefined
        };
        const commands = new SessionCommands(session, new MapperFixture().own, new Redactor(), -1);
        const answer = await commands.sendPrompt({ requestId: 'r', text: 'x' });
        expect(code(answer)).to.equal('not-sent');
        expect(asked).to.be.empty;
    });
});
