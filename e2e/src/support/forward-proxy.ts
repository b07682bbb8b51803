// SPDX-License-Identifier: Apache-2.0

import * as http from 'http';
import { AddressInfo, connect } from 'net';
import { Duplex } from 'stream';

/** What `HTTP_PROXY` and `HTTPS_PROXY` name: forwards everything, and knows where to. */
export class ForwardProxy {
    /** Such as `127.0.0.1:4000`. */
    readonly asked = new Set<string>();
    /** All that clients have sent, to whomever. */
    private readonly received: Buffer[] = [];

    private constructor(private readonly server: http.Server) {
        server.on('request', (request, response) => this.forward(request, response));
        server.on('connect', (request, socket) => this.connect(request, socket));
        server.on('connection', socket => socket.on('data', (data: Buffer) => this.received.push(data)));
    }

    static async start(): Promise<ForwardProxy> {
        const server = http.createServer();
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
        return new ForwardProxy(server);
    }

    get url(): string {
        return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    has(text: string): boolean {
        return Buffer.concat(this.received).includes(text);
    }

    dispose(): void {
        this.server.close();
        this.server.closeAllConnections();
    }

    private forward(request: http.IncomingMessage, response: http.ServerResponse): void {
        const target = new URL(request.url ?? '');
        this.asked.add(target.host);
        const { method, headers } = request;
        pass(request, response, http.request(target, { method, headers }));
    }

    private connect({ url = '' }: http.IncomingMessage, client: Duplex): void {
        this.asked.add(url);
        const [host, port] = url.split(':');
        const target = connect(Number(port), host, () => client.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
        join(client, target);
    }
}

/** Passes a request on, and its answer back. */
export function pass(request: http.IncomingMessage, response: http.ServerResponse, forwarded: http.ClientRequest): void {
    forwarded.on('response', answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
}

/** Passes on what comes from either, until one ends. */
export function join(one: Duplex, other: Duplex): void {
    for (const [from, to] of [
        [one, other],
        [other, one]
    ]) {
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
    }
}
