// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { AgentsBackend } from '../../common/agents-protocol';
import { CliTerminal } from '../../common/companion-protocol';
import { SupportedClis } from '../discovery/supported-clis';
import { ProcessScans } from '../host/process-scans';
import { ProcessTable } from '../host/process-table';
import { PageConnection } from '../server/page-connection';
import { WindowStates } from '../server/window-states';
import { Windows } from '../server/windows';
import { Agents } from './agents';

/** What a page calls about the programs in its terminals. */
@injectable()
export class AgentsService implements AgentsBackend {
    @inject(PageConnection)
    protected readonly connection: PageConnection;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(WindowStates)
    protected readonly states: WindowStates;
    @inject(ProcessScans)
    protected readonly scans: ProcessScans;
    @inject(Agents)
    protected readonly agents: Agents;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(ProcessTable)
    protected readonly processes: ProcessTable;

    async watchTerminals(shells: number[]): Promise<void> {
        const { window, payloads } = this.connection;
        window.shells = new Set(payloads.shells.parse(shells));
        this.states.refresh();
    }

    async markAgentSeen(shell: number): Promise<void> {
        if (this.connection.window.shells.has(this.connection.payloads.shell.parse(shell))) {
            this.agents.markSeen(shell);
        }
    }

    async findCliTerminals(shells: number[]): Promise<CliTerminal[]> {
        const window = this.connection.window;
        const clis = this.windows.connectedClis(window);
        this.scans.scanWithin(0);
        const candidates = new Set(this.connection.payloads.shells.parse(shells));
        const found = new Map<number, CliTerminal>();
        for (const { displayName, peer, session } of clis) {
            const shell = await this.processes.shellOf(peer.pid, candidates);
            if (shell !== undefined) {
                found.set(shell, {
                    shell,
                    cliId: session.cliId,
                    displayName,
                    ...(peer.folder === undefined ? {} : { folder: peer.folder }),
                    ...(session.mention && { takesMentions: true as const }),
                    ...(this.agents.takesPastes(shell) && { takesPastes: true as const }),
                    ...this.clis.promptOf(session.cliId)
                });
            }
        }
        return [...found.values()];
    }

    async findCliIn(shell: number): Promise<CliTerminal | undefined> {
        const [connected] = await this.findCliTerminals([this.connection.payloads.shell.parse(shell)]);
        const isAsked = !connected && this.connection.window.shells.has(shell);
        const program = isAsked ? await this.agents.foregroundOf(shell) : undefined;
        const cli = program?.cli && this.clis.get(program.cli.id);
        // How others read a name in their prompt is not known.
        if (!program || !cli) {
            return connected;
        }
        const { id, displayName } = cli;
        const folder = (await this.processes.details(program.pid))?.folder;
        return {
            shell,
            cliId: id,
            displayName,
            ...(folder !== undefined && { folder }),
            ...(this.agents.takesPastes(shell) && { takesPastes: true as const }),
            ...this.clis.promptOf(id)
        };
    }
}
