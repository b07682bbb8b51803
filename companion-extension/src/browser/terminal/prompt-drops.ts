// SPDX-License-Identifier: Apache-2.0

import { addEventListener, ApplicationShell } from '@theia/core/lib/browser';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalCommands } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import { TerminalContribution, TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { TerminalPreferences } from '@theia/terminal/lib/common/terminal-preferences';
import { plainText } from '../../common/plain-text';
import { listOf } from '../../common/sentences';
import { PageAgents } from '../agents/page-agents';
import { PromptContribution } from './prompt-contribution';
import { PromptUploads } from './prompt-uploads';

/** The type under which Theia (1.74) drags files. What is dragged is not told before it is dropped. */
const DRAGGED_FILES = 'theia-editor-dnd';

/** Takes files that are dropped onto the terminal of a CLI, or pasted there. In other terminals nothing changes. */
@injectable()
export class PromptDrops implements TerminalContribution, CommandContribution {
    @inject(TerminalService)
    protected readonly terminals: Pick<TerminalService, 'open'>;
    @inject(PageAgents)
    protected readonly agents: PageAgents;
    @inject(PromptContribution)
    protected readonly prompts: PromptContribution;
    @inject(PromptUploads)
    protected readonly uploads: PromptUploads;

    @inject(ApplicationShell)
    protected readonly shell: Pick<ApplicationShell, 'activeWidget'>;
    @inject(TerminalPreferences)
    protected readonly preferences: TerminalPreferences;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        // Theia (1.74) reads only text for it.
        commands.registerHandler(TerminalCommands.PASTE_TERMINAL.id, {
            isEnabled: () => this.pasteTarget !== undefined,
            execute: () => this.pasteTarget && this.pasteByCommand(this.pasteTarget)
        });
    }

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
            if (uris.length > 0) {
                void this.prompts.addFiles(uris, terminal);
            } else {
                const { files, folders } = contentOf(dataTransfer);
                this.sayNoFolders(folders);
                void this.uploads.add(files, terminal);
            }
        }
    }

    /** Text is pasted as ever, also if a picture of it comes along. The names of the files that come along are not meant: a Mac pastes both. */
    protected paste(terminal: TerminalWidgetImpl, event: ClipboardEvent): void {
        const { clipboardData } = event;
        if (!clipboardData || !this.hasCli(terminal)) {
            return;
        }
        const { files, folders } = contentOf(clipboardData);
        const names = [...files.map(({ name }) => name), ...folders].sort().join('\n');
        const text = clipboardData.types.includes('text/plain') ? clipboardData.getData('text/plain') : undefined;
        const isNames =
            text === undefined ||
            text
                .trim()
                .split(/[\r\n]+/)
                .sort()
                .join('\n') === names;
        if (names !== '' && isNames) {
            take(event);
            this.sayNoFolders(folders);
            void this.uploads.add(files, terminal);
        }
    }

    protected get pasteTarget(): TerminalWidgetImpl | undefined {
        const { activeWidget } = this.shell;
        const isOn = this.preferences['terminal.enablePaste'];
        return isOn && activeWidget instanceof TerminalWidgetImpl && this.hasCli(activeWidget) ? activeWidget : undefined;
    }

    /** A browser may keep what is no text to itself, or ask its user first. */
    protected async pasteByCommand(terminal: TerminalWidgetImpl): Promise<void> {
        const items = await Promise.resolve(navigator.clipboard?.read?.()).catch(() => undefined);
        const pictures = (items ?? []).flatMap(item => {
            const type = item.types.includes('text/plain') ? undefined : item.types.find(candidate => candidate.startsWith('image/'));
            return type === undefined ? [] : { item, type };
        });
        if (pictures.length > 0) {
            const files = pictures.map(async ({ item, type }) => new File([await item.getType(type)], `image.${type.slice(6)}`, { type }));
            await this.uploads.add(await Promise.all(files), terminal);
            return;
        }
        const text = await this.clipboard.readText();
        if (text) {
            terminal.paste(text);
        }
    }

    protected sayNoFolders(folders: readonly string[]): void {
        if (folders.length > 0) {
            const text = nls.localize(
                'theia/cli-companion/prompt/noFolders',
                'Folders are not uploaded: {0}. Add the files in them.',
                listOf(folders)
            );
            this.messages.warn(plainText(text));
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
function contentOf({ items }: DataTransfer): { files: File[]; folders: string[] } {
    const all = [...items].filter(({ kind }) => kind === 'file').map(item => ({ file: item.getAsFile(), entry: item.webkitGetAsEntry() }));
    return {
        files: all.flatMap(({ file, entry }) => (file && !entry?.isDirectory ? file : [])),
        folders: all.flatMap(({ entry }) => (entry?.isDirectory ? entry.name : []))
    };
}
