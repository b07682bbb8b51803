// SPDX-License-Identifier: Apache-2.0

import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorContextMenu } from '@theia/editor/lib/browser/editor-menu';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { CliTerminal, CompanionBackend } from '../../common/companion-protocol';
import { plainText, withoutIcons } from '../../common/plain-text';
import { CompanionCommands } from '../companion-commands';
import { ContextFilter } from '../context/context-filter';
import { selectedText } from '../context/context-state';
import { listCommands } from '../status/status-text';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { MentionedLines, PromptMention, promptText } from './prompt-text';

const CALL_LIMIT = 5_000;

/** Types into the prompt of a CLI, and never into a shell: there a line end would run what stands before it. */
@injectable()
export class CliPrompt {
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(CliTerminals)
    protected readonly cliTerminals: CliTerminals;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(QuickPickService)
    protected readonly quickPick: QuickPickService;

    /** Appends the text to the prompt and gives the terminal the keyboard. The user sends the prompt off. */
    async type(textFor: (cli: CliTerminal) => string): Promise<void> {
        const target = await this.choose(await this.targets());
        if (target && !this.waitsForAnswer(target)) {
            target.widget.sendText(promptText(textFor(target)));
            await this.terminals.open(target.widget, { mode: 'activate' });
        }
    }

    /**
     * A CLI that asks whether to apply an edit has no prompt, and silently drops what is pasted then (Qwen Code 0.24, Gemini CLI 0.61).
     */
    protected waitsForAnswer({ displayName }: OpenCliTerminal): boolean {
        const { reviews = [], reviewsElsewhere = [] } = this.connection.state ?? {};
        const review = [...reviews, ...reviewsElsewhere].find(({ cliName }) => cliName === displayName);
        if (review) {
            const text = nls.localize(
                'companion/prompt/waits',
                '{0} waits for an answer to its proposal for {1} and takes no other text. Answer it, then try again.',
                displayName,
                review.path
            );
            this.messages.info(plainText(text));
        }
        return review !== undefined;
    }

    protected async targets(): Promise<OpenCliTerminal[]> {
        return (await this.cliTerminals.find()).filter(({ widget }) => takesPastes(widget));
    }

    protected async choose(targets: OpenCliTerminal[]): Promise<OpenCliTerminal | undefined> {
        const used = targets.find(({ widget }) => widget === this.terminals.lastUsedTerminal);
        if (used || targets.length === 1) {
            return used ?? targets[0];
        }
        if (targets.length === 0) {
            const commands = listCommands(this.connection.state?.status.clis ?? []);
            this.messages.info(
                plainText(
                    nls.localize(
                        'companion/prompt/noCli',
                        'No connected CLI has the keyboard in a terminal of this window. Start {0} in one, then try again.',
                        commands
                    )
                )
            );
            return undefined;
        }
        const items = targets.map(target => ({
            label: withoutIcons(target.displayName),
            description: withoutIcons(target.widget.title.label),
            target
        }));
        const placeholder = nls.localize('companion/prompt/choose', 'Which CLI is it for?');
        return (await this.quickPick.show(items, { placeholder }))?.target;
    }
}

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
        // A selection of whole lines ends at the start of the next line.
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

/** The CLI, or a shell that has taken its place meanwhile, takes line ends in a paste for text. */
function takesPastes(widget: TerminalWidget): boolean {
    return widget instanceof TerminalWidgetImpl && widget.getTerminal().modes.bracketedPasteMode;
}
