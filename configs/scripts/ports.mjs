// SPDX-License-Identifier: Apache-2.0

import { createServer } from 'node:net';
import { Problem } from './script.mjs';

const ATTEMPTS = 100;

/** The first free port from the given one on. Both loopback addresses count, since a browser may take either for `localhost`. */
export async function freePort(from) {
    const last = Math.min(from + ATTEMPTS - 1, 65535);
    for (let port = from; port <= last; port++) {
        if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) {
            return port;
        }
    }
    throw new Problem(`No port from ${from} to ${last} is free: choose another with npm start -- --port N.`);
}

function isFree(port, host) {
    return new Promise((resolve, reject) => {
        const server = createServer();
        server.on('error', ({ code }) => {
            if (code === 'EADDRINUSE') {
                resolve(false);
            } else if (host === '::1') {
                // A machine without IPv6.
                resolve(true);
            } else {
                reject(
                    new Problem(
                        `This system does not allow to listen on ${host}:${port} (${code}): choose another port with npm start -- --port N.`
                    )
                );
            }
        });
        server.listen(port, host, () => server.close(() => resolve(true)));
    });
}
