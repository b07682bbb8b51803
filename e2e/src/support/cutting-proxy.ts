// SPDX-License-Identifier: Apache-2.0

import * as http from 'http';
import { AddressInfo } from 'net';

/** A bad network between a CLI and the IDE, or the IDE and a daemon: it can cut every stream of events after a while. */
export class CuttingProxy {
    cuts = 0;
    private cutAfter: number | undefined;
    private refusing = false;
    private readonly streams = new Set<http.ServerResponse>();

    private constructor(
        private readonly server: http.Server,
        readonly url: string
    ) {}

    static async start(target: string): Promise<CuttingProxy> {
        const server = http.createServer();
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
        const proxy = new CuttingProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        server.on('request', (request, response) => proxy.forward(new URL(target), request, response));
        return proxy;
    }

    get port(): number {
        return Number(new URL(this.url).port);
    }

    /** Cuts every stream of events, also those that are open, this many milliseconds after its beginning; `undefined`: none. */
    cutStreamsAfter(milliseconds: number | undefined): void {
        this.cutAfter = milliseconds;
        this.streams.forEach(stream => this.cut(stream));
    }

    /** Cuts every stream of events, and lets none begin: a client that counts in vain attempts gives up in the end. */
    refuseStreams(refusing: boolean): void {
        this.refusing = refusing;
        if (refusing) {
            this.streams.forEach(stream => stream.destroy());
        }
    }

    dispose(): void {
        this.server.close();
        this.server.closeAllConnections();
    }

    private forward(target: URL, request: http.IncomingMessage, response: http.ServerResponse): void {
        // Daemon and IDE refuse other hosts than their own.
        const options = { method: request.method, path: request.url, headers: { ...request.headers, host: target.host } };
        const forwarded = http.request(target, options, answer => {
            // The answer to a tool call is one, too, in form: a call that fails is another thing.
            const isStream = request.method === 'GET' && answer.headers['content-type']?.startsWith('text/event-stream');
            if (isStream && this.refusing) {
                response.destroy();
                return;
            }
            response.writeHead(answer.statusCode ?? 502, answer.headers);
            // Node keeps the head back until there is something of the body, which may be long after.
            response.flushHeaders();
            answer.pipe(response);
            if (isStream) {
                this.streams.add(response);
                this.cut(response);
            }
        });
        forwarded.on('error', () => response.destroy());
        response.on('close', () => {
            this.streams.delete(response);
            forwarded.destroy();
        });
        request.pipe(forwarded);
    }

    private cut(stream: http.ServerResponse): void {
        if (this.cutAfter !== undefined) {
            setTimeout(() => {
                this.cuts += this.streams.has(stream) ? 1 : 0;
                stream.destroy();
            }, this.cutAfter);
        }
    }
}
