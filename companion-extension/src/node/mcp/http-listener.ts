// SPDX-License-Identifier: Apache-2.0

import * as http from 'http';
import { AddressInfo, Socket } from 'net';

/** What an unknown sender may cost. A running event stream has no limit. */
export interface ListenerLimits {
    /** Milliseconds until the headers must be there. */
    readonly headers: number;
    /** Milliseconds until the whole request must be there. */
    readonly request: number;
    readonly connections: number;
}

export const DEFAULT_LISTENER_LIMITS: ListenerLimits = { headers: 10_000, request: 20_000, connections: 512 };

/** How Node names what was wrong with a request that never became one, and the status that says so. */
const STATUS: Readonly<Record<string, [number, string]>> = {
    HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
    ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout']
};

/**
 * The server's own HTTP listener on `127.0.0.1` and a port of the system's choice; never Theia's own server, which may be
 * open to the network.
 */
export class HttpListener {
    private readonly server: http.Server;
    private readonly connections = new Set<Socket>();
    /** Those without a request that is being answered, the oldest first. */
    private readonly idle = new Set<Socket>();

    /** @param onTrouble gets one of a fixed set of reasons for a request that was refused unread, or an error of the system */
    constructor(
        private readonly onTrouble: (reason: string) => void = () => undefined,
        private readonly limits: ListenerLimits = DEFAULT_LISTENER_LIMITS
    ) {
        this.server = http.createServer({
            maxHeaderSize: 16 * 1024,
            headersTimeout: limits.headers,
            requestTimeout: limits.request,
            connectionsCheckingInterval: Math.min(1_000, limits.headers)
        });
        // A kept connection is cut when it has been idle: a request that comes while this process is busy would be cut with it,
        // and a CLI gives up at its first error (Gemini CLI 0.61, Qwen Code 0.24). It also ends what smuggling builds on.
        this.server.maxRequestsPerSocket = 1;
        this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.refuseMalformed(error.code, socket as Socket));
        this.server.on('upgrade', (_request, socket) => this.cut('Upgrade', socket as Socket));
        this.server.on('connect', (_request, socket) => this.cut('CONNECT', socket as Socket));
        this.server.on('connection', socket => this.admit(socket));
    }

    /** @returns the port. Rejects where no port can be had. */
    listen(): Promise<number> {
        return new Promise((resolve, reject) => {
            this.server.once('error', reject);
            this.server.listen(0, '127.0.0.1', () => {
                this.server.off('error', reject);
                // Such as EMFILE when a connection is to be accepted: without a listener it would end the backend.
                this.server.on('error', (error: NodeJS.ErrnoException) => this.onTrouble(error.code ?? error.name));
                resolve((this.server.address() as AddressInfo).port);
            });
        });
    }

    /** @param answer gets every request; also one that asks for leave to send its body (`Expect: 100-continue`) */
    serve(answer: http.RequestListener): void {
        const handler: http.RequestListener = (request, response) => {
            const { socket } = request;
            this.idle.delete(socket);
            response.once('finish', () => this.connections.has(socket) && this.idle.add(socket));
            closeAfterwards(response);
            answer(request, response);
        };
        this.server.on('request', handler);
        // Node would answer any other expectation itself, without a word in the log.
        this.server.on('checkExpectation', handler);
        // Without a listener Node would say "100 Continue" before the gate has seen the request. Answering without it
        // is always allowed; a client that waits sends its body after a second.
        this.server.on('checkContinue', handler);
    }

    /** @param graceMs how long answers under way and the clean ends of streams may take */
    async close(graceMs: number): Promise<void> {
        const closed = new Promise<void>(resolve => this.server.close(() => resolve()));
        this.server.closeIdleConnections();
        const timer = setTimeout(() => this.server.closeAllConnections(), graceMs);
        await closed;
        clearTimeout(timer);
    }

    /**
     * Node's own bound drops the newest connection: whoever keeps enough of them open without a word would lock out the CLIs, which
     * make one for each request. Here the one gives way that has been silent for longest.
     */
    private admit(socket: Socket): void {
        this.connections.add(socket);
        this.idle.add(socket);
        socket.once('close', () => this.forget(socket));
        if (this.connections.size > this.limits.connections) {
            const [oldest] = this.idle;
            this.cut(`more than ${this.limits.connections} connections`, oldest);
        }
    }

    private cut(reason: string, socket: Socket): void {
        this.onTrouble(reason);
        this.forget(socket);
        socket.destroy();
    }

    private forget(socket: Socket): void {
        this.connections.delete(socket);
        this.idle.delete(socket);
    }

    private refuseMalformed(code: string | undefined, socket: Socket): void {
        // A client that is killed is no news.
        if (code !== 'ECONNRESET') {
            const [status, text] = STATUS[code ?? ''] ?? [400, 'Bad Request'];
            this.onTrouble(`${status} ${text}`);
            if (socket.writable) {
                socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
            }
        }
        // A sender that never closes its half would keep the socket.
        setTimeout(() => socket.destroy(), 1_000).unref();
    }
}

/** The SDK's transport says `Connection: keep-alive`, whatever the listener allows (1.32.2). */
function closeAfterwards(response: http.ServerResponse): void {
    const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => http.ServerResponse;
    response.writeHead = (status: number, ...rest: unknown[]): http.ServerResponse => {
        const headers = rest.find((value): value is http.OutgoingHttpHeaders => typeof value === 'object' && !Array.isArray(value)) ?? {};
        const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'connection');
        return writeHead(status, { ...Object.fromEntries(others), Connection: 'close' });
    };
}
