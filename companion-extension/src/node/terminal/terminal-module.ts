// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { interfaces } from '@theia/core/shared/inversify';
import { ShellProcessFactory } from '@theia/terminal/lib/node/shell-process';
import { ContributionGuard } from '../../common/contribution-guard';
import { CompanionShellProcessFactory } from './companion-shell-process-factory';
import { ForegroundClis } from './foreground-clis';
import { StrandedClis } from './stranded-clis';
import { TerminalContribution } from './terminal-contribution';
import { TerminalEnvironment } from './terminal-environment';

/**
 * What new shells learn. For the backend's module, beside {@link bindDiscovery}; `TerminalServers` is bound elsewhere.
 *
 * @param onActivation the module's: it reaches the factory whichever module binds it, and however often it is rebound
 */
export function bindTerminal(bind: interfaces.Bind, guard: ContributionGuard, onActivation: interfaces.Container['onActivation']): void {
    bind(TerminalEnvironment).toSelf().inSingletonScope();
    bind(CompanionShellProcessFactory).toSelf().inSingletonScope();
    bind(ForegroundClis).toSelf().inSingletonScope();
    bind(StrandedClis).toSelf().inSingletonScope();
    bind(TerminalContribution).toSelf().inSingletonScope();
    guard.contribute(bind, BackendApplicationContribution, TerminalContribution, 'initialize');

    onActivation<ShellProcessFactory>(ShellProcessFactory, ({ container }, factory) => {
        try {
            return guard.get(container, CompanionShellProcessFactory).decorate(factory);
        } catch {
            // New terminals do not know the companion, but there are some.
            return factory;
        }
    });
}
