// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { CommandContribution } from '@theia/core/lib/common/command';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { interfaces } from '@theia/core/shared/inversify';
import { ProblemManager } from '@theia/markers/lib/browser/problem/problem-manager';
import { bindMade, bindServices } from '../../common/bind-services';
import { CompanionBackend } from '../../common/companion-protocol';
import { ContextBackend, contextPath } from '../../common/context-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { ContextContribution } from './context-contribution';
import { ContextFilter, PreferenceContextFilter } from './context-filter';
import { ContextTracker } from './context-tracker';
import { IgnoreFiles } from './ignore-files';
import { SharedDiagnostics } from './shared-diagnostics';
import { SharingStatus } from './sharing-status';

export function bindContext(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, ContextContribution, ContextTracker, IgnoreFiles, SharingStatus);
    bindMade<ContextBackend>(bind, ContextBackend, container => ServiceConnectionProvider.createProxy(container, contextPath));
    bind(ContextFilter).to(PreferenceContextFilter).inSingletonScope();
    bindMade(
        bind,
        SharedDiagnostics,
        container => new SharedDiagnostics(container.get(ProblemManager), container.get(ContextFilter), container.get(CompanionBackend))
    );
    guard.contribute(bind, ResourceResolver, ContextContribution);
    guard.contribute(bind, FrontendApplicationContribution, ContextTracker);
    guard.contribute(bind, CommandContribution, ContextContribution, 'registerCommands');
    guard.contribute(bind, StatusSectionContribution, SharingStatus, 'sections');
}
