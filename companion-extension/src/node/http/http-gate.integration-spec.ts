// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as net from 'net';
import * as os from 'os';
import { setFlagsFromString } from 'v8';
import { runInNewContext } from 'vm';
import { listeningServer } from '../test/listening-server';
import { RawConnection } from '../test/raw-connection';
import { RawResponse, sendRaw } from '../test/raw-http';
import { eventually } from '../test/test-cli';
import { TestServer } from '../test/test-server';
import { MAX_BODY_BYTES } from './http-gate';

const INITIALIZE = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
});

describe('HttpGate on raw requests', () => {
    let test: TestServer;

    before(async () => {
        test = await TestServer.start();
    });

    after(() => test.stop());

    /** A correct `initialize`, with changes. A header that is `undefined` is left out; one that is an array is repeated for each entry. */
    function send(
        changes: { line?: string; headers?: Record<string, string | string[] | undefined>; body?: string } = {}
    ): Promise<RawResponse> {
        const body = changes.body ?? INITIALIZE;
        const headers: Record<string, string | string[] | undefined> = {
            Host: `127.0.0.1:${test.server.port}`,
            Authorization: `Bearer ${test.token()}`,
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            'Content-Length': String(Buffer.byteLength(body)),
            Connection: 'close',
            ...changes.headers
        };
        const lines = Object.entries(headers).flatMap(([name, value]) =>
            (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(one => `${name}: ${one}`)
        );
        return sendRaw(test.server.port, [changes.line ?? 'POST /mcp HTTP/1.1', ...lines, '', body].join('\r\n'));
    }

    function expectRefused(response: RawResponse, status: number): void {
        expect(response.status).to.equal(status);
        expect(response.text.toLowerCase()).not.to.match(/access-control|<html|<pre|\bat .*\.js|x-powered-by/);
        expect(response.text).not.to.include(test.token());
    }

    it('lets a correct request through, under both names of loopback and with what the CLIs send', async () => {
        expect((await send()).status).to.equal(200);
        expect((await send({ headers: { Host: `localhost:${test.server.port}` } })).status).to.equal(200);
        const asTheClis = { 'Sec-Fetch-Mode': 'cors', 'Accept-Language': '*', 'User-Agent': 'undici', 'Accept-Encoding': 'gzip, deflate' };
        expect((await send({ headers: asTheClis })).status).to.equal(200);
    });

    it('A2 A3 S3: refuses every request without the exact token, with a challenge', async () => {
        const token = test.token();
        const bad = [undefined, '', 'Bearer', 'Bearer ', `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, `Basic ${token}`, token];
        for (const Authorization of [...bad, `Bearer  ${token}`, `Bearer ${token} x`, 'Bearer undefined']) {
            for (const line of ['POST /mcp HTTP/1.1', 'GET /mcp HTTP/1.1', 'DELETE /mcp HTTP/1.1']) {
                const response = await send({ line, headers: { Authorization } });
                expectRefused(response, 401);
                expect(response.text).to.match(/^WWW-Authenticate: Bearer\r$/im);
            }
        }
    });

    it('S5: refuses every other Host', async () => {
        const { port } = test.server;
        const bad = ['evil.example', `127.0.0.1`, `127.0.0.1:${port + 1}`, `localhost.:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`];
        for (const Host of [
            ...bad,
            `2130706433:${port}`,
            `127.1:${port}`,
            `localhost:${port}.evil.example`,
            `host.docker.internal:${port}`,
            ''
        ]) {
            expectRefused(await send({ headers: { Host } }), 403);
        }
        // Node answers a request without any Host itself.
        expectRefused(await send({ headers: { Host: undefined } }), 400);
    });

    it('S6: refuses whatever a browser sends, even with the right token', async () => {
        for (const Origin of ['http://evil.example', 'null', '', `http://127.0.0.1:${test.server.port}`]) {
            expectRefused(await send({ headers: { Origin } }), 403);
        }
        for (const value of ['cross-site', 'same-origin', 'none']) {
            expectRefused(await send({ headers: { 'Sec-Fetch-Site': value } }), 403);
        }
        expectRefused(await send({ line: 'OPTIONS /mcp HTTP/1.1', headers: { Origin: 'http://evil.example' } }), 403);
        expectRefused(await send({ line: 'OPTIONS /mcp HTTP/1.1' }), 405);
    });

    it('S4: keeps the order: what comes first decides', async () => {
        const wrongToken = { Authorization: 'Bearer wrong' };
        expectRefused(await send({ headers: { ...wrongToken, Host: ['a', 'b'] } }), 400);
        const wrongHost = await send({ headers: { ...wrongToken, Host: 'evil.example', Origin: 'null' } });
        expectRefused(wrongHost, 403);
        expect(wrongHost.text).to.include('Wrong Host');
        expectRefused(await send({ headers: { ...wrongToken, Origin: 'null' } }), 403);
        expectRefused(await send({ headers: { ...wrongToken, 'Sec-Fetch-Site': 'none' } }), 403);
        expectRefused(await send({ line: 'POST /other HTTP/1.1', headers: wrongToken }), 401);
        expectRefused(await send({ line: 'PUT /other HTTP/1.1' }), 404);
        expectRefused(await send({ line: 'PUT /mcp HTTP/1.1', headers: { 'Content-Type': 'text/plain' } }), 405);
        expectRefused(await send({ headers: { 'Content-Type': 'text/plain', 'Content-Length': '99999999' } }), 415);
    });

    it('refuses duplicate headers', async () => {
        const { port } = test.server;
        const doubled: Record<string, string[]> = {
            Host: [`127.0.0.1:${port}`, 'evil.example'],
            Authorization: [`Bearer ${test.token()}`, 'Bearer x'],
            'Content-Type': ['application/json', 'text/plain'],
            'Mcp-Session-Id': ['a', 'b'],
            'Mcp-Protocol-Version': ['2025-06-18', '2025-11-25'],
            Origin: ['null', 'null'],
            'Content-Encoding': ['identity', 'gzip'],
            Expect: ['100-continue', '100-continue']
        };
        for (const [name, values] of Object.entries(doubled)) {
            const response = await send({ headers: { [name]: values } });
            expectRefused(response, 400);
            expect(response.text, name).to.include('A header stands twice');
        }
        // Of these, Node refuses two by itself.
        for (const name of ['Content-Length', 'Transfer-Encoding']) {
            expectRefused(await send({ headers: { 'Content-Length': undefined, [name]: ['chunked', 'chunked'] } }), 400);
        }
    });

    it('refuses request smuggling', async () => {
        expectRefused(await send({ headers: { 'Content-Length': ['5', '6'] } }), 400);
        expectRefused(await send({ headers: { 'Transfer-Encoding': 'chunked' } }), 400);
        expectRefused(await send({ headers: { 'Content-Length': '+5' } }), 400);
        expectRefused(await send({ headers: { 'Transfer-Encoding': ['chunked', 'identity'], 'Content-Length': undefined } }), 400);
        // A header that goes on in a second line, as obsolete HTTP allowed.
        expectRefused(await send({ headers: { Host: `127.0.0.1:${test.server.port}\r\n .evil.example` } }), 400);
        expectRefused(await send({ headers: { 'X-Folded': 'a\r\n\tTransfer-Encoding: chunked' } }), 400);
    });

    it('serves the exact path only', async () => {
        const { port } = test.server;
        const paths = ['/', '/mcp/', '/MCP', '/mcp?x=1', '//mcp', '/./mcp', '/%6dcp', `http://127.0.0.1:${port}/mcp`, '/mcp#x'];
        for (const path of paths) {
            expectRefused(await send({ line: `POST ${path} HTTP/1.1` }), 404);
        }
    });

    it('refuses other methods, types and encodings', async () => {
        for (const method of ['PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE']) {
            const response = await send({ line: `${method} /mcp HTTP/1.1` });
            expectRefused(response, 405);
        }
        for (const type of [undefined, 'text/plain', 'application/jsonp', 'application/x-www-form-urlencoded']) {
            expectRefused(await send({ headers: { 'Content-Type': type } }), 415);
        }
        expectRefused(await send({ headers: { 'Content-Encoding': 'gzip' } }), 415);
        expect((await send({ headers: { Accept: 'text/html' } })).status).to.equal(406);
    });

    it('S9: refuses a body over the limit before reading it, and one without a size', async () => {
        const announced = await send({ headers: { 'Content-Length': String(MAX_BODY_BYTES + 1) } });
        expectRefused(announced, 413);
        // The gate's own words: the SDK would refuse it as well, later.
        expect(announced.text).to.include('The request is larger than 101711872 bytes');
        const chunk = `${(1024 * 1024).toString(16)}\r\n${'x'.repeat(1024 * 1024)}\r\n`;
        const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${test.server.port}\r\nAuthorization: Bearer ${test.token()}\r\n`;
        const rest = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
        const sender = await RawConnection.open(test.server.port);
        sender.send(head + rest);
        for (let megabytes = 0; megabytes <= 97; megabytes++) {
            sender.send(chunk);
        }
        await eventually('the refusal', () => sender.status === 413);
        expectRefused({ status: sender.status, text: sender.received }, 413);
        sender.destroy();
    });

    it('S4: nothing of an unauthorised sender is kept: it is answered without its body, and cut', async () => {
        const chunk = Buffer.alloc(1024 * 1024, 'x');
        const connection = await RawConnection.open(test.server.port);
        const before = await heldBytes();
        const host = `Host: 127.0.0.1:${test.server.port}`;
        connection.send(['POST /mcp HTTP/1.1', host, 'Content-Type: application/json', 'Content-Length: 20000000', '', ''].join('\r\n'));
        for (let sent = 0; sent < 19 && !connection.closed; sent++) {
            await new Promise(resolve => connection.socket.write(chunk, resolve));
        }
        await eventually('the refusal', () => connection.status === 401);
        expect((await heldBytes()) - before).to.be.below(5 * 1024 * 1024);
        await eventually('the connection to be cut', () => connection.closed);
        connection.destroy();
    });

    /** Of contents in this process, once what is garbage has been collected. */
    async function heldBytes(): Promise<number> {
        setFlagsFromString('--expose-gc');
        (runInNewContext('gc') as () => void)();
        await new Promise(resolve => setImmediate(resolve));
        return process.memoryUsage().arrayBuffers;
    }

    it('S21: survives a flood of headers, garbage and upgrades', async () => {
        expect((await send({ headers: { 'X-Flood': 'x'.repeat(20_000) } })).status).to.be.oneOf([400, 431]);
        expect((await sendRaw(test.server.port, 'garbage\r\n\r\n')).status).to.equal(400);
        expect((await sendRaw(test.server.port, '\x16\x03\x01\x02\x00\x01')).status).to.equal(400);
        expect((await send({ line: 'GET /mcp HTTP/1.1', headers: { Connection: 'Upgrade', Upgrade: 'websocket' } })).status).to.equal(0);
        expect((await send()).status).to.equal(200);
    });

    it('S21: refuses more headers than any client sends, whatever follows them', async () => {
        const many = Object.fromEntries(Array.from({ length: 101 }, (_value, index) => [`X-${index}`, '']));
        const refused = await send({ headers: { ...many, Host: 'evil.example' } });
        expectRefused(refused, 431);
        expect(refused.text).to.include('Too many headers');
        const short = 'a:\r\n'.repeat(2_500);
        expectRefused(await sendRaw(test.server.port, `POST /mcp HTTP/1.1\r\nHost: evil.example\r\n${short}\r\n`), 431);
    });

    it('S12: logs why it refused, even if there was no request', async () => {
        await send({ line: 'GET /mcp HTTP/1.1', headers: { Connection: 'Upgrade', Upgrade: 'h2c' } });
        await send({ line: 'CONNECT evil.example:443 HTTP/1.1' });
        const expectation = await send({ headers: { Expect: 'a-miracle' } });
        expectRefused(expectation, 417);
        expectRefused(await send({ headers: { Expect: 'a-miracle', Authorization: undefined } }), 401);
        expect((await send({ headers: { Expect: '100-continue' } })).status).to.equal(200);
        for (const reason of ['Upgrade', 'CONNECT', '417 Unknown expectation']) {
            expect(test.logger.lines).to.include(`Refused a request: ${reason}`);
        }
    });

    it('S1: listens on 127.0.0.1 only', async () => {
        expect(await boundAddress()).to.equal('127.0.0.1');
        const addresses = Object.values(os.networkInterfaces())
            .flat()
            .filter(address => address !== undefined && address.address !== '127.0.0.1' && !address.address.startsWith('fe80'));
        for (const address of addresses) {
            const reached = await new Promise<boolean>(resolve => {
                const socket = net.connect({ port: test.server.port, host: address?.address, timeout: 2_000 }, () => resolve(true));
                socket.on('error', () => resolve(false));
                socket.on('timeout', () => resolve(false));
            });
            expect(reached, address?.address).to.equal(false);
        }
    });

    /** Of the server's socket, as the product's own server reports it. */
    async function boundAddress(): Promise<string | undefined> {
        const server = await listeningServer(send);
        const address = server.address();
        return typeof address === 'object' ? address?.address : undefined;
    }
});
