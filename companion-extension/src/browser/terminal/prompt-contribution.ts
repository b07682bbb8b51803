// SPDX-License-Identifier: Apache-2.0

import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorContextMenu } from '@theia/editor/lib/browser/editor-menu';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { CliTerminal, CompanionBackend } from '../../common/companion-protocol';
import { withTimeLimit } from '../window/backend-calls';
import { CompanionCommands } from '../companion-commands';
import { ContextFilter } from '../context/context-filter';
import { selectedText } from '../context/context-state';
import { plainText } from '../plain-text';
import { CliPrompt } from './cli-prompt';
import { MentionedLines, PromptMention } from './prompt-text';

const CALL_LIMIT = 5_000;

/** Commands that put what the user looks at into the prompt of a CLI. */
@injectable()
export class PromptContribution implements CommandContribution, MenuContribution {
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'realPath'>;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(CliPrompt)
    protected readonly prompt: CliPrompt;
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CompanionCommands.ADD_FILE, {
            isEnabled: () => this.editor !== undefined,
            execute: () => this.add(path => cli => PromptMention.file(path, cli.folder))
        });
        commands.registerCommand(CompanionCommands.ADD_SELECTION, {
            isEnabled: () => this.selection !== undefined,
            execute: () => {
                const { selection } = this;
                return selection && this.add(path => cli => PromptMention.selection(path, cli.folder, selection));
            }
        });
    }

    registerMenus(menus: MenuModelRegistry): void {
        menus.registerMenuAction(EditorContextMenu.COMMANDS, {
            commandId: CompanionCommands.ADD_SELECTION.id,
            when: 'editorHasSelection && resourceScheme == file'
        });
        menus.registerMenuAction(EditorContextMenu.COMMANDS, {
            commandId: CompanionCommands.ADD_FILE.id,
            when: 'resourceScheme == file'
        });
    }

    protected get editor(): EditorWidget | undefined {
        const editor = this.editors.currentEditor;
        return editor?.getResourceUri()?.scheme === 'file' ? editor : undefined;
    }

    protected get selection(): MentionedLines | undefined {
        const selected = this.editor && selectedText(this.editor.editor);
        if (!selected) {
            return undefined;
        }
        const { start, end } = selected.range;
        // A selection of whole lines ends at the start of the line behind them.
        const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
        return { first: start.line + 1, last, text: selected.text };
    }

    protected async add(textFor: (path: string) => (cli: CliTerminal) => string): Promise<void> {
        const path = this.editor?.getResourceUri()?.path.fsPath();
        if (path === undefined) {
            return;
        }
        const real = await withTimeLimit(this.backend.realPath(path), CALL_LIMIT, '').catch(() => undefined);
        if (!real) {
            this.refuse(nls.localize('companion/prompt/notOnDisk', '{0} cannot be found on the disk of this IDE.', path));
        } else if (!this.filter.isShared(path) || !this.filter.isShared(real)) {
            this.refuse(nls.localize('companion/prompt/excluded', '{0} is excluded: companion.context.exclude keeps it from CLIs.', path));
        } else {
            await this.prompt.type(textFor(real));
        }
    }

    protected refuse(text: string): void {
        this.messages.info(plainText(text));
    }
}
