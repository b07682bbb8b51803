// SPDX-License-Identifier: Apache-2.0

import * as http from 'http';
import { AddressInfo, ListenOptions, Socket } from 'net';
import { Duplex } from 'stream';
import { GatedApplication } from './gated-application';
import { GateRefusal, HttpGate } from './http-gate';
import { ListenerBudget } from './listener-budget';
import { REFUSED, sendError } from './json-rpc-error';
import { PortKeeper } from './port-keeper';
import { RefusalLog } from './refusal-log';

/** How Node names what was wrong with a request that never became one, and the status that says so. */
const STATUS: Readonly<Record<string, number>> = {
    HPE_HEADER_OVERFLOW: 431,
    ERR_HTTP_REQUEST_TIMEOUT: 408
};

/** @param head what came behind the request's headers */
type UpgradeListener = (request: http.IncomingMessage, socket: Socket, head: Buffer) => void;

/**
 * The server's own HTTP listener, on `127.0.0.1` and a port of the system's choice or on a socket; never Theia's own server, which may
 * be open to the network. Bounds what senders may cost, and hands on only the requests that the gate lets pass.
 */
export class HttpListener {
    protected readonly server: http.Server;
    protected readonly connections = new Set<Socket>();
    /** None for a socket: nobody else may enter its folder. */
    protected keeper: PortKeeper | undefined;
    protected isRetired = false;

