// SPDX-License-Identifier: Apache-2.0

import { addEventListener } from '@theia/core/lib/browser';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalContribution, TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { PageAgents } from '../agents/page-agents';
import { CompanionConnection } from '../window/companion-connection';

/**
 * Makes Shift+Enter a new line in the prompt of a CLI. xterm.js (5.3) sends Enter for it, and the half-written prompt would be sent off. Which CLI
 * has the keyboard is known before the key is pressed.
 */
@injectable()
export class NewLineKey implements TerminalContribution {
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;

    onCreate(terminal: TerminalWidgetImpl): void {
        const listening = addEventListener(terminal.node, 'keydown', event => this.press(terminal, event), true);
        terminal.onDispose(() => listening.dispose());
    }

    protected press(terminal: TerminalWidgetImpl, event: KeyboardEvent): void {
        const newLine = isShiftEnter(event) ? this.newLineIn(terminal) : undefined;
        if (newLine !== undefined) {
            event.preventDefault();
            event.stopPropagation();
            terminal.sendText(newLine);
        }
    }

    protected newLineIn(terminal: TerminalWidgetImpl): string | undefined {
        const { cliId, isInEditor = false } = this.agents.statusOf(terminal) ?? {};
        // JSON makes null of nothing.
        return this.connection.state?.status.clis.find(({ id }) => id === cliId && !isInEditor)?.newLine ?? undefined;
    }
}

/** An Enter that ends the composition of a character is none. */
function isShiftEnter({ key, shiftKey, ctrlKey, altKey, metaKey, isComposing }: KeyboardEvent): boolean {
    return key === 'Enter' && shiftKey && !ctrlKey && !altKey && !metaKey && !isComposing;
}
