// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { TestCli } from '../test/test-cli';
import { TestServer } from '../test/test-server';

describe('The server of a Window, with the official MCP client', () => {
    let test: TestServer;
    let cli: TestCli;
    TestServer.forEachTest((started, connected) => ([test, cli] = [started, connected]));

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

        it('K6, S9: answers 404 to an unknown session, 400 to a missing one and to what is not a message, and reveals nothing about itself', async () => {
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

        it('answers errors of the protocol as errors, and survives', async () => {
            const unknownTool = await cli.client.callTool({ name: 'noSuchTool', arguments: {} }).catch((error: unknown) => error);
            expect(unknownTool).to.include({ code: -32602 });
            const headers = { 'Mcp-Session-Id': cli.sessionId ?? '' };
            for (const params of [undefined, {}, { name: 'openDiff', arguments: null }]) {
                const malformed = await test.post({ jsonrpc: '2.0', id: 6, method: 'tools/call', params }, headers);
                expect(await malformed.text()).to.include('-32602');
            }
            const unknownMethod = await test.post({ jsonrpc: '2.0', id: 7, method: 'no/such' }, headers);
            expect(await unknownMethod.text()).to.include('-32601');
            expect((await test.post('{broken', headers)).status).to.equal(400);
            expect(await cli.client.ping()).to.deep.equal({});
        });
    });

    describe('context', () => {
        const context = { workspaceState: { openFiles: [{ path: '/w/a.ts', timestamp: 1, isActive: true }] } };

        it('K4 C1: a session gets the last context as soon as its stream is open', async () => {
            test.context.update(context);
            const late = await test.connect();
            expect((await late.next('ide/contextUpdate')).params).to.deep.equal(context);
        });

        it('C8: trust that was reported once stays reported until it changes', async () => {
            test.context.update({ workspaceState: { openFiles: [], isTrusted: true } });
            expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({ workspaceState: { openFiles: [], isTrusted: true } });
            test.context.update(context);
            expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({
                workspaceState: { isTrusted: true, ...context.workspaceState }
            });
            test.context.update({ workspaceState: { isTrusted: false } });
            expect((await cli.next('ide/contextUpdate')).params).to.deep.equal({ workspaceState: { isTrusted: false } });
        });

        it('a change reaches every session', async () => {
            const other = await test.connect('gemini-cli');
            test.context.update(context);
            expect((await cli.next('ide/contextUpdate')).params).to.deep.equal(context);
            expect((await other.next('ide/contextUpdate')).params).to.deep.equal(context);
        });
    });
});
