// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { interfaces } from '@theia/core/shared/inversify';
import { ShellProcessFactory } from '@theia/terminal/lib/node/shell-process';
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
export function bindTerminal(bind: interfaces.Bind, onActivation: interfaces.Container['onActivation']): void {
    bind(TerminalEnvironment).toSelf().inSingletonScope();
    bind(CompanionShellProcessFactory).toSelf().inSingletonScope();
    bind(ForegroundClis).toSelf().inSingletonScope();
    bind(StrandedClis).toSelf().inSingletonScope();
    bind(TerminalContribution).toSelf().inSingletonScope();
    bind(BackendApplicationContribution).toService(TerminalContribution);

    onActivation<ShellProcessFactory>(ShellProcessFactory, ({ container }, factory) => {
        try {
            return container.get(CompanionShellProcessFactory).decorate(factory);
        } catch (error) {
            // A companion that is bound wrongly must not cost the user every terminal.
            container.get<ILogger>(ILogger).error('New terminals do not know the companion', error);
            return factory;
        }
    });
}