    constructor(
        protected readonly refusals: RefusalLog,
        protected readonly budget: ListenerBudget
    ) {
        const { limits } = budget;
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

    /** @returns the port. Rejects if no port can be had. */
    async listen(): Promise<number> {
        await this.listenAt({ port: 0, host: '127.0.0.1' });
        this.keeper = new PortKeeper(this.server, () => this.refusals.warn('No shell can keep a port taken after the end of the IDE'));
        return (this.server.address() as AddressInfo).port;
    }

    /** @param place a port, or the path of a socket. Rejects if it cannot be had. */
    listenAt(place: ListenOptions): Promise<void> {
        return new Promise((resolve, reject) => {
            this.server.once('error', reject);
            this.server.listen(place, () => {
                this.server.off('error', reject);
                // Such as EMFILE when a connection arrives: without a listener the error would end the backend.
                this.server.on('error', (error: NodeJS.ErrnoException) => this.refusals.add(error.code ?? error.name));
                resolve();
            });
        });
    }

    /** Serves every request, also one that asks for leave to send its body (`Expect: 100-continue`). */
    serve(gate: Pick<HttpGate, 'check'>, application: Pick<GatedApplication, 'serve'>): void {
        const handler: http.RequestListener = (request, response) => {
            const { socket } = request;
            this.budget.setBusy(socket, true);
            response.once('finish', () => this.budget.setBusy(socket, false));
            const decision = gate.check(request);
            if (!decision.pass) {
                this.refuse(decision, request, response);
            } else if (request.method === 'POST' && !this.holdBody(request, response)) {
                this.refuse({ pass: false, status: 503, reason: 'Too many large bodies at once' }, request, response);
            } else {
                application.serve(request, response, decision.cliId);
            }
        };
        this.server.on('request', handler);
        // Node would answer any other expectation itself, and the log would not say so.
        this.server.on('checkExpectation', handler);
        // Without a listener Node would say "100 Continue" before the gate has seen the request. Answering without it
        // is always allowed; a client that waits sends its body after a second.
        this.server.on('checkContinue', handler);
    }

    /**
     * Serves every request that asks for another protocol, as one for a WebSocket does. What only asks for a page, as a browser would, is
     * told so once the gate has let it pass.
     */
    serveUpgrades(gate: HttpGate, upgrade: UpgradeListener): void {
        this.server.removeAllListeners('upgrade');
        this.server.on('upgrade', (request, duplex: Duplex, head) => {
            const socket = duplex as Socket;
            // Without a listener an error of a socket that was cut would end the backend.
            socket.on('error', () => socket.destroy());
            const decision = gate.check(request);
            if (decision.pass) {
                this.budget.setBusy(socket, true);
                upgrade(request, socket, head);
            } else {
                this.refuseUpgrade(socket, decision.status, decision.reason);
            }
        });
        this.serve(gate, {
            serve: (_request, response) => {
                response.setHeader('Upgrade', 'websocket');
                sendError(response, 426, REFUSED, 'A WebSocket is served here');
            }
        });
    }

    /** A request for an upgrade has no response of its own. */
    refuseUpgrade(socket: Socket, status: number, reason: string): void {
        this.refusals.add(`${status} ${reason}`);
        this.end(socket, status, reason);
    }

    /**
     * Serves nobody from now on, and keeps the port for a while: CLIs go on asking there with their token, and would believe whoever listens
     * next. Each new connection is closed at once. An answer would be worse: after a 405 Qwen Code (0.24.4) and Gemini CLI (0.61) ask for
     * no stream any more, but still take the port for the IDE, and send the next proposal there.
     *
     * @param graceMs how long answers under way and the clean ends of streams may take
     */
    async retire(graceMs: number): Promise<void> {
        this.isRetired = true;
        this.server.unref();
        this.budget.holdPort(() => void this.close(0));
        await this.endConnections(graceMs);
    }

    /** @param graceMs how long answers under way and the clean ends of streams may take */
    async close(graceMs: number): Promise<void> {
        this.keeper?.end();
        const closed = new Promise<void>(resolve => this.server.close(() => resolve()));
        await this.endConnections(graceMs);
        await closed;
    }

    protected async endConnections(graceMs: number): Promise<void> {
        const sockets = [...this.connections];
        const closed = sockets.map(socket => new Promise(resolve => socket.once('close', resolve)));
        this.server.closeIdleConnections();
        const timer = setTimeout(() => sockets.forEach(socket => socket.destroy()), graceMs);
        await Promise.all(closed);
        clearTimeout(timer);
    }

    protected admit(socket: Socket): void {
        if (this.isRetired) {
            socket.destroy();
            return;
        }
        this.connections.add(socket);
        socket.once('close', () => this.connections.delete(socket));
        if (!this.budget.admit(socket)) {
            this.refusals.add(`more than ${this.budget.limits.connections} connections`);
        }
    }

    /** @returns whether the body may be read; what it takes is given back when the response has closed */
    protected holdBody(request: http.IncomingMessage, response: http.ServerResponse): boolean {
        response.once('close', () => this.budget.release(request));
        const length = request.headers['content-length'];
        if (length === undefined) {
            this.holdArriving(request);
        }
        return length === undefined || this.budget.hold(request, Number(length));
    }

    /** A body of unknown length takes what has come of it, until it is whole: its answer may wait for a person (Copilot CLI 1.0.102). */
    protected holdArriving(request: http.IncomingMessage): void {
        const { socket } = request;
        let arrived = 0;
        const add = (piece: Buffer): void => {
            arrived += piece.length;
            if (!this.budget.hold(request, arrived)) {
                this.cut('Too many large bodies at once', socket);
            }
        };
        socket.on('data', add);
        request.once('close', () => {
            socket.off('data', add);
            this.budget.release(request);
        });
    }

    protected cut(reason: string, socket: Socket): void {
        this.refusals.add(reason);
        socket.destroy();
    }

    protected refuse({ status, reason, headers }: GateRefusal, request: http.IncomingMessage, response: http.ServerResponse): void {
        this.refusals.add(`${status} ${reason}`);
        for (const [name, value] of Object.entries(headers ?? {})) {
            response.setHeader(name, value);
        }
        // The body is neither kept nor waited for: what comes is thrown away, and the socket goes with the answer.
        response.setHeader('Connection', 'close');
        sendError(response, status, REFUSED, reason);
        request.resume();
        setTimeout(() => request.destroy(), 1_000).unref();
    }

    protected refuseMalformed(code: string | undefined, socket: Socket): void {
        if (code === 'ECONNRESET') {
            // A client that is killed is no news.
            socket.destroy();
            return;
        }
        const status = STATUS[code ?? ''] ?? 400;
        this.refusals.add(`${status} ${http.STATUS_CODES[status]}`);
        this.end(socket, status);
    }

    protected end(socket: Socket, status: number, text = ''): void {
        const head = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`, 'Connection: close', 'Content-Type: text/plain'];
        if (socket.writable) {
            socket.end([...head, `Content-Length: ${Buffer.byteLength(text)}`, '', text].join('\r\n'));
        }
        // A sender that never closes its half would keep the socket.
        setTimeout(() => socket.destroy(), 1_000).unref();
    }
}
