// SPDX-License-Identifier: Apache-2.0

import * as http from 'http';
import { Readable } from 'stream';
import { urlToHttpOptions } from 'url';

/** Answers without a body. */
const NO_CONTENT = 204;

/**
 * `fetch` for a daemon on this machine. Node's own follows `HTTP_PROXY` if `NODE_USE_ENV_PROXY` is set (Node 24.5), and a product may have
 * replaced its agent: a proxy would see the daemon's token and the prompts.
 */
export async function directFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const { method, signal } = request;
    const headers = Object.fromEntries(request.headers);
    const body = Buffer.from(await request.arrayBuffer());
    const address = urlToHttpOptions(new URL(request.url));
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        const outgoing = new http.ClientRequest({ ...address, method, headers, signal, agent: new http.Agent() }, resolve);
        // As `fetch` fails.
        outgoing.on('error', cause => reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause })));
        outgoing.end(body);
    });
    const { statusCode: status, statusMessage: statusText, rawHeaders } = response;
    const received = new Headers();
    for (let index = 0; index < rawHeaders.length; index += 2) {
        received.append(rawHeaders[index], rawHeaders[index + 1]);
    }
    const content = status === NO_CONTENT ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
    return new Response(content, { status, statusText, headers: received });
}
