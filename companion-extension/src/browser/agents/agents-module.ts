// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution, KeybindingContribution } from '@theia/core/lib/browser';
import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { CommandContribution } from '@theia/core/lib/common/command';
import { bindRootContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { interfaces } from '@theia/core/shared/inversify';
import { AgentsBackend, agentsPath } from '../../common/agents-protocol';
import { bindMade, bindServices } from '../../common/bind-services';
import { ContributionGuard } from '../../common/contribution-guard';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { AgentCommands } from './agent-commands';
import { AgentNews } from './agent-news';
import { AgentTabs } from './agent-tabs';
import { AgentsStatus } from './agents-status';
import { PageAgents } from './page-agents';
import { WaitingAgentContribution } from './waiting-agent-contribution';

export function bindAgents(bind: interfaces.Bind, guard: ContributionGuard): void {
    bindServices(bind, AgentCommands, AgentNews, AgentTabs, AgentsStatus, PageAgents);
    bindMade<AgentsBackend>(bind, AgentsBackend, container => ServiceConnectionProvider.createProxy(container, agentsPath));
    bindRootContributionProvider(bind, WaitingAgentContribution);
    guard.contribute(bind, FrontendApplicationContribution, PageAgents);
    guard.contribute(bind, FrontendApplicationContribution, AgentTabs);
    guard.contribute(bind, FrontendApplicationContribution, AgentNews);
    guard.contribute(bind, CommandContribution, AgentCommands, 'registerCommands');
    guard.contribute(bind, KeybindingContribution, AgentCommands, 'registerKeybindings');
    guard.contribute(bind, StatusSectionContribution, AgentsStatus, 'sections');
}
