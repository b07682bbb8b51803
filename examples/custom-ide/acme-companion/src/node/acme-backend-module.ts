// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node';
import { ContainerModule } from '@theia/core/shared/inversify';
import { ClaudeCodeCli, IdeIdentity, QwenCodeCli, SupportedCli } from 'theia-cli-companion/lib/node';
import { AcmeAgentCli } from './acme-agent-cli';
import { AcmeRecord } from './acme-record';
import { AcmeUsage } from './acme-usage';

export default new ContainerModule((bind, unbind, _isBound, rebind) => {
    rebind(IdeIdentity).toConstantValue({ name: 'acme', displayName: 'Acme Studio' });

    bind(AcmeAgentCli).toSelf().inSingletonScope();
    // These and no others.
    unbind(SupportedCli);
    for (const cli of [QwenCodeCli, ClaudeCodeCli, AcmeAgentCli]) {
        bind(SupportedCli).toService(cli);
    }

    for (const listener of [AcmeRecord, AcmeUsage]) {
        bind(listener).toSelf().inSingletonScope();
        bind(BackendApplicationContribution).toService(listener);
    }
});
