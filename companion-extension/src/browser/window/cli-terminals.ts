// SPDX-License-Identifier: Apache-2.0

import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { CliTerminal } from '../../common/companion-protocol';
import { AgentsBackend } from '../../common/agents-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from './companion-connection';

const CALL_LIMIT_MS = 5_000;

/** A terminal of this page in which a connected CLI has the keyboard. */
export interface OpenCliTerminal extends CliTerminal {
    readonly widget: TerminalWidget;
}

/** Finds the terminals that CLIs run in. */
@injectable()
export class CliTerminals {
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(AgentsBackend)
    protected readonly backend: Pick<AgentsBackend, 'findCliTerminals' | 'findCliIn'>;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'ask'>;

    /** Never rejects. @param among where to look */
    async find(among: readonly TerminalWidget[] = this.terminals.all): Promise<OpenCliTerminal[]> {
        const shells = new Map<number, TerminalWidget>();
        const pids = among.map(async widget => shells.set(await widget.processId, widget));
        await withTimeLimit(Promise.allSettled(pids), CALL_LIMIT_MS).catch(() => undefined);
        const find = (): Promise<CliTerminal[]> => this.backend.findCliTerminals([...shells.keys()].filter(isPid));
        const found = await this.connection.ask(find, CALL_LIMIT_MS).catch(() => []);
        return found.flatMap(cli => {
            const widget = shells.get(cli.shell);
            return widget ? { ...cli, widget } : [];
        });
    }

    /** Never rejects. @returns the CLI that has the keyboard of this terminal, connected or not */
    async findIn(widget: TerminalWidget): Promise<OpenCliTerminal | undefined> {
        const find = async (): Promise<CliTerminal | null | undefined> => this.backend.findCliIn(await widget.processId);
        const cli = await this.connection.ask(find, CALL_LIMIT_MS).catch(() => undefined);
        return cli ? { ...cli, widget } : undefined;
    }

    /** @returns false, and nothing is typed, if it is not here, or a program runs in it */
    async typeIntoShell(shell: number, command: string): Promise<boolean> {
        const isMeant = async ({ processId }: TerminalWidget): Promise<boolean> =>
            (await withTimeLimit(processId, CALL_LIMIT_MS).catch(() => undefined)) === shell;
        const { all } = this.terminals;
        const widget = all[(await Promise.all(all.map(isMeant))).indexOf(true)];
        if (!widget || (await withTimeLimit(widget.hasChildProcesses(), CALL_LIMIT_MS).catch(() => true))) {
            return false;
        }
        widget.sendText(command);
        await this.terminals.open(widget, { mode: 'activate' });
        return true;
    }

    async reveal({ widget }: OpenCliTerminal): Promise<void> {
        await this.terminals.open(widget, { mode: 'activate' });
    }
}

function isPid(value: unknown): value is number {
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
