// SPDX-License-Identifier: Apache-2.0

import * as net from 'net';

export interface RawResponse {
    /** 0 if the server closed without an answer. */
    readonly status: number;
    /** Head and body as they came. */
    readonly text: string;
}

/** Sends bytes as they are, since no HTTP client sends malformed requests, and reads until the answer is complete or the server closes. */
export function sendRaw(port: number, bytes: string | Buffer, waitMs = 5_000): Promise<RawResponse> {
    return new Promise(resolve => {
        const chunks: Buffer[] = [];
        const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
        const finish = (): void => {
            clearTimeout(timer);
            socket.destroy();
            const text = Buffer.concat(chunks).toString('latin1');
            resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
        };
        const timer = setTimeout(finish, waitMs);
        socket.on('data', chunk => {
            chunks.push(chunk);
            if (isComplete(Buffer.concat(chunks).toString('latin1'))) {
                finish();
            }
        });
        socket.on('error', finish);
        socket.on('close', finish);
    });
}

/** The SDK's transport keeps the connection alive whatever the request says, so its end cannot be waited for. */
function isComplete(text: string): boolean {
    const headEnd = text.indexOf('\r\n\r\n');
    const length = /^content-length: (\d+)\r$/im.exec(text.slice(0, headEnd + 2))?.[1];
    return headEnd >= 0 && length !== undefined && text.length >= headEnd + 4 + Number(length);
}
