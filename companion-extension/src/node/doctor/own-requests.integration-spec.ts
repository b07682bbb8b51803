// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { once } from 'events';
import { rmSync } from 'fs';
import * as http from 'http';
import { AddressInfo } from 'net';
import { Diagnosis } from '../../common/diagnosis';
import { BackendProcess } from '../test/backend-process';
import { TestBackend } from '../test/test-backend';
import { TestPage } from '../test/test-page';
import { TestTerminal } from '../test/test-terminal';

describe('The requests of the diagnosis to our own servers', () => {
    let proxy: http.Server;
    /** What the proxy got. */
    let seen: string[];
    let showClis: () => void;

    beforeEach(async () => {
        showClis = TestTerminal.hideClis();
        seen = [];
        proxy = http.createServer((request, response) => {
            seen.push(`${request.method} ${request.url}`);
            response.writeHead(502).end();
        });
        proxy.on('connect', (request, socket) => {
            seen.push(`CONNECT ${request.url}`);
            socket.destroy();
        });
        proxy.listen(0, '127.0.0.1');
        await once(proxy, 'listening');
    });

    afterEach(() => {
        showClis();
        proxy.close();
    });

    function port(): number {
        return (proxy.address() as AddressInfo).port;
    }

    function expectDirect(diagnosis: Diagnosis | undefined): void {
        expect(seen).to.deep.equal([]);
        const answers = diagnosis?.clis.flatMap(({ steps }) => steps.filter(({ id }) => id.startsWith('handshake'))) ?? [];
        expect(answers).to.have.length.above(1);
        answers.forEach(({ id }) => expect(id).to.equal('handshake'));
    }

    it('go past a proxy of the environment', async () => {
        const url = `http://127.0.0.1:${port()}`;
        const named = { HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, https_proxy: url, NODE_USE_ENV_PROXY: '1' };
        const backend = BackendProcess.start({ variables: { ...named, NO_PROXY: undefined, no_proxy: undefined } });
        const { folder } = await backend.run({ do: 'hello', windowId: 'window-1' });
        try {
            expectDirect((await backend.run({ do: 'diagnose' })).diagnosis);
        } finally {
            await backend.end('SIGKILL');
            rmSync(folder, { recursive: true, force: true });
        }
    });

    /** As a product does that has all requests go to its proxy: global-agent replaces the functions too, whatever agent a caller names. */
    function redirect(): () => void {
        const { globalAgent, get, request } = http;
        class ProxyAgent extends http.Agent {
            override createConnection(options: http.ClientRequestArgs): ReturnType<http.Agent['createConnection']> {
                return super.createConnection({ ...options, host: '127.0.0.1', port: port() });
            }
        }
        const agent = new ProxyAgent();
        const redirected = (call: typeof http.get) => (options: http.RequestOptions, answer?: (response: http.IncomingMessage) => void) =>
            call({ ...options, agent }, answer);
        Object.assign(http, { globalAgent: agent, get: redirected(get), request: redirected(request) });
        return () => Object.assign(http, { globalAgent, get, request });
    }

    it('go past an agent that a product puts in the place of Node’s', async () => {
        const backend = new TestBackend();
        const page = new TestPage();
        const { service } = backend.connect(page);
        await service.hello(backend.window(page));
        const restore = redirect();
        try {
            await once(http.get({ host: '127.0.0.1', port: 9, path: '/any' }), 'response');
            expect(seen.splice(0), 'the proxy works').to.deep.equal(['GET /any']);
            expectDirect(await service.diagnose());
        } finally {
            restore();
            await backend.stop();
        }
    });
});
