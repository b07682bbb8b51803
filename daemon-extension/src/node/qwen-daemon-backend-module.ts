// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { LocalizationContribution } from '@theia/core/lib/node/i18n/localization-contribution';
import { ConnectionContainerModule } from '@theia/core/lib/node/messaging/connection-container-module';
import { ContainerModule } from '@theia/core/shared/inversify';
import { ContributionGuard } from 'theia-cli-companion/lib/common';
import { ActiveAgentContribution } from 'theia-cli-companion/lib/node';
import { bindDaemonPreferences } from '../common/daemon-preferences';
import { qwenDaemonPath, QwenDaemonPage } from '../common/qwen-daemon-protocol';
import { DaemonSettings } from './config/daemon-settings';
import { DaemonParts } from './server/daemon-parts';

const connectionModule = ConnectionContainerModule.create(({ bindBackendService }) =>
    bindBackendService<object, QwenDaemonPage>(qwenDaemonPath, DaemonParts, (parts, page) => (parts as DaemonParts).serve(page))
);

export default new ContainerModule(bind => {
    bindDaemonPreferences(bind);
    // No language pack: the application decides which languages it offers. Read only once a page is in that language.
    bind<LocalizationContribution>(LocalizationContribution).toConstantValue({
        registerLocalizations: async registry =>
            registry.registerLocalization({ languageId: 'zh-cn', getTranslations: async () => require('../../i18n/zh-cn.json') })
    });
    bind(DaemonSettings).toSelf().inSingletonScope();
    bind(DaemonParts)
        .toDynamicValue(({ container }) => new DaemonParts(container))
        .inSingletonScope();
    const guard = new ContributionGuard('Qwen daemon');
    guard.contribute(bind, BackendApplicationContribution, DaemonSettings, 'initialize');
    guard.contribute(bind, BackendApplicationContribution, DaemonParts, 'onStop');
    bind(ActiveAgentContribution).toService(DaemonParts);
    bind(ConnectionContainerModule).toConstantValue(connectionModule);
});
