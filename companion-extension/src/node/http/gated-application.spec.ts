// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as http from 'http';
import { AddressInfo } from 'net';
import { GatedApplication, GatedHandler } from './gated-application';
import { sendError } from './json-rpc-error';

describe('GatedApplication', () => {
    let server: http.Server;
    let logged: unknown[];
    let handler: GatedHandler;

    beforeEach(async () => {
        logged = [];
        const answer: GatedHandler = (request, response, cliId) => handler(request, response, cliId);
        const logger = { error: async (...parts: unknown[]) => void logged.push(...parts) };
        const application = new GatedApplication(logger, '/mcp', { get: answer, post: answer, delete: answer });
        server = http.createServer((request, response) => application.serve(request, response, 'qwen-code'));
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    });

    afterEach(() => {
        server.closeAllConnections();
        server.close();
    });

    function ask(path = '/mcp', method = 'POST'): Promise<{ status: number | undefined; headers: string[]; body: string }> {
        return new Promise((resolve, reject) => {
            const { port } = server.address() as AddressInfo;
            const request = http.request({ port, path, method, agent: false, host: '127.0.0.1' }, response => {
                let body = '';
                response.on('error', reject);
                response.on('data', piece => (body += piece));
                response.on('end', () => resolve({ status: response.statusCode, headers: Object.keys(response.headers).sort(), body }));
            });
            request.on('error', reject);
            request.end();
        });
    }

    it('hands on what Node has made, with the CLI whose token it was, and adds no header', async () => {
        const prototypes: unknown[] = [];
        handler = async (request, response, cliId) => {
            prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
            sendError(response, 200, 0, cliId);
        };
        const { status, headers, body } = await ask();
        expect([status, JSON.parse(body).error.message]).to.deep.equal([200, 'qwen-code']);
        expect(headers).to.deep.equal(['connection', 'content-length', 'content-type', 'date']);
        expect(prototypes).to.deep.equal([http.IncomingMessage.prototype, http.ServerResponse.prototype]);
    });

    it('has one path, to the letter', async () => {
        handler = async (_request, response) => sendError(response, 200, 0, 'served');
        for (const path of ['/MCP', '/mcp/', '/', '/mcp/x']) {
            expect((await ask(path)).status, path).to.equal(404);
        }
    });

    it('answers a failure with an error of JSON-RPC, without its words; the log has it', async () => {
        const failure = new Error('secret');
        handler = async () => Promise.reject(failure);
        const { status, headers, body } = await ask('/mcp', 'GET');
        expect(status).to.equal(500);
        expect(JSON.parse(body)).to.deep.equal({ jsonrpc: '2.0', error: { code: -32603, message: 'Internal error' }, id: null });
        expect(headers).not.to.include('x-powered-by');
        expect(logged).to.include(failure);
    });

    it('cuts an answer that fails in its middle', async () => {
        handler = async (_request, response) => {
            response.write('begun');
            throw new Error('in the middle');
        };
        await ask().then(
            () => expect.fail('it was answered'),
            () => undefined
        );
    });
});
