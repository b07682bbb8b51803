// SPDX-License-Identifier: Apache-2.0

import { ServerResponse } from 'http';

/** The code of an error of JSON-RPC for a request that belongs to no session. */
export const REFUSED = -32000;

/** Answers with an error of JSON-RPC. */
export function sendError(response: ServerResponse, status: number, code: number, message: string): void {
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
}
