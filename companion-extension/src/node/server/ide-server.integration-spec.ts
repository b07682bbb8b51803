// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { promises as fs } from 'fs';
import { PROPOSAL_VERSION, ShownText } from '../../common/companion-protocol';
import { CliProcess } from '../test/cli-process';
import { RawConnection } from '../test/raw-connection';
import { eventually, TestCli } from '../test/test-cli';
import { TestServer } from '../test/test-server';
import { closedContent, failureText } from '../test/tool-results';

describe('IdeServer with the official MCP client', () => {
    let test: TestServer;
    let cli: TestCli;

    beforeEach(async () => {
        test = await TestServer.start();
        cli = await test.connect();
    });

    afterEach(() => test.stop());

    describe('as an MCP server', () => {
        it('T1 T2 T3 A4: initializes with a token, names itself and its capabilities, answers ping at /mcp', async () => {
            expect(cli.client.getServerVersion()?.name).to.equal('theia-cli-companion');
            expect(cli.client.getServerCapabilities()).to.deep.equal({ tools: {} });
            expect(await cli.client.ping()).to.deep.equal({});
        });

        it('T4: two servers have two ports, chosen by the system', async () => {
            const other = await TestServer.start();
            expect(other.server.port).not.to.equal(test.server.port);
            await other.stop();
        });

        it('A1, S2: every CLI and every server has its own token of 256 bits', async () => {
            const other = await TestServer.start();
            const tokens = [test.token('qwen-code'), test.token('gemini-cli'), other.token('qwen-code'), other.token('gemini-cli')];
            expect(new Set(tokens).size).to.equal(4);
            tokens.forEach(token => expect(Buffer.from(token, 'base64url')).to.have.length(32));
            await other.stop();
        });

        it('O1 O2 X1 X2 K1: offers openDiff and closeDiff with the arguments of the specification', async () => {
            const { tools } = await cli.client.listTools();
            const schemas = Object.fromEntries(tools.map(tool => [tool.name, tool.inputSchema]));
            expect(schemas).to.have.all.keys('openDiff', 'closeDiff');
            expect(schemas.openDiff.properties).to.have.all.keys('filePath', 'newContent');
            expect(schemas.openDiff.required).to.have.members(['filePath', 'newContent']);
            expect(schemas.closeDiff.properties).to.have.all.keys('filePath', 'suppressNotification');
            expect(schemas.closeDiff.required).to.deep.equal(['filePath']);
        });

        for (const version of ['2025-06-18', '2025-11-25']) {
            it(`K5: negotiates ${version}`, async () => {
                const response = await test.post({
                    jsonrpc: '2.0',
                    id: 0,
                    method: 'initialize',
                    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'streamable-http-client', version: '1' } }
                });
                expect(await response.text()).to.include(`"protocolVersion":"${version}"`);
            });
        }

        it('K6, S9: answers 404 to an unknown session, 400 to a missing one and to what is no message, and says nothing of itself', async () => {
            const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
            const headers = { 'Mcp-Session-Id': cli.sessionId ?? '' };
            const answers: Array<[number, Response]> = [
                [404, await test.post(ping, { 'Mcp-Session-Id': 'unknown' })],
                [400, await test.post(ping)],
                [400, await test.post('{broken', headers)],
                [400, await test.post('"text"', headers)],
                [400, await test.post({ jsonrpc: '2.0', method: 7 }, headers)]
            ];
            for (const [status, answer] of answers) {
                expect(answer.status).to.equal(status);
                expect(answer.headers.get('content-type')).to.match(/^application\/json/);
                expect(await answer.text()).not.to.match(/node_modules|\.[jt]s\b|\bat .*:\d+|<html/i);
            }
        });

        it('K7: after DELETE the session is gone and a new client connects at once', async () => {
            const id = cli.sessionId ?? '';
            await cli.terminate();
            const response = await test.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'Mcp-Session-Id': id });
            expect(response.status).to.equal(404);
            expect(await (await test.connect()).client.ping()).to.deep.equal({});
        });

        it("another CLI's token does not open a session", async () => {
            const headers = { 'Mcp-Session-Id': cli.sessionId ?? '', Authorization: `Bearer ${test.token('gemini-cli')}` };
            expect((await test.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).to.equal(404);
        });

        it('answers errors of the protocol as errors, and lives on', async () => {
            const unknownTool = await cli.client.callTool({ name: 'noSuchTool', arguments: {} }).catch((error: unknown) => error);
            expect(unknownTool).to.include({ code: -32602 });
            const headers = { 'Mcp-Session-Id': cli.sessionId ?? '' };
            const unknownMethod = await test.post({ jsonrpc: '2.0', id: 7, method: 'no/such' }, headers);
            expect(await unknownMethod.text()).to.include('-32601');
            expect((await test.post('{broken', headers)).status).to.equal(400);
            expect(await cli.client.ping()).to.deep.equal({});
        });
    });

    describe('context', () => {
        const context = { workspaceState: { openFiles: [{ path: '/w/a.ts', timestamp: 1, isActive: true }] } };

        it('K4 C1: a session gets the last context as soon as its stream is open', async () => {
            test.server.context.update(context);
            const late = await test.connect();
            expect((await late.next('ide/contextUpdate')).params).to.deep.equal(context);
        });

        it('C8: trust that was told once stays told until it changes', async () => {
            test.server.context.update({ workspaceState: { openFiles: [], isTrusted: true } });
            expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({ workspaceState: { openFiles: [], isTrusted: true } });
            test.server.context.update(context);
            expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({
                workspaceState: { isTrusted: true, ...context.workspaceState }
            });
            test.server.context.update({ workspaceState: { isTrusted: false } });
            expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({ workspaceState: { isTrusted: false } });
        });

        it('a change reaches every session', async () => {
            const other = await test.connect('gemini-cli');
            test.server.context.update(context);
            expect((await cli.next('ide/contextUpdate')).params).to.deep.equal(context);
            expect((await other.next('ide/contextUpdate')).params).to.deep.equal(context);
        });
    });

    describe('diffs', () => {
        it('O3 O4: openDiff answers with empty content while the user still thinks', async () => {
            expect(await cli.openDiff(test.file('a.txt'), 'new')).to.deep.equal({ content: [] });
            expect(test.shown.map(review => review.state)).to.deep.equal(['pending']);
        });

        it('openDiff answers with empty content where no page is there, and the review waits', async () => {
            test.showResult = undefined;
            expect(await cli.openDiff(test.file('a.txt'), 'new')).to.deep.equal({ content: [] });
            expect(test.server.reviews.waiting()).to.have.length(1);
        });

        it('O5: openDiff fails with the reason where the page cannot show it', async () => {
            test.showResult = { shown: false, reason: 'No room' };
            expect(failureText(await cli.openDiff(test.file('a.txt'), 'new'))).to.equal('No room');
            expect(test.server.reviews.waiting()).to.have.length(0);
        });

        it('N1 N2: an unedited accept returns the proposal byte for byte, under the path as received', async () => {
            const odd = `${test.workspace}/./x/../a.txt`;
            const proposal = '\uFEFFone\r\ntwo\rthree\u2028\0\n';
            await cli.openDiff(odd, proposal);
            expect(test.server.reviews.accept(test.shown[0].id, { unedited: true })).to.deep.equal({ result: 'done' });
            expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: odd, content: proposal });
        });

        it('N3: an accept carries what the user made of it', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            test.server.reviews.accept(test.shown[0].id, { text: 'edited' });
            expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('a.txt'), content: 'edited' });
        });

        it('N4 N6 N7: one outcome leaves, whatever follows', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            const { id } = test.shown[0];
            test.server.reviews.reject(id);
            expect(test.server.reviews.accept(id, { unedited: true }).result).to.equal('late');
            expect(test.server.reviews.reject(id).result).to.equal('late');
            expect((await cli.next('ide/diffRejected')).params).to.deep.equal({ filePath: test.file('a.txt') });
            expect(await cli.settled()).to.deep.equal([]);
        });

        it('an emptied proposal is refused, one that was empty is not', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            expect(test.server.reviews.accept(test.shown[0].id, { text: '' })).to.deep.equal({ result: 'emptied' });
            await cli.openDiff(test.file('b.txt'), '');
            expect(test.server.reviews.accept(test.shown[1].id, { unedited: true })).to.deep.equal({ result: 'done' });
        });

        it('X3 K2 K3: closeDiff returns the mirrored edits as JSON and sends no notification', async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            test.server.reviews.edit(test.shown[0].id, 'page', { revision: 1, text: 'edited', base: PROPOSAL_VERSION });
            expect(closedContent(await cli.closeDiff(test.file('a.txt'), true))).to.equal('edited');
            expect(closedContent(await closeAnother(cli))).to.equal('proposal');
            expect(await cli.settled()).to.deep.equal([]);

            async function closeAnother(session: TestCli): Promise<CallToolResult> {
                await session.openDiff(test.file('b.txt'), 'proposal');
                return session.closeDiff(test.file('b.txt'));
            }
        });

        it("X4: closeDiff prefers the page's newest text to the mirrored one", async () => {
            await cli.openDiff(test.file('a.txt'), 'new');
            test.closeResult = { text: 'typed a moment ago' };
            expect(closedContent(await cli.closeDiff(test.file('a.txt')))).to.equal('typed a moment ago');
            expect(test.closed).to.have.length(1);
        });

        it('a closeDiff that overtakes its openDiff leaves no diff behind', async () => {
            const [session] = test.server.sessions.all();
            const opening = test.server.openDiff(session, test.file('a.txt'), 'new');
            expect(await test.server.closeDiff(session, test.file('a.txt'), true)).to.equal('new');
            expect(await opening).to.equal(undefined);
            expect(test.server.reviews.waiting()).to.deep.equal([]);
        });

        it('a diff whose session closes while its path is checked does not begin to wait: nobody would ever end it', async () => {
            const [session] = test.server.sessions.all();
            const opening = test.server.openDiff(session, test.file('a.txt'), 'new');
            await session.close();
            await opening;
            expect(test.server.reviews.waiting()).to.deep.equal([]);
            expect(test.shown).to.deep.equal([]);
        });

        it('X5: closeDiff of a path without a diff fails and names the path', async () => {
            expect(failureText(await cli.closeDiff('/no/such.txt'))).to.equal('No open diff for /no/such.txt');
        });

        it('S8: the outcome goes to the session that asked; one of another process can neither read nor close the diff', async () => {
            const other = await CliProcess.open({ port: test.server.port, token: test.token() }, test.file('a.txt'), 'secret');
            try {
                await processesKnown();
                expect(failureText(await cli.closeDiff(test.file('a.txt')))).to.include('No open diff');
                await cli.openDiff(test.file('a.txt'), 'another');
                expect(test.shown.map(({ state }) => state)).to.deep.equal(['pending', 'pending']);
                test.server.reviews.accept(test.shown[0].id, { unedited: true });
                expect((await other.next('ide/diffAccepted')).params).to.include({ content: 'secret' });
                expect(await cli.settled()).to.deep.equal([]);
            } finally {
                await other.end();
            }
        });

        it('a second openDiff for the same file takes the place of the first without a notification', async () => {
            await cli.openDiff(test.file('a.txt'), 'first');
            await cli.openDiff(test.file('a.txt'), 'second');
            expect(test.shown.map(review => review.state)).to.deep.equal(['closed', 'pending']);
            expect(await cli.settled()).to.deep.equal([]);
        });
    });

    describe('diffs of a process that has two sessions, as after /ide enable', () => {
        const ACCEPT: ShownText = { unedited: true };
        let file: string;

        beforeEach(() => (file = test.file('a.txt')));

        it('the diff of its newer session takes the place of the older one: an answer to that comes late', async () => {
            await cli.openDiff(file, 'first');
            const later = await connectAgain();
            await later.openDiff(file, 'second');
            expect(test.shown.map(({ state }) => state)).to.deep.equal(['closed', 'pending']);
            expect(test.server.reviews.accept(test.shown[0].id, ACCEPT).result).to.equal('late');
            test.server.reviews.accept(test.shown[1].id, ACCEPT);
            expect((await later.next('ide/diffAccepted')).params).to.deep.equal({ filePath: file, content: 'second' });
            expect([...(await cli.settled()), ...(await later.settled())]).to.deep.equal([]);
        });

        for (const older of [true, false]) {
            it(`its ${older ? 'older' : 'newer'} session closes the diff of the other one`, async () => {
                const later = await connectAgain();
                await (older ? later : cli).openDiff(file, 'new');
                expect(closedContent(await (older ? cli : later).closeDiff(file))).to.equal('new');
                expect(test.shown[0].state).to.equal('closed');
                expect([...(await cli.settled()), ...(await later.settled())]).to.deep.equal([]);
            });
        }

        it('an answer that still waits for the older session does not answer the newer diff', async () => {
            const later = await connectAgain();
            await cli.openDiff(file, 'first');
            await cli.openDiff(test.file('b.txt'), 'other');
            const [earlier] = test.server.sessions.all();
            cli.muteStream();
            test.server.reviews.accept(test.shown[0].id, ACCEPT);
            test.server.reviews.accept(test.shown[1].id, ACCEPT);
            await cli.settled();
            await later.openDiff(file, 'second');
            cli.cutStream();
            await eventually('the lost stream to be noticed', () => earlier.state === 'lost');
            expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('b.txt'), content: 'other' });
            expect([...(await cli.settled()), ...(await later.settled())]).to.deep.equal([]);
        });

        it('an answer that waits for a stream is not handed over to the session that asks again', async () => {
            await cli.openDiff(file, 'first');
            await processesKnown();
            const [earlier] = test.server.sessions.all();
            await cli.disconnect();
            await eventually('the lost stream to be noticed', () => earlier.state === 'lost');
            test.server.reviews.accept(test.shown[0].id, ACCEPT);
            const id = await sessionWithoutStream();
            await openDiffOn(id, 'second');
            const stream = await streamOf(id);
            await processesKnown();
            test.server.reviews.reject(test.shown[1].id);
            await eventually('the answer to the newer diff', () => stream.received.includes('ide/diffRejected'));
            expect(stream.received).not.to.include('ide/diffAccepted');
            stream.destroy();
        });

        it('a process that is found while its session asks counts already: the older diff is closed', async () => {
            await cli.openDiff(file, 'first');
            await processesKnown();
            const { readFile } = fs;
            let goOn = (): void => undefined;
            const held = new Promise<void>(resolve => (goOn = resolve));
            let looking = false;
            const patched = async (...args: Parameters<typeof readFile>): Promise<string | Buffer> => {
                // The first thing that is read to look for a process.
                if (args[0] === '/proc/net/tcp') {
                    looking = true;
                    await held;
                }
                return readFile(...args);
            };
            fs.readFile = patched as typeof readFile;
            try {
                const later = await test.connect();
                await eventually('the process to be looked for', () => looking);
                const opening = later.openDiff(file, 'second');
                const closing = later.closeDiff(file);
                await later.client.ping();
                goOn();
                await opening;
                expect(closedContent(await closing)).to.equal('second');
                expect(test.server.reviews.waiting().map(({ proposal }) => proposal)).to.deep.equal([]);
            } finally {
                fs.readFile = readFile;
                goOn();
            }
        });

        it('where the process becomes known only afterwards, the newer of the two diffs stays', async () => {
            await cli.openDiff(file, 'first');
            await processesKnown();
            const id = await sessionWithoutStream();
            await openDiffOn(id, 'second');
            expect(test.shown.map(({ state }) => state)).to.deep.equal(['pending', 'pending']);
            const stream = await streamOf(id);
            await eventually('the older diff to be closed', () => test.shown[0].state === 'closed');
            expect(test.shown[1].state).to.equal('pending');
            stream.destroy();
        });

        async function connectAgain(): Promise<TestCli> {
            const later = await test.connect();
            await processesKnown();
            return later;
        }

        async function sessionWithoutStream(): Promise<string> {
            const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
            const response = await test.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
            await response.text();
            return response.headers.get('mcp-session-id') ?? '';
        }

        async function openDiffOn(id: string, newContent: string): Promise<void> {
            const params = { name: 'openDiff', arguments: { filePath: file, newContent } };
            const response = await test.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { 'Mcp-Session-Id': id });
            expect(await response.text()).to.include('"content":[]');
        }

        async function streamOf(id: string): Promise<RawConnection> {
            const stream = await RawConnection.open(test.server.port);
            const headers = [`Host: 127.0.0.1:${test.server.port}`, `Authorization: Bearer ${test.token()}`, `Mcp-Session-Id: ${id}`];
            stream.send(['GET /mcp HTTP/1.1', ...headers, 'Accept: text/event-stream', '', ''].join('\r\n'));
            await eventually('the stream', () => stream.status === 200);
            return stream;
        }
    });

    async function processesKnown(): Promise<void> {
        await eventually('the processes to be found', () => test.server.sessions.all().every(({ peer }) => peer !== undefined));
    }
});
