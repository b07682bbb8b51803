// SPDX-License-Identifier: Apache-2.0

import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { interfaces } from '@theia/core/shared/inversify';

/**
 * Pages may call the service by that path, each one of its own. Theia loads the modules of all features into the one container of a
 * connection, so that all have the same `PageConnection`, which refuses calls before the window has said hello.
 */
export function bindPageService(bind: interfaces.Bind, path: string, service: interfaces.Newable<object>): void {
    const connectionModule = ConnectionContainerModule.create(({ bind: bindInConnection, bindBackendService }) => {
        bindInConnection(service).toSelf().inSingletonScope();
        bindBackendService(path, service);
    });
    bind(ConnectionContainerModule).toConstantValue(connectionModule);
}
