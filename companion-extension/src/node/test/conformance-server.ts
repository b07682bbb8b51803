// SPDX-License-Identifier: Apache-2.0
// A live server for the official MCP conformance suite, which can send no header of its own and sends an Origin as browsers do:
// a proxy adds the token and takes the Origin off. Prints the proxy's address; ends with its standard input.

import 'reflect-metadata';
import * as http from 'http';
import { AddressInfo } from 'net';
import { TestServer } from './test-server';

/** Headers that the gate refuses, and rightly so: the suite plays a browser page of the same machine. */
const TAKEN_OFF = ['origin', 'host', 'connection'];

function startProxy(test: TestServer): Promise<http.Server> {
    const { port } = test.server;
    const proxy = http.createServer((request, response) => {
        if (!isLoopback(request.headers.host)) {
            // What the suite's DNS rebinding scenario sends must reach the server as it is.
            forward(request.headers.host, request.headers.origin);
        } else {
            forward(`127.0.0.1:${port}`, undefined);
        }

        function forward(host: string | undefined, origin: string | undefined): void {
            const kept = Object.entries(request.headers).filter(([name]) => !TAKEN_OFF.includes(name));
            const headers = {
                ...Object.fromEntries(kept),
                host,
                ...(origin === undefined ? {} : { origin }),
                authorization: `Bearer ${test.token()}`
            };
            const onward = http.request({ host: '127.0.0.1', port, path: request.url, method: request.method, headers }, answer => {
                response.writeHead(answer.statusCode ?? 502, answer.headers);
                answer.pipe(response);
            });
            onward.on('error', () => response.destroy());
            response.on('close', () => onward.destroy());
            request.pipe(onward);
        }
    });
    return new Promise(resolve => proxy.listen(0, '127.0.0.1', () => resolve(proxy)));
}

function isLoopback(host: string | undefined): boolean {
    return /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host ?? '');
}

async function main(): Promise<void> {
    const test = await TestServer.start();
    const proxy = await startProxy(test);
    process.stdout.write(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp\n`);
    process.stdin.resume().on('end', () => {
        proxy.closeAllConnections();
        proxy.close();
        void test.stop().then(() => process.exit(0));
    });
}

void main();
