// SPDX-License-Identifier: Apache-2.0

import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { ContainerModule } from '@theia/core/shared/inversify';
import { bindCompanionPreferences } from '../common/companion-preferences';
import { CompanionBackend, CompanionPage, companionPath } from '../common/companion-protocol';
import { ContributionGuard } from '../common/contribution-guard';
import { bindDiscovery } from './discovery/discovery-module';
import { IdeModeOffers } from './discovery/ide-mode-offers';
import { CompanionBackendContribution } from './server/companion-backend-contribution';
import { CompanionBackendService } from './server/companion-backend-service';
import { DefaultIdeServerFactory, IdeServerFactory } from './server/ide-server-factory';
import { IdeServers } from './server/ide-servers';
import { bindTerminal } from './terminal/terminal-module';
import { TerminalServers } from './terminal/terminal-servers';

/** One per connection of a page; everything that must outlive it is in the root container. */
const connectionModule = ConnectionContainerModule.create(({ bind, bindBackendService }) => {
    bind(CompanionBackendService).toSelf().inSingletonScope();
    bindBackendService<CompanionBackendService, CompanionPage>(companionPath, CompanionBackendService, (service, page) => {
        service.setPage(page);
        return service;
    });
    bind(CompanionBackend).toDynamicValue(({ container }) => container.get(CompanionBackendService));
});

export default new ContainerModule((bind, _unbind, _isBound, _rebind, _unbindAsync, onActivation) => {
    bind(ConnectionContainerModule).toConstantValue(connectionModule);
    bindCompanionPreferences(bind);
    const guard = new ContributionGuard();
    bind(ContributionGuard).toConstantValue(guard);
    bindDiscovery(bind, guard);
    bindTerminal(bind, guard, onActivation);
    bind(IdeModeOffers).toSelf().inSingletonScope();

    bind(DefaultIdeServerFactory).toSelf().inSingletonScope();
    bind(IdeServerFactory).toDynamicValue(({ container }) => container.get(DefaultIdeServerFactory));
    bind(IdeServers).toSelf().inSingletonScope();
    bind(TerminalServers).toDynamicValue(({ container }) => container.get(IdeServers));

    bind(CompanionBackendContribution).toSelf().inSingletonScope();
    guard.contribute(bind, BackendApplicationContribution, CompanionBackendContribution, 'initialize', 'onStop');
});
