// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { CommandContribution } from '@theia/core/lib/common/command';
import { interfaces } from '@theia/core/shared/inversify';
import { bindMade, bindServices } from '../../common/bind-services';
import { ContributionGuard } from '../../common/contribution-guard';
import { StatusList } from '../window/status-list';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { CompanionSections } from './companion-sections';
import { CompanionStatusContribution } from './companion-status';
import { PolicyStatus } from './policy-status';
import { StatusCommands } from './status-commands';
import { StatusPick } from './status-pick';

export function bindStatus(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, CompanionSections, CompanionStatusContribution, PolicyStatus, StatusCommands, StatusPick);
    bindMade<StatusList>(bind, StatusList, container => container.get(StatusPick));
    guard.contribute(bind, FrontendApplicationContribution, CompanionStatusContribution);
    guard.contribute(bind, CommandContribution, CompanionStatusContribution, 'registerCommands');
    guard.contribute(bind, CommandContribution, StatusCommands, 'registerCommands');
    guard.contribute(bind, StatusSectionContribution, CompanionSections, 'sections');
    guard.contribute(bind, StatusSectionContribution, PolicyStatus, 'sections');
}
