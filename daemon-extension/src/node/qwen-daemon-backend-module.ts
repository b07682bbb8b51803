// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { ContainerModule } from '@theia/core/shared/inversify';
import { ContributionGuard } from 'theia-cli-companion/lib/common';
import { bindDaemonPreferences } from '../common/daemon-preferences';
import { QwenDaemonBackend, qwenDaemonPath, QwenDaemonPage } from '../common/qwen-daemon-protocol';
import { DaemonSettings } from './config/daemon-settings';
import { DaemonTokenSource, takeDaemonToken } from './config/daemon-token-source';
import { QwenCommand } from './config/qwen-command';
import { DaemonBackendContribution } from './server/daemon-backend-contribution';
import { DaemonWorkspaces } from './server/daemon-workspaces';
import { QwenDaemonService } from './server/qwen-daemon-service';

const connectionModule = ConnectionContainerModule.create(({ bind, bindBackendService }) => {
    bind(QwenDaemonService).toSelf().inSingletonScope();
    bind(QwenDaemonBackend).toService(QwenDaemonService);
    bindBackendService<QwenDaemonService, QwenDaemonPage>(qwenDaemonPath, QwenDaemonBackend, (service, page) => {
        service.setPage(page);
        return service;
    });
});

export default new ContainerModule(bind => {
    takeDaemonToken();
    bindDaemonPreferences(bind);
    bind(DaemonTokenSource).toSelf().inSingletonScope();
    bind(QwenCommand).toSelf().inSingletonScope();
    bind(DaemonSettings).toSelf().inSingletonScope();
    bind(DaemonWorkspaces).toSelf().inSingletonScope();
    bind(DaemonBackendContribution).toSelf().inSingletonScope();
    new ContributionGuard('Qwen daemon').contribute(
        bind,
        BackendApplicationContribution,
        DaemonBackendContribution,
        'initialize',
        'onStop'
    );
    bind(ConnectionContainerModule).toConstantValue(connectionModule);
});
