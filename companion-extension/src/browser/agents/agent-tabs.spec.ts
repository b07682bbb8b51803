// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Title, Widget } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { expect } from 'chai';
import { AgentStatus } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { AgentTabs } from './agent-tabs';
import { PageAgents } from './page-agents';

describe('The tab of a terminal', () => {
    let terminal: TerminalWidgetImpl;
    let status: AgentStatus | undefined;
    const onDidChange = new Emitter<void>();

    beforeEach(() => {
        const title = new Title<Widget>({ owner: new Widget(), label: 'bash', iconClass: 'shell' });
        terminal = Object.create(TerminalWidgetImpl.prototype, {
            title: { value: title },
            options: { value: { useServerTitle: true } },
            hasUserTitle: { value: false, writable: true },
            processInfo: { value: Promise.resolve({ executable: '/bin/bash' }) }
        }) as TerminalWidgetImpl;
        const services = new FakeServices();
        services.bind(TerminalService, { all: [terminal], onDidCreateTerminal: new Emitter<unknown>().event });
        services.bind(PageAgents, { onDidChange: onDidChange.event, statusOf: () => status });
        services.create(AgentTabs).onStart();
    });

    async function receive(next: AgentStatus | undefined): Promise<void> {
        status = next;
        onDidChange.fire();
        await new Promise(setImmediate);
    }

    const qwen: AgentStatus = { shell: 1, cliId: 'qwen-code', name: 'Qwen Code', state: 'idle', since: 0 };

    it('has the name and icon of a CLI while it runs', async () => {
        await receive(qwen);
        expect([terminal.title.label, terminal.title.iconClass]).to.deep.equal(['Qwen Code', 'codicon codicon-sparkle']);
        await receive(undefined);
        expect([terminal.title.label, terminal.title.iconClass]).to.deep.equal(['bash', 'shell']);
    });

    it('gets its icon back once the CLI has ended, also if the user has named it meanwhile', async () => {
        await receive(qwen);
        terminal.setTitle('mine');
        await receive(undefined);
        expect([terminal.title.label, terminal.title.iconClass]).to.deep.equal(['mine', 'shell']);
    });
});
