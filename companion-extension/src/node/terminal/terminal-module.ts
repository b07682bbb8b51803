// SPDX-License-Identifier: Apache-2.0

import { BackendApplicationContribution } from '@theia/core/lib/node/backend-application';
import { interfaces } from '@theia/core/shared/inversify';
import { ShellProcessFactory } from '@theia/terminal/lib/node/shell-process';
import { bindServices } from '../../common/bind-services';
import { ContributionGuard } from '../../common/contribution-guard';
import { AutoApprovingClis } from './auto-approving-clis';
import { CompanionShellProcessFactory } from './companion-shell-process-factory';
import { TerminalEnvironment } from './terminal-environment';

/** What new shells learn. Needs `ShellObserver` and `TerminalServers`. */
export function bindTerminals(bind: interfaces.Bind, guard: ContributionGuard, onActivation: interfaces.Container['onActivation']): void {
    bindServices(bind, AutoApprovingClis, CompanionShellProcessFactory, TerminalEnvironment);
    guard.contribute(bind, BackendApplicationContribution, TerminalEnvironment);
    onActivation<ShellProcessFactory>(ShellProcessFactory, ({ container }, factory) => {
        try {
            return guard.get(container, CompanionShellProcessFactory).decorate(factory);
        } catch {
            // New terminals do not know the companion, but there are some.
            return factory;
        }
    });
}
