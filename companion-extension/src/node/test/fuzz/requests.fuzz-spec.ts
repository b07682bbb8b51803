// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fc from 'fast-check';
import { sendRaw } from '../raw-http';
import { TestCli } from '../test-cli';
import { TestServer } from '../test-server';
import { fuzzBounds, fuzzTimeout } from './fuzz-bounds';

/** Growth of the heap that is put down to chance, in bytes. */
const HEAP_GROWTH = 150 * 1024 * 1024;

const LEAK = /access-control-|<html|<pre|\n\s+at .*:\d+:\d+|node_modules|x-powered-by/i;

describe('Fuzz: requests', function () {
    this.timeout(fuzzTimeout());

    let test: TestServer;
    let cli: TestCli;
    let heap: number;

    before(async () => {
        test = await TestServer.start();
        cli = await test.connect();
        heap = process.memoryUsage().heapUsed;
    });

    after(() => test.stop());

    afterEach(async () => {
        expect(await cli.client.ping(), 'the server lives').to.deep.equal({});
        expect(cli.errors, 'its other clients notice nothing').to.deep.equal([]);
        expect(test.server.sessions.all().length).to.be.at.most(64);
        globalThis.gc?.();
        expect(process.memoryUsage().heapUsed - heap).to.be.below(HEAP_GROWTH);
    });

    const methods = fc.constantFrom('POST', 'GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'post', 'CONNECT', 'PRI', '');
    const targets = fc.oneof(fc.constantFrom('/mcp', '/', '*', '//mcp', '/mcp?', 'http://127.0.0.1/mcp', '/mcp/../mcp'), fc.string());
    const versions = fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1 ', '');
    const names = fc.constantFrom('Host', 'Origin', 'Authorization', 'Content-Length', 'Transfer-Encoding', 'Content-Type', 'Expect');
    const more = fc.constantFrom('Accept', 'Mcp-Session-Id', 'Mcp-Protocol-Version', 'Connection', 'Content-Encoding', 'Upgrade', 'X');
    const values = fc.oneof(fc.constantFrom('', 'null', '0', '-1', '5', 'chunked', '*/*', 'keep-alive', 'application/json'), fc.string());
    const header = fc.tuple(fc.oneof(names, more, fc.string()), values).map(([name, value]) => `${name}: ${value}`);
    const body = fc.oneof(fc.string(), fc.json(), fc.constantFrom('{', '[]', 'null', '5\r\nhello\r\n0\r\n\r\n'));

    it('nothing passes the gate without a token, and every refusal is plain', async () => {
        const ids = (): string[] => test.server.sessions.all().map(({ id }) => id);
        const before = ids();
        const request = fc.record({
            method: methods,
            target: targets,
            version: versions,
            headers: fc.array(header),
            host: fc.boolean(),
            body
        });
        const property = fc.asyncProperty(request, async ({ method, target, version, headers, host, body: text }) => {
            const right = host ? [`Host: 127.0.0.1:${test.server.port}`] : [];
            const bytes = [`${method} ${target} ${version}`, ...right, ...headers, 'Connection: close', '', text].join('\r\n');
            const { status, text: answer } = await sendRaw(test.server.port, Buffer.from(bytes, 'utf8'), 300);
            expect(status).to.satisfy((code: number) => code === 0 || (code >= 400 && code < 500));
            expect(answer).not.to.match(LEAK);
        });
        await fc.assert(property, fuzzBounds());
        expect(ids()).to.deep.equal(before);
    });

    it('a correct request with some bytes changed is answered or cut, and the server survives', async () => {
        const changes = fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'cut') }), {
            minLength: 1,
            maxLength: 6
        });
        const property = fc.asyncProperty(changes, async list => {
            const content = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
            const lines = [
                'POST /mcp HTTP/1.1',
                `Host: 127.0.0.1:${test.server.port}`,
                `Authorization: Bearer ${test.token()}`,
                'Content-Type: application/json',
                'Accept: application/json, text/event-stream',
                `Mcp-Session-Id: ${cli.sessionId}`,
                `Content-Length: ${content.length}`
            ];
            const bytes = [...Buffer.from([...lines, '', content].join('\r\n'))];
            for (const { at, byte, kind } of list) {
                bytes.splice(at % bytes.length, kind === 'insert' ? 0 : 1, ...(kind === 'cut' ? [] : [byte]));
            }
            const { status, text } = await sendRaw(test.server.port, Buffer.from(bytes), 300);
            expect(status).to.be.below(500);
            expect(text).not.to.match(LEAK);
            expect(text).not.to.include(test.token());
        });
        await fc.assert(property, fuzzBounds());
    });

    it('any JSON in a session is answered with JSON-RPC or an error, never with a fault of ours', async () => {
        const method = fc.oneof(fc.constantFrom('ping', 'initialize', 'tools/list', 'tools/call', 'notifications/cancelled'), fc.string());
        const message = fc.record(
            { jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()), id: fc.jsonValue(), method, params: fc.jsonValue() },
            { requiredKeys: [] }
        );
        const property = fc.asyncProperty(fc.oneof(message, fc.array(message, { maxLength: 5 }), fc.jsonValue()), async value => {
            const response = await fetch(`http://127.0.0.1:${test.server.port}/mcp`, {
                method: 'POST',
                signal: AbortSignal.timeout(5_000),
                headers: {
                    Authorization: `Bearer ${test.token()}`,
                    'Content-Type': 'application/json',
                    Accept: 'application/json, text/event-stream',
                    'Mcp-Session-Id': cli.sessionId ?? ''
                },
                body: JSON.stringify(value)
            });
            expect(response.status).to.be.below(500);
            expect(await response.text()).not.to.match(LEAK);
        });
        await fc.assert(property, fuzzBounds());
    });

    it('any arguments of the tools give a result or say what is wrong, and no diff for a path that is not allowed', async () => {
        const strange = fc.constantFrom(
            '/etc/passwd',
            '/dev/null',
            '/proc/self/mem',
            '//',
            '/..',
            'C:\\x',
            '\\\\host\\share',
            '/a\0b',
            '~',
            '.'
        );
        const argument = fc.oneof(fc.string({ unit: 'binary' }), strange, fc.jsonValue());
        const below = fc.string({ unit: 'binary' }).map(name => `${test.workspace}/${name}`);
        const property = fc.asyncProperty(
            fc.constantFrom('openDiff', 'closeDiff'),
            fc.oneof(argument, below),
            argument,
            argument,
            async (name, filePath, newContent, suppressNotification) => {
                const result = await cli.client.callTool({ name, arguments: { filePath, newContent, suppressNotification } });
                expect(result.content).to.be.an('array');
                for (const review of test.shown.splice(0)) {
                    expect(review.filePath).to.equal(filePath);
                    expect(review.file.path)
                        .to.match(/^\//)
                        .and.not.to.match(/\0|^\/dev\/|^\/proc\/self\/mem/);
                    test.reject(review);
                }
            }
        );
        await fc.assert(property, fuzzBounds());
        expect(test.reviews.waiting()).to.deep.equal([]);
    });
});
