// SPDX-License-Identifier: Apache-2.0

import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { WebSocketConnectionSource } from '@theia/core/lib/browser/messaging/ws-connection-source';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { RpcProxy } from '@theia/core/lib/common/messaging';
import { interfaces } from '@theia/core/shared/inversify';
import { QwenDaemonBackend, qwenDaemonPath } from '../../common/qwen-daemon-protocol';
import { BackendLinkFactory } from './backend-connection';

/** Makes the channel to the backend with the first link. Theia cannot take a channel back, so later links use the same one. */
export function createBackendLinkFactory(container: interfaces.Container): BackendLinkFactory {
    let proxy: RpcProxy<QwenDaemonBackend> | undefined;
    return page => {
        const backend = (proxy ??= ServiceConnectionProvider.createProxy<QwenDaemonBackend>(container, qwenDaemonPath, page));
        const onDidReconnectEmitter = new Emitter<void>();
        const toDispose = new DisposableCollection(onDidReconnectEmitter);
        let closed = false;
        toDispose.push(backend.onDidCloseConnection(() => (closed = true)));
        toDispose.push(
            // The first opening is not a reconnect.
            backend.onDidOpenConnection(() => {
                if (closed) {
                    closed = false;
                    onDidReconnectEmitter.fire();
                }
            })
        );
        if (container.isBound(WebSocketConnectionSource)) {
            // With a connection that outlives the socket nothing closes, but what was sent meanwhile may be lost.
            toDispose.push(container.get(WebSocketConnectionSource).onSocketDidOpen(() => !closed && onDidReconnectEmitter.fire()));
        }
        return { backend, onDidReconnect: onDidReconnectEmitter.event, isClosed: () => closed, dispose: () => toDispose.dispose() };
    };
}
