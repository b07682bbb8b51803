// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CopilotClient, CopilotLock, readCopilotLocks } from '../test/copilot-client';
import { RawConnection } from '../test/raw-connection';
import { TestBackend } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { TestPage } from '../test/test-page';

const MIB = 1024 * 1024;

describe('The socket of Copilot CLI among hostile peers', () => {
    let backend: TestBackend;
    let lock: CopilotLock;
    const connections: RawConnection[] = [];
    const clis: CopilotClient[] = [];

    async function open(): Promise<RawConnection> {
        const connection = await RawConnection.open(lock.socketPath);
        connections.push(connection);
        return connection;
    }

    /** @param changes headers; an empty value leaves one out */
    function head(changes: Record<string, string> = {}, line = 'POST /mcp'): string {
        const headers: Record<string, string> = {
            Host: 'localhost',
            Authorization: lock.headers.Authorization,
            Accept: 'application/json, text/event-stream',
            'Content-Type': 'application/json',
            'Content-Length': '2',
            ...changes
        };
        const lines = Object.entries(headers).flatMap(([name, value]) => (value ? `${name}: ${value}` : []));
        return [`${line} HTTP/1.1`, ...lines, '', ''].join('\r\n');
    }

    async function statusOf(changes: Record<string, string>, line?: string): Promise<number> {
        const connection = await open();
        connection.send(head(changes, line) + '{}');
        return eventually('the answer', () => connection.status || undefined);
    }

    async function connect(): Promise<CopilotClient> {
        const cli = await CopilotClient.connect(lock);
        clis.push(cli);
        return cli;
    }

    beforeEach(async () => {
        backend = new TestBackend();
        const page = new TestPage();
        await backend.connect(page).service.hello(backend.window(page));
        [lock] = readCopilotLocks(backend.host.homeFolder);
    });

    afterEach(async () => {
        connections.splice(0).forEach(connection => connection.destroy());
        await Promise.all(clis.splice(0).map(cli => cli.kill()));
        await backend.stop();
    });

    it('P4: serves nobody without its nonce, and says nothing of it', async () => {
        const nonce = lock.headers.Authorization;
        const wrong = [
            '',
            'Nonce',
            'Nonce x',
            nonce.slice(0, -1),
            `${nonce}x`,
            nonce.replace('Nonce', 'Bearer'),
            nonce.slice('Nonce '.length)
        ];
        for (const authorization of wrong) {
            expect(await statusOf({ Authorization: authorization }), authorization).to.equal(401);
        }
        const log = JSON.stringify(backend.logger.lines);
        expect(log).to.contain('401 Unauthorized').and.not.to.contain(nonce.slice('Nonce '.length));
        expect(await statusOf({ 'X-Copilot-PID': '1' })).to.equal(400);
    });

    it('P4: has the guards of the other listeners', async () => {
        expect(await statusOf({ Host: 'evil.example' })).to.equal(403);
        expect(await statusOf({ Host: '127.0.0.1' })).to.equal(403);
        expect(await statusOf({ Origin: 'http://localhost' })).to.equal(403);
        expect(await statusOf({}, 'POST /other')).to.equal(404);
        expect(await statusOf({}, 'PUT /mcp')).to.equal(405);
        expect(await statusOf({ 'Content-Type': 'text/plain' })).to.equal(415);
        expect(await statusOf({ 'Content-Length': String(200 * MIB) })).to.equal(413);
        expect(await statusOf({ 'Mcp-Session-Id': 'unknown' })).to.equal(404);
        expect(await statusOf({ 'X-Flood': 'x'.repeat(20_000) })).to.equal(431);
    });

    it('S21: cuts bodies of unknown length that together take too much, and serves the CLI meanwhile', async () => {
        const cli = await connect();
        const chunked = head({ 'Content-Length': '', 'Transfer-Encoding': 'chunked' });
        const piece = Buffer.alloc(MIB, 'x').toString('latin1');
        const [first, second] = [await open(), await open()];
        for (const sender of [first, second]) {
            sender.send(chunked);
            for (let sent = 0; sent < 18 && !sender.closed; sent++) {
                sender.send(`${MIB.toString(16)}\r\n${piece}\r\n`);
            }
        }
        await eventually('one of them to be cut', () => [first, second].some(({ closed }) => closed));
        expect(await cli.client.ping()).to.deep.equal({});
        expect(backend.logger.lines).to.include('Refused a request: Too many large bodies at once');
    });

    it('S21: serves the CLI while 600 silent connections are opened', async () => {
        const cli = await connect();
        // The system refuses more than may wait to be accepted.
        for (let count = 0; count < 6; count++) {
            await Promise.all(Array.from({ length: 100 }, open));
            await cli.client.ping();
        }
        expect(await cli.client.ping()).to.deep.equal({});
        expect((await connect()).received).to.be.an('array');
    });

    it('S21: a storm of sessions ends with those of CLIs that have their streams', async () => {
        const cli = await connect();
        const initialize = JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'storm', version: '1' } }
        });
        for (let count = 0; count < 100; count++) {
            const connection = await open();
            connection.send(head({ 'Content-Length': String(initialize.length) }) + initialize);
            await eventually('the answer', () => connection.status === 200);
            connection.destroy();
        }
        expect(await cli.client.ping()).to.deep.equal({});
        expect(backend.windows.serverFor('window-1')).not.to.equal(undefined);
    });

    it('P4: the session of one folder is closed to those with the nonce of another one', async () => {
        const cli = await connect();
        const session = (cli.client.transport as { sessionId?: string }).sessionId ?? '';
        const other = new TestPage();
        const folder = backend.host.home('other');
        await backend.connect(other).service.hello(backend.window(other, { windowId: 'window-2', roots: [`file://${folder}`] }));
        const [stranger] = readCopilotLocks(backend.host.homeFolder).filter(({ workspaceFolders }) => workspaceFolders.includes(folder));
        const headers = { Authorization: stranger.headers.Authorization, 'Mcp-Session-Id': session };
        expect(await statusOf(headers)).to.equal(404);
        expect(await cli.client.ping()).to.deep.equal({});
    });
});
