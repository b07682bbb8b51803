// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, LabelProviderContribution } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { CommandContribution } from '@theia/core/lib/common/command';
import { ResourceResolver } from '@theia/core/lib/common/resource';
import { interfaces } from '@theia/core/shared/inversify';
import { bindMade, bindServices } from '../../common/bind-services';
import { ContributionGuard } from '../../common/contribution-guard';
import { DoctorBackend, doctorPath } from '../../common/doctor-protocol';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { DoctorContribution } from './doctor-contribution';
import { FixStatus } from './fix-status';
import { LogContribution } from './log-contribution';

export function bindDoctor(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, DoctorContribution, FixStatus, LogContribution);
    bindMade<DoctorBackend>(bind, DoctorBackend, container => ServiceConnectionProvider.createProxy(container, doctorPath));
    guard.contribute(bind, ResourceResolver, DoctorContribution);
    guard.contribute(bind, FrontendApplicationContribution, LogContribution);
    guard.contribute(bind, CommandContribution, LogContribution, 'registerCommands');
    guard.contribute(bind, CommandContribution, DoctorContribution, 'registerCommands');
    guard.contribute(bind, LabelProviderContribution, DoctorContribution);
    guard.contribute(bind, StatusSectionContribution, FixStatus, 'sections');
}
