// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { timeout } from '@theia/core/lib/common/promise-util';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { withTimeLimit } from '../../common/time-limit';
import { CliTerminals } from '../window/cli-terminals';

const CALL_LIMIT = 2_000;
/** A CLI takes a moment to end after it has disconnected, and longer on a busy machine. In milliseconds. */
const END_INTERVAL = 1_000;
const LOOKS = 30;

/**
 * Names the terminals that were made for CLIs by what runs in them: the CLI as the status list calls it, such as "Qwen Code 2", or the shell
 * when it has ended. A name that the user gave stays.
 */
@injectable()
export class CliTerminalTitles {
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(CliTerminals)
    protected readonly cliTerminals: CliTerminals;

    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;

    protected connected: string | undefined;
    protected readonly given = new WeakMap<TerminalWidget, string>();

    /**
     * @param clis names of all CLIs
     * @param connections names of those that are connected
     */
    update(clis: readonly string[], connections: readonly string[]): void {
        const connected = connections.join('\0');
        if (connected !== this.connected) {
            this.connected = connected;
            void this.rename(clis, connected);
        }
    }

    /** Never rejects. */
    protected async rename(clis: readonly string[], connected: string): Promise<void> {
        // Terminals that the layout restores may have lost their CLIs.
        await this.appState.reachedState('ready');
        for (let look = 0; look < LOOKS && connected === this.connected; look++) {
            const own = this.terminals.all.filter(terminal => clis.includes(titleOf(terminal) ?? ''));
            const found = own.length > 0 ? await this.cliTerminals.find(own) : [];
            let settled = true;
            for (const terminal of own) {
                const cli = found.find(({ widget }) => widget === terminal);
                const name = cli?.displayName ?? (await idleShell(terminal));
                settled = settled && name !== undefined;
                const { label } = terminal.title;
                // A reload of the page keeps a name such as "Qwen Code 2", but not that we gave it.
                const isGiven = label === this.given.get(terminal) || label.replace(/ \d+$/, '') === titleOf(terminal);
                if (name !== undefined && isGiven) {
                    this.given.set(terminal, name);
                    terminal.setTitle(name);
                }
            }
            if (settled) {
                return;
            }
            await timeout(END_INTERVAL);
        }
    }
}

/** What the terminal was called when it was made. */
function titleOf(terminal: TerminalWidget): string | undefined {
    return terminal instanceof TerminalWidgetImpl ? terminal.options.title : undefined;
}

/** The name of the shell; `undefined` while something runs in it. */
async function idleShell(terminal: TerminalWidget): Promise<string | undefined> {
    const ask = async (): Promise<string | undefined> =>
        (await terminal.hasChildProcesses()) ? undefined : (await terminal.processInfo).executable.split(/[/\\]/).pop();
    return withTimeLimit(ask(), CALL_LIMIT, '').catch(() => undefined);
}
