// SPDX-License-Identifier: Apache-2.0

import { subscribe, unsubscribe } from 'diagnostics_channel';
import { Server } from 'http';

/** The Node server that a request reaches, which the product shows to nobody. */
export async function listeningServer(request: () => Promise<unknown>): Promise<Server> {
    let found: Server | undefined;
    const look = (message: unknown): void => {
        found = (message as { server: Server }).server;
    };
    subscribe('http.server.request.start', look);
    try {
        await request();
    } finally {
        unsubscribe('http.server.request.start', look);
    }
    if (!found) {
        throw new Error('No server has got the request');
    }
    return found;
}
