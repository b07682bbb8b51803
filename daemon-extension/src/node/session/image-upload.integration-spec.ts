// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import * as http from 'http';
import { expect } from 'chai';
import { requestIdOf } from '../test/fake-daemon';
import { FakeDaemonFixture } from '../test/fake-daemon-fixture';
import { value } from '../test/test-workspaces';

describe('Images of a prompt (against a fake daemon)', () => {
    let fixture: FakeDaemonFixture;
    FakeDaemonFixture.forEachTest(created => (fixture = created));

    const data = Buffer.from('the bytes').toString('base64');
    const image = (name: string): { name: string; mimeType: string; data: string } => ({ name, mimeType: 'image/png', data });
    /** What became of it. */
    async function send(...names: string[]): Promise<object | string> {
        const { daemon, page, sessionId } = fixture;
        const requestId = randomUUID();
        value(await page.service.sendPrompt(sessionId, { requestId, text: 'what is that?', images: names.map(image) }));
        return page.until('what became of it', () => {
            const removed = page.ofKind(sessionId, 'end').find(({ turnId }) => turnId === requestId);
            return removed?.problem ?? (daemon.requestsTo('/prompt').some(({ body }) => requestIdOf(body) === requestId) && 'taken');
        });
    }
    function refuse(isRefused: (name: unknown) => boolean, status: number, body: object): void {
        fixture.daemon.intercept = ({ method, path, body: { name } }, response: http.ServerResponse) => {
            const refused = method === 'POST' && path.endsWith('/attachments') && isRefused(name);
            if (refused) {
                response.writeHead(status, { 'content-type': 'application/json' });
                response.end(JSON.stringify(body));
            }
            return refused;
        };
    }

    it('go to the daemon before the prompt, which names them', async () => {
        expect(await send('src/a.png', 'b?.png')).to.equal('taken');
        const { daemon } = fixture;
        expect(daemon.requestsTo('/attachments').map(({ body }) => body)).to.deep.equal([
            { name: 'a.png', type: 'image/png', size: 9 },
            { name: 'b.png', type: 'image/png', size: 9 }
        ]);
        expect(daemon.requestsTo('/prompt')[0].body.prompt).to.deep.equal([
            { type: 'text', text: 'what is that?' },
            { type: 'image', attachmentId: 'a.png', mimeType: 'image/png', size: 9 },
            { type: 'image', attachmentId: 'b.png', mimeType: 'image/png', size: 9 }
        ]);
    });

    it('have a name that the daemon takes: no path, nothing that is forbidden, and an ending of its kind', async () => {
        await send('img/a b.PNG', 'C:\\x\\photo.jpeg', 'a<b>:"c|?*\u0007.png', '..', '.png', '图.片');
        const names = fixture.daemon.requestsTo('/attachments').map(({ body }) => body.name);
        expect(names).to.deep.equal(['a b.png', 'photo.png', 'abc.png', 'image.png', 'png.png', '图.png']);
    });

    it('if one fails: nothing is asked, nothing is left there, and the message can be sent again', async () => {
        refuse(name => name === 'b.png', 500, { error: 'disk full' });
        expect(await send('a.png', 'b.png')).to.deep.include({ code: 'call-failed', status: 500 });
        const { daemon } = fixture;
        expect(daemon.requestsTo('/prompt')).to.have.length(0);
        expect(daemon.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/').pop())).to.deep.equal([
            'a.png'
        ]);
        daemon.intercept = () => false;
        expect(await send('a.png', 'b.png')).to.equal('taken');
    });

    it('are not left there if the daemon does not take their prompt', async () => {
        const { daemon, page, sessionId } = fixture;
        daemon.intercept = ({ method, path }, response) => {
            const isPrompt = method === 'POST' && path.endsWith('/prompt');
            if (isPrompt) {
                response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
            }
            return isPrompt;
        };
        await send('a.png', 'b.png');
        const end = await page.until('the end', () => page.ofKind(sessionId, 'end')[0]);
        expect([end.outcome, end.problem]).to.deep.equal(['removed', { code: 'call-failed', status: 500 }]);
        const removed = daemon.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/').pop());
        expect(removed.sort()).to.deep.equal(['a.png', 'b.png']);
    });

    it('[F9] hold up nothing of others, and keep its order if one fails', async () => {
        const { page, daemon, session, sessionId } = fixture;
        let upload = (): void => undefined;
        const held = new Promise<void>(resolve => (upload = resolve));
        const asked = new Promise<void>(resolve => {
            daemon.intercept = async ({ path }, response) => {
                if (!path.endsWith('/attachments')) {
                    return false;
                }
                resolve();
                await held;
                response.writeHead(413).end();
                return true;
            };
        });
        const sending = send('a.png');
        await asked;
        const say = (text: string): void =>
            daemon.emit(session, {
                type: 'session_update',
                promptId: 'theirs',
                originatorClientId: 'client_other',
                data: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } }
            });
        say('ONE ');
        await page.until('their text', () => page.text(sessionId, 'theirs') === 'ONE ');
        upload();
        expect(await sending).to.deep.include({ code: 'bad-image' });
        say('TWO ');
        await page.until('all of it', () => page.text(sessionId, 'theirs') === 'ONE TWO ');
    });

    it('[F9] give free what was held for their prompt, if one fails', async () => {
        const { page, daemon, session, sessionId } = fixture;
        refuse(
            () => {
                daemon.text(session, 'mine', 'ONE ');
                return true;
            },
            413,
            {}
        );
        await send('a.png');
        daemon.text(session, 'mine', 'TWO ');
        await page.until('all in order', () => page.text(sessionId, 'mine') === 'ONE TWO ');
    });

    it('that the daemon refuses: too large, of another kind, or no image', async () => {
        refuse(() => true, 413, { error: 'Request body too large (max 8 MiB)' });
        expect(await send('a.png')).to.deep.equal({ code: 'bad-image', name: 'a.png' });
        refuse(() => true, 400, { error: 'Attachment name and Content-Type do not match' });
        expect(await send('a.png')).to.deep.equal({ code: 'bad-image', name: 'a.png' });
        refuse(() => true, 404, { error: 'no such route' });
        expect(await send('a.png')).to.deep.include({ code: 'call-failed', status: 404 });
    });
});
