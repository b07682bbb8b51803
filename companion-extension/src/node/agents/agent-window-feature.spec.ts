// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { Container } from '@theia/core/shared/inversify';
import { expect } from 'chai';
import { AgentStatus } from '../../common/companion-protocol';
import { SupportedClis } from '../discovery/supported-clis';
import { Reviews } from '../review/reviews';
import { ChangedAgent, ServerEvents } from '../server/companion-events';
import { Windows } from '../server/windows';
import { AgentWindowFeature } from './agent-window-feature';
import { AgentChange, Agents } from './agents';

describe('AgentWindowFeature', () => {
    it('reports what the program in a terminal does, and its end, without its words', () => {
        const changes = new Emitter<readonly AgentChange[]>();
        const container = new Container();
        container.bind<unknown>(Agents).toConstantValue({ onDidChange: changes.event });
        container.bind<unknown>(Windows).toConstantValue({});
        container.bind<unknown>(Reviews).toConstantValue({});
        container.bind<unknown>(SupportedClis).toConstantValue({});
        container.bind(ServerEvents).toSelf().inSingletonScope();
        container.bind(AgentWindowFeature).toSelf();
        const heard: ChangedAgent[] = [];
        container.get(ServerEvents).onDidChangeAgentStatus(agent => heard.push(agent));
        container.get(AgentWindowFeature);
        const status: AgentStatus = { shell: 7, cliId: 'a', state: 'blocked', kind: 'permission', message: 'approve', since: 1 };
        changes.fire([{ shell: 7, status }]);
        changes.fire([{ shell: 7, status: undefined }]);
        expect(heard).to.deep.equal([
            { shell: 7, cliId: 'a', state: 'blocked', kind: 'permission' },
            { shell: 7, state: 'ended' }
        ]);
    });
});
