// SPDX-License-Identifier: Apache-2.0

import { ContextFile, ProtocolClient, ReceivedNotification } from '../../../e2e/lib/support/protocol-client';

const LIMIT = 30_000;

/** The moment, in milliseconds since the epoch, at which the last of the clients has received what is wanted. It has to come to each. */
export function arrival(
    clients: readonly ProtocolClient[],
    what: string,
    isWanted: (notification: ReceivedNotification) => boolean,
    limit = LIMIT
): Promise<number> {
    return new Promise((resolve, reject) => {
        const waiting = new Set(clients);
        const end = (): void => {
            clearTimeout(timer);
            clients.forEach(client => (client.onReceive = undefined));
        };
        const timer = setTimeout(() => {
            end();
            reject(
                new Error(`Waited ${limit / 1000} s in vain for ${what}: it came to ${clients.length - waiting.size} of ${clients.length}`)
            );
        }, limit);
        clients.forEach(client => {
            client.onReceive = notification => {
                if (isWanted(notification) && waiting.delete(client) && waiting.size === 0) {
                    end();
                    resolve(performance.timeOrigin + performance.now());
                }
            };
        });
    });
}

/** The moment at which each of the clients has a context like this. */
export function contextArrival(
    clients: readonly ProtocolClient[],
    what: string,
    isWanted: (files: ContextFile[]) => boolean
): Promise<number> {
    return arrival(clients, what, ({ method, params }) => {
        const state = params.workspaceState as { openFiles?: ContextFile[] } | undefined;
        return method === 'ide/contextUpdate' && isWanted(state?.openFiles ?? []);
    });
}
