// SPDX-License-Identifier: Apache-2.0

import { addEventListener, ApplicationShell } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalContribution, TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { PageAgents } from '../agents/page-agents';
import { PromptContribution } from './prompt-contribution';

/** The type under which Theia (1.74) drags files. What is dragged is not told before it is dropped. */
const DRAGGED_FILES = 'theia-editor-dnd';

/** Adds files that are dragged from the explorer onto the terminal of a CLI to its prompt. In other terminals nothing changes. */
@injectable()
export class PromptDrops implements TerminalContribution {
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(PromptContribution)
    protected readonly prompts: PromptContribution;

    onCreate(terminal: TerminalWidgetImpl): void {
        const { node } = terminal;
        const listening = new DisposableCollection(
            addEventListener(node, 'dragenter', event => this.take(terminal, event), true),
            addEventListener(node, 'dragover', event => this.take(terminal, event), true),
            addEventListener(node, 'drop', event => this.drop(terminal, event), true)
        );
        terminal.onDispose(() => listening.dispose());
    }

    /** @returns whether it is for a prompt: then nobody else opens the file */
    protected take(terminal: TerminalWidgetImpl, event: DragEvent): boolean {
        const isMeant = event.dataTransfer?.types.includes(DRAGGED_FILES) && this.agents.statusOf(terminal)?.cliId !== undefined;
        if (isMeant) {
            event.preventDefault();
            event.stopPropagation();
        }
        return isMeant === true;
    }

    protected drop(terminal: TerminalWidgetImpl, event: DragEvent): void {
        if (event.dataTransfer && this.take(terminal, event)) {
            void this.prompts.addFiles(ApplicationShell.getDraggedEditorUris(event.dataTransfer), terminal);
        }
    }
}
