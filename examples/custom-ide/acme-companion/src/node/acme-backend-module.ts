// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node';
import { ContainerModule } from '@theia/core/shared/inversify';
import { IdeIdentity, SupportedCli } from 'theia-cli-companion/lib/node';
import { AcmeAgentCli } from './acme-agent-cli';
import { AcmeUsage } from './acme-usage';

export default new ContainerModule((bind, _unbind, _isBound, rebind) => {
    rebind(IdeIdentity).toConstantValue({ name: 'acme', displayName: 'Acme Studio' });

    bind(AcmeAgentCli).toSelf().inSingletonScope();
    bind(SupportedCli).toService(AcmeAgentCli);

    bind(AcmeUsage).toSelf().inSingletonScope();
    bind(BackendApplicationContribution).toService(AcmeUsage);
});
