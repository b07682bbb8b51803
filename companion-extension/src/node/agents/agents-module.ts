// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { agentsPath } from '../../common/agents-protocol';
import { bindServices } from '../../common/bind-services';
import { bindPageService } from '../server/bind-page-service';
import { WindowFeature } from '../server/window-feature';
import { ShellObserver } from '../terminal/shell-observer';
import { AgentWindowFeature } from './agent-window-feature';
import { Agents } from './agents';
import { AgentsService } from './agents-service';
import { DisconnectedClis } from './disconnected-clis';

export function bindAgents(bind: interfaces.Bind): void {
    bindServices(bind, Agents, AgentWindowFeature, DisconnectedClis);
    bind(ShellObserver).toService(Agents);
    bind(WindowFeature).toService(DisconnectedClis);
    bind(WindowFeature).toService(AgentWindowFeature);
    bindPageService(bind, agentsPath, AgentsService);
}
