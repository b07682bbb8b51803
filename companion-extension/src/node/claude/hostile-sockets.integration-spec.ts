// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { randomBytes } from 'crypto';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ProcessTable } from '../host/process-table';
import { ClaudeClient, ClaudeLock, readLocks } from '../test/claude-client';
import { RawConnection } from '../test/raw-connection';
import { TestBackend } from '../test/test-backend';
import { eventually } from '../test/test-cli';
import { TestPage } from '../test/test-page';

/** Opcodes of frames (RFC 6455, section 5.2). */
const CONTINUED = 0;
const TEXT = 1;
const BINARY = 2;
const PING = 9;

/** The first byte of the last frame of a message, and of one that goes on. */
const LAST = 0x80;

const MASK = Buffer.from([1, 2, 3, 4]);

/** A frame as a client sends it. @param length that it claims; its own if it is left out */
function frame(opcode: number, payload: Buffer | string, flags = LAST, length = Buffer.byteLength(payload)): Buffer {
    const head = Buffer.alloc(10);
    head[0] = flags | opcode;
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
    const body = Buffer.from(payload).map((byte, index) => byte ^ MASK[index % 4]);
    return Buffer.concat([head, MASK, body]);
}

describe('The socket of Claude Code among hostile peers', () => {
    let backend: TestBackend;
    let lock: ClaudeLock;
    let page: TestPage;
    const connections: RawConnection[] = [];
    const clis: ClaudeClient[] = [];

    async function open(): Promise<RawConnection> {
        const connection = await RawConnection.open(lock.port);
        connections.push(connection);
        return connection;
    }

    /** @param changes headers; an empty value leaves one out */
    function upgrade(changes: Record<string, string> = {}, path = '/', method = 'GET'): string {
        const headers: Record<string, string> = {
            Host: `127.0.0.1:${lock.port}`,
            Connection: 'Upgrade',
            Upgrade: 'websocket',
            'Sec-WebSocket-Version': '13',
            'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
            'X-Claude-Code-Ide-Authorization': lock.authToken,
            ...changes
        };
        const lines = Object.entries(headers).flatMap(([name, value]) => (value ? `${name}: ${value}` : []));
        return [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
    }

    async function statusOf(head: string): Promise<number> {
        const connection = await open();
        connection.send(head);
        return eventually('the answer', () => connection.status || undefined);
    }

    /** With a token, past the upgrade. */
    async function upgraded(changes: Record<string, string> = {}): Promise<RawConnection> {
        const connection = await open();
        connection.send(upgrade(changes));
        await eventually('the upgrade', () => connection.status === 101);
        return connection;
    }

    function send(connection: RawConnection, ...frames: Buffer[]): void {
        frames.forEach(one => connection.socket.write(one));
    }

    async function connect(): Promise<ClaudeClient> {
        const cli = await ClaudeClient.connect(lock);
        clis.push(cli);
        return cli;
    }

    async function expectServed(): Promise<void> {
        const cli = await connect();
        expect(await cli.client.ping()).to.deep.equal({});
        cli.kill();
    }

    async function expectCut(connection: RawConnection): Promise<void> {
        await eventually('the connection to be cut', () => connection.closed);
        await expectServed();
    }

    beforeEach(async () => {
        backend = new TestBackend();
        page = new TestPage();
        const roots = [backend.host.homeFolder, process.cwd()].map(folder => FileUri.create(folder).toString());
        await backend.connect(page).service.hello(backend.window(page, { roots }));
        [lock] = readLocks(backend.host.homeFolder);
    });

    afterEach(async () => {
        connections.splice(0).forEach(connection => connection.destroy());
        clis.splice(0).forEach(cli => cli.kill());
        await backend.stop();
    });

    describe('S4, W2: before the upgrade', () => {
        const refused: Array<[string, number, Record<string, string>]> = [
            ['no token', 401, { 'X-Claude-Code-Ide-Authorization': '' }],
            ['a wrong token', 401, { 'X-Claude-Code-Ide-Authorization': 'x'.repeat(43) }],
            ['the token in another header', 401, { 'X-Claude-Code-Ide-Authorization': '', Authorization: 'Bearer x' }],
            ['an Origin, even with the token', 403, { Origin: 'https://example.org' }],
            ['an Origin of the server itself', 403, { Origin: 'http://127.0.0.1' }],
            ['Sec-Fetch-Site', 403, { 'Sec-Fetch-Site': 'none' }],
            ['the Host of a rebinding page', 403, { Host: 'example.org' }],
            ['the Host without a port', 403, { Host: '127.0.0.1' }],
            ['no Host', 403, { Host: '' }],
            ['another version of the protocol', 400, { 'Sec-WebSocket-Version': '7' }],
            ['no key', 400, { 'Sec-WebSocket-Key': '' }],
            ['another protocol', 400, { Upgrade: 'h2c' }]
        ];
        for (const [what, status, changes] of refused) {
            it(`refuses ${what}`, async () => {
                expect(await statusOf(upgrade(changes))).to.equal(status);
                await expectServed();
            });
        }

        it('refuses the token of the HTTP listener, and that one refuses this token', async () => {
            const http = backend.discovered();
            expect(await statusOf(upgrade({ 'X-Claude-Code-Ide-Authorization': http.token }))).to.equal(401);
            const response = await fetch(`http://127.0.0.1:${http.port}/mcp`, {
                method: 'POST',
                headers: { Authorization: `Bearer ${lock.authToken}` }
            });
            expect(response.status).to.equal(401);
        });

        it('refuses two tokens, another path and another method', async () => {
            const twice = upgrade().replace(/(X-Claude-Code-Ide-Authorization: .*\r\n)/, '$1$1');
            expect(await statusOf(twice)).to.equal(400);
            expect(await statusOf(upgrade({}, '/mcp'))).to.equal(404);
            expect(await statusOf(upgrade({}, '/', 'POST'))).to.equal(405);
        });

        it('parses no frame that comes with a request without a token', async () => {
            const connection = await open();
            connection.send(upgrade({ 'X-Claude-Code-Ide-Authorization': '' }));
            const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
            send(connection, frame(TEXT, JSON.stringify(initialize)));
            await eventually('the refusal', () => connection.closed);
            expect(connection.status).to.equal(401);
            expect(connection.received).not.to.contain('jsonrpc');
            await expectServed();
        });

        it('reveals nothing about the token and serves no page', async () => {
            const page = await fetch(`http://127.0.0.1:${lock.port}/`);
            expect(page.status).to.equal(401);
            const known = await fetch(`http://127.0.0.1:${lock.port}/`, {
                headers: { 'X-Claude-Code-Ide-Authorization': lock.authToken }
            });
            expect(known.status).to.equal(426);
            expect(await known.text()).not.to.contain(lock.authToken);
        });

        it('keeps working during a storm of upgrades without a token', async () => {
            const storm = Array.from({ length: 300 }, () => statusOf(upgrade({ 'X-Claude-Code-Ide-Authorization': '' })));
            expect(new Set(await Promise.all(storm))).to.deep.equal(new Set([401]));
            await expectServed();
        });

        it('refused senders that keep their half open give way to a CLI, however many they are', async () => {
            const senders: RawConnection[] = [];
            while (senders.length < 520) {
                senders.push(await open());
            }
            senders.forEach(sender => sender.send(upgrade({ 'X-Claude-Code-Ide-Authorization': '' })));
            await eventually('the refusals', () => senders.filter(({ status }) => status === 401).length >= 512);
            await expectServed();
        });
    });

    describe('after the upgrade', () => {
        it('a frame that announces too much is cut before it arrives', async () => {
            const connection = await upgraded();
            send(connection, frame(TEXT, '{', LAST, 1024 ** 3));
            await expectCut(connection);
        });

        it('fragments that never end are cut at the same bound', async () => {
            const connection = await upgraded();
            const piece = 'x'.repeat(8 * 1024 * 1024);
            send(connection, frame(TEXT, piece, 0));
            // Masking eight megabytes takes a while.
            const continued = frame(CONTINUED, piece, 0);
            for (let sent = 1; sent < 20 && !connection.closed; sent++) {
                send(connection, continued);
                await new Promise(resolve => setImmediate(resolve));
            }
            await expectCut(connection);
        });

        for (const [what, frames] of [
            ['a binary frame', [frame(BINARY, '{"jsonrpc":"2.0","id":1,"method":"ping"}')]],
            ['malformed JSON', [frame(TEXT, '{"jsonrpc"')]],
            ['JSON that is no message', [frame(TEXT, '[1]')]],
            ['broken UTF-8', [frame(TEXT, Buffer.from([0xff, 0xfe]))]],
            ['a compressed frame', [frame(TEXT, 'x', LAST | 0x40)]],
            ['a frame without a mask', [Buffer.from([0x81, 2, 0x7b, 0x7d])]],
            ['a continuation of nothing', [frame(CONTINUED, '{}')]],
            ['an unknown kind of frame', [frame(3, '')]],
            ['deeply nested JSON', [frame(TEXT, '['.repeat(1_000_000))]]
        ] as Array<[string, Buffer[]]>) {
            it(`${what} ends the connection`, async () => {
                const connection = await upgraded();
                send(connection, ...frames);
                await expectCut(connection);
            });
        }

        it('does not agree to compression', async () => {
            const connection = await upgraded({ 'Sec-WebSocket-Extensions': 'permessage-deflate' });
            expect(connection.received).not.to.match(/permessage-deflate/i);
        });

        it('a client that sends pings and reads nothing is not answered without end', async () => {
            const connection = await upgraded();
            connection.socket.pause();
            const ping = frame(PING, 'x'.repeat(100));
            const before = process.memoryUsage().external;
            for (let round = 0; round < 200; round++) {
                send(connection, Buffer.concat(Array.from({ length: 100 }, () => ping)));
                await new Promise(resolve => setImmediate(resolve));
            }
            expect(process.memoryUsage().external - before).to.be.lessThan(64 * 1024 * 1024);
            await expectServed();
        });

        it('fragments of one byte are cut long before they are too large together', async () => {
            const connection = await upgraded();
            send(connection, frame(TEXT, 'x', 0), Buffer.concat(Array.from({ length: 200_000 }, () => frame(CONTINUED, 'x', 0))));
            await expectCut(connection);
        });

        it('two requests that wait with one id end the connection', async () => {
            const cli = await connect();
            page.answers = false;
            for (let count = 0; count < 2; count++) {
                cli.socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1_000, method: 'tools/call', params: { name: 'getDiagnostics' } }));
            }
            await eventually('the end', () => cli.closed);
        });

        it('a cancelled call counts until it has ended', async () => {
            const cli = await connect();
            page.answers = false;
            for (let id = 1_000; id < 3_000; id++) {
                cli.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'getDiagnostics' } }));
                cli.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }));
            }
            await eventually('the first questions', () => page.asked > 0);
            // What has come in one piece of the stream is taken whole.
            expect(page.asked, 'questions to the page at one time').to.be.lessThan(1_000);
            await eventually('all of them, one after the other', () => page.asked === 2_000);
        });

        it('a client that announces itself endlessly is looked for once', async () => {
            const processes = backend.container.get<ProcessTable>(ProcessTable);
            const peerOf = processes.peerOf.bind(processes);
            let looks = 0;
            processes.peerOf = (...ports) => (looks++, peerOf(...ports));
            const cli = await connect();
            for (let count = 0; count < 100; count++) {
                await cli.client.notification({ method: 'notifications/initialized' });
            }
            await cli.client.ping();
            expect(looks).to.equal(1);
        });

        it('a client that calls but reads nothing is no longer read', async () => {
            const cli = await connect();
            cli.socket.pause();
            // More than the system takes for a program that does not read.
            const _meta = { padding: 'x'.repeat(2_000) };
            for (let id = 1_000; id < 21_000; id++) {
                cli.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta } }));
            }
            // Time enough to take it all.
            const other = await ClaudeClient.connect(lock, 'opencode');
            clis.push(other);
            for (let round = 0; round < 200; round++) {
                await other.client.ping();
            }
            expect(cli.socket.bufferedAmount, 'what the server does not take').to.be.greaterThan(0);
        });
    });
});
