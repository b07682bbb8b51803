// SPDX-License-Identifier: Apache-2.0

import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { interfaces } from '@theia/core/shared/inversify';
import { bindServices } from '../../common/bind-services';
import { CompanionBackend, CompanionPage, companionPath } from '../../common/companion-protocol';
import { TerminalServers } from '../terminal/terminal-environment';
import { CliServer } from './cli-server';
import { CompanionEvents, ServerEvents } from './companion-events';
import { ConnectedClis } from './connected-clis';
import { PageConnection } from './page-connection';
import { PageService } from './page-service';
import { WindowFeature } from './window-feature';
import { WindowServers } from './window-servers';
import { WindowStates } from './window-states';
import { Windows } from './windows';

/** One per connection of a page; everything that must outlive it is in the root container. */
const connectionModule = ConnectionContainerModule.create(({ bind, bindBackendService }) => {
    bindServices(bind, PageConnection, PageService);
    bindBackendService<PageService, CompanionPage>(companionPath, PageService, (service, page) => {
        service.setPage(page);
        return service;
    });
    bind(CompanionBackend).toService(PageService);
});

/** The windows with their servers. */
export function bindServer(bind: interfaces.Bind): void {
    bindServices(bind, ConnectedClis, ServerEvents, WindowServers, WindowStates, Windows);
    bind(CompanionEvents).toDynamicValue(({ container }) => container.get(ServerEvents));
    bind(TerminalServers).toService(Windows);
    bindRootContributionProvider(bind, CliServer);
    bindRootContributionProvider(bind, WindowFeature);
    bind(WindowFeature).toService(ConnectedClis);
    bind(ConnectionContainerModule).toConstantValue(connectionModule);
}
