// SPDX-License-Identifier: Apache-2.0

import { addEventListener, ApplicationShell } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalContribution, TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { PageAgents } from '../agents/page-agents';
import { PromptContribution } from './prompt-contribution';
import { PromptUploads } from './prompt-uploads';

/** The type under which Theia (1.74) drags files. What is dragged is not told before it is dropped. */
const DRAGGED_FILES = 'theia-editor-dnd';

/** Takes files that are dropped onto the terminal of a CLI, or pasted there. In other terminals nothing changes. */
@injectable()
export class PromptDrops implements TerminalContribution {
    @inject(TerminalService)
    protected readonly terminals: Pick<TerminalService, 'open'>;
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(PromptContribution)
    protected readonly prompts: PromptContribution;
    @inject(PromptUploads)
    protected readonly uploads: PromptUploads;

    onCreate(terminal: TerminalWidgetImpl): void {
        const { node } = terminal;
        const listening = new DisposableCollection(
            addEventListener(node, 'dragenter', event => this.drag(terminal, event), true),
            addEventListener(node, 'dragover', event => this.drag(terminal, event), true),
            addEventListener(node, 'drop', event => this.drop(terminal, event), true),
            addEventListener(node, 'paste', event => this.paste(terminal, event), true)
        );
        terminal.onDispose(() => listening.dispose());
    }

    /** @returns whether it is for a prompt: then nobody else opens the file */
    protected drag(terminal: TerminalWidgetImpl, event: DragEvent): boolean {
        const types = event.dataTransfer?.types ?? [];
        const isMeant = this.hasCli(terminal) && [DRAGGED_FILES, 'Files'].some(type => types.includes(type));
        if (event.dataTransfer && isMeant) {
            event.dataTransfer.dropEffect = 'copy';
            take(event);
        }
        return isMeant;
    }

    protected drop(terminal: TerminalWidgetImpl, event: DragEvent): void {
        const { dataTransfer } = event;
        if (dataTransfer && this.drag(terminal, event)) {
            void this.terminals.open(terminal, { mode: 'activate' });
            const uris = ApplicationShell.getDraggedEditorUris(dataTransfer);
            void (uris.length > 0 ? this.prompts.addFiles(uris, terminal) : this.uploads.add(filesIn(dataTransfer), terminal));
        }
    }

    /** Text is pasted as ever, also if a picture of it comes along. */
    protected paste(terminal: TerminalWidgetImpl, event: ClipboardEvent): void {
        const { clipboardData } = event;
        const files = clipboardData && !clipboardData.types.includes('text/plain') ? filesIn(clipboardData) : [];
        if (files.length > 0 && this.hasCli(terminal)) {
            take(event);
            void this.uploads.add(files, terminal);
        }
    }

    protected hasCli(terminal: TerminalWidgetImpl): boolean {
        return this.agents.statusOf(terminal)?.cliId !== undefined;
    }
}

function take(event: Event): void {
    event.preventDefault();
    event.stopPropagation();
}

/** A folder is a file without a type, which cannot be read. Its entry tells. */
function filesIn({ items }: DataTransfer): File[] {
    return [...items].flatMap(item => (item.kind === 'file' && !item.webkitGetAsEntry()?.isDirectory ? (item.getAsFile() ?? []) : []));
}
