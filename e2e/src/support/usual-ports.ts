// SPDX-License-Identifier: Apache-2.0

import getPort, { clearLockedPorts } from 'get-port';

/** Of this process, so that runs beside each other take others; below those that Linux gives out by itself (32768). */
const FIRST = 20_000 + 20 * (process.pid % 600);
const taken = new Set<number>();

/**
 * A port for a page's origin, to be given back. The same few are taken again and again, since Chromium knows by its origin what it has
 * compiled before. A random one where something else listens.
 */
export async function takePort(): Promise<number> {
    let port = FIRST;
    while (taken.has(port)) {
        port++;
    }
    taken.add(port);
    // Else it would not give the same one again for half a minute.
    clearLockedPorts();
    return getPort({ port, host: '127.0.0.1' });
}

export function giveBackPort(port: number): void {
    taken.delete(port);
}
