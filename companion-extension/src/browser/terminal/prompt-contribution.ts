// SPDX-License-Identifier: Apache-2.0

import { KeybindingContribution, KeybindingRegistry } from '@theia/core/lib/browser';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { SelectionService } from '@theia/core/lib/common/selection-service';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorContextMenu } from '@theia/editor/lib/browser/editor-menu';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { FileService } from '@theia/filesystem/lib/browser/file-service';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { TerminalMenus } from '@theia/terminal/lib/browser/terminal-frontend-contribution';
import { CliTerminal, CompanionBackend } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { listOf, noAnswerText } from '../../common/sentences';
import { invisibleCharacters } from '../../common/visible-text';
import { ChangeOffer } from '../changes/change-offer';
import { PROMPT_COMMANDS } from './prompt-command-ids';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { ContextFilter } from '../context/context-filter';
import { selectedText } from '../context/context-state';
import { ALT_GRAPH_KEY } from '../window/held-keys';
import { withTimeLimit } from '../../common/time-limit';
import { CliPrompt } from './cli-prompt';
import { PromptChoice, promptChoices } from './prompt-choice';
import { fencedText, MentionedLines, mentionedLines, PromptMention } from './prompt-text';

const CALL_LIMIT_MS = 5_000;
const NAMED_FILES = 5;
/** Of a terminal's output, in UTF-16: about 16 KiB. */
const MAX_OUTPUT_CHARACTERS = 16_384;

/** Context menus of the explorer and of the Problems view. An application without these views never opens them. */
const EXPLORER_MENU = ['navigator-context-menu', '5_companion'];
const PROBLEMS_MENU = ['problem', '1_companion'];
/** Not Theia's TERMINAL_CONTRIBUTIONS: that is a submenu without a name (1.74), in which nobody finds it. */
const TERMINAL_MENU = [...TerminalMenus.TERMINAL_CONTEXT_MENU, '_2_companion'];

/** Commands that put what the user looks at into the prompt of a CLI. */
@injectable()
export class PromptContribution implements CommandContribution, KeybindingContribution, MenuContribution {
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'realPaths'>;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(CliPrompt)
    protected readonly prompt: CliPrompt;
    @inject(SelectionService)
    protected readonly selections: SelectionService;
    @inject(FileService)
    protected readonly files: Pick<FileService, 'resolve'>;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(TerminalService)
    protected readonly terminals: Pick<TerminalService, 'all' | 'currentTerminal'>;
    @inject(ChangeOffer)
    protected readonly offer: Pick<ChangeOffer, 'hide'>;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(PROMPT_COMMANDS.TYPE, {
            execute: (text: unknown, cliId?: string) => {
                const content = { textFor: () => String(text), mentions: [] };
                return cliId === undefined ? this.prompt.type(content) : this.prompt.typeUnconnected(content, cliId);
            }
        });
        commands.registerCommand(SHARED_COMMANDS.TELL_UNDONE, {
            execute: (paths: readonly string[], cliName: string) => this.tellUndone(paths, cliName)
        });
        commands.registerCommand(PROMPT_COMMANDS.ADD_FILE, {
            isEnabled: () => this.editor !== undefined,
            execute: () => this.addFromEditor(undefined)
        });
        commands.registerCommand(PROMPT_COMMANDS.ADD_CHOSEN, {
            isEnabled: () => this.chosen.length > 0,
            isVisible: () => this.chosen.length > 0,
            execute: () => this.addChoices(this.chosen)
        });
        commands.registerCommand(PROMPT_COMMANDS.ADD_SELECTION, {
            isEnabled: () => this.selection !== undefined,
            execute: () => this.addFromEditor(this.selection)
        });
        commands.registerCommand(PROMPT_COMMANDS.ADD_TERMINAL_SELECTION, {
            isEnabled: () => this.selectedTerminal !== undefined,
            execute: () => this.selectedTerminal && this.addOutput(this.selectedTerminal.getSelection())
        });
    }

    registerKeybindings(keybindings: KeybindingRegistry): void {
        const selected = `editorTextFocus && editorHasSelection && resourceScheme == file && !${ALT_GRAPH_KEY}`;
        // Known from Claude Code's extension. Ctrl+L, which others have, is the address of the browser.
        keybindings.registerKeybindings({ command: PROMPT_COMMANDS.ADD_SELECTION.id, keybinding: 'ctrlcmd+alt+k', when: selected });
    }

    registerMenus(menus: MenuModelRegistry): void {
        menus.registerMenuAction(EditorContextMenu.COMMANDS, {
            commandId: PROMPT_COMMANDS.ADD_SELECTION.id,
            order: '1',
            when: 'editorHasSelection && resourceScheme == file'
        });
        menus.registerMenuAction(EditorContextMenu.COMMANDS, {
            commandId: PROMPT_COMMANDS.ADD_FILE.id,
            order: '2',
            when: 'resourceScheme == file'
        });
        menus.registerMenuAction(TERMINAL_MENU, { commandId: PROMPT_COMMANDS.ADD_TERMINAL_SELECTION.id });
        const { id } = PROMPT_COMMANDS.ADD_CHOSEN;
        menus.registerMenuAction(EXPLORER_MENU, { commandId: id, label: PROMPT_COMMANDS.ADD_FILE.label });
        menus.registerMenuAction(PROBLEMS_MENU, {
            commandId: id,
            label: nls.localize('theia/cli-companion/commands/addProblem', 'Add Problem to CLI Prompt')
        });
    }

    protected get chosen(): PromptChoice[] {
        return promptChoices(this.selections.selection);
    }

    protected get editor(): EditorWidget | undefined {
        const editor = this.editors.currentEditor;
        return editor?.getResourceUri()?.scheme === 'file' ? editor : undefined;
    }

    protected get selection(): MentionedLines | undefined {
        const selected = this.editor && selectedText(this.editor.editor);
        return selected && mentionedLines(selected.range, selected.text);
    }

    /** The terminal that is looked at comes first. */
    protected get selectedTerminal(): TerminalWidget | undefined {
        const { currentTerminal, all } = this.terminals;
        return [currentTerminal, ...all].find(terminal => terminal?.hasSelection());
    }

    /** Of a long one, the end: there it says what went wrong. In the language of the models. */
    protected addOutput(selected: string): Promise<void> {
        const text = selected.slice(-MAX_OUTPUT_CHARACTERS);
        if (text.length < selected.length) {
            const cut = nls.localize(
                'theia/cli-companion/prompt/outputCut',
                'Only the last {0} characters of the selection were added.',
                MAX_OUTPUT_CHARACTERS
            );
            this.messages.info(plainText(cut));
        }
        this.warnOfInvisible(text);
        return this.prompt.type({ textFor: () => `Output of a terminal:\n${fencedText(text)}`, mentions: [] });
    }

    protected async addFromEditor(lines: MentionedLines | undefined): Promise<void> {
        const path = this.editor?.getResourceUri()?.path.fsPath();
        if (path !== undefined) {
            await this.addChoices([{ path, lines }]);
        }
    }

    /** In the language of the models. */
    protected tellUndone(paths: readonly string[], cliName: string): Promise<void> {
        this.offer.hide();
        const named = paths.slice(0, NAMED_FILES);
        const more = paths.length - named.length;
        const others = more > 0 ? [`${more} more`] : [];
        const textFor = (cli: CliTerminal): string =>
            `I undid your changes to ${[...named.map(path => PromptMention.name(path, cli)), ...others].join(', ')} in the editor. `;
        return this.prompt.type({ textFor, mentions: [] }, cliName);
    }

    /** Adds files of the explorer. @param terminal whose CLI is meant */
    async addFiles(files: readonly URI[], terminal: TerminalWidget): Promise<void> {
        for (const uri of files) {
            // What is in a folder is not known, and may be withheld.
            if (uri.scheme !== 'file' || !(await this.files.resolve(uri).catch(() => undefined))?.isFile) {
                this.refuse(nls.localize('theia/cli-companion/prompt/noFile', '{0} is not a file on the disk of this IDE.', uri.path.base));
                return;
            }
        }
        await this.addChoices(
            files.map(uri => ({ path: uri.path.fsPath(), lines: undefined })),
            terminal
        );
    }

    /** Adds all of them, or none. @param terminal whose CLI is meant; if it is left out, the user chooses */
    protected async addChoices(choices: readonly PromptChoice[], terminal?: TerminalWidget): Promise<void> {
        const checked: PromptChoice[] = [];
        for (const { path, lines } of choices) {
            const found = await withTimeLimit(this.backend.realPaths([path]), CALL_LIMIT_MS).catch(() => undefined);
            const real = found?.[0];
            if (!real) {
                const missing = nls.localize('theia/cli-companion/prompt/notOnDisk', '{0} is not on the disk of this IDE.', path);
                this.refuse(found ? missing : noAnswerText());
                return;
            }
            const withheld = [path, real].map(name => this.whyWithheld(name, path)).find(why => why !== undefined);
            if (withheld !== undefined) {
                this.refuse(withheld);
                return;
            }
            if (!PromptMention.canName(real)) {
                this.refuse(
                    nls.localize(
                        'theia/cli-companion/prompt/unnameable',
                        'Nothing was typed: a prompt cannot contain the name of {0} unchanged, so the CLI would read another file. Rename it.',
                        real
                    )
                );
                return;
            }
            checked.push({ path: real, lines });
        }
        const textFor = (cli: CliTerminal): string =>
            checked.map(({ path, lines }) => (lines ? PromptMention.selection(path, cli, lines) : PromptMention.file(path, cli))).join('');
        this.warnOfInvisible(checked.map(({ lines }) => lines?.text ?? '').join('\n'));
        const mentions = checked.map(({ path, lines }) => ({ path, ...(lines && { lines: { first: lines.first, last: lines.last } }) }));
        const content = { textFor, mentions };
        await (terminal ? this.prompt.typeInto(terminal, content) : this.prompt.type(content));
    }

    protected warnOfInvisible(text: string): void {
        const invisible = invisibleCharacters(text);
        if (invisible.length > 0) {
            const hidden = nls.localize(
                'theia/cli-companion/prompt/invisible',
                'The selection has characters that you cannot see and the CLI reads: {0}. Check it before you send the prompt.',
                listOf(invisible)
            );
            this.messages.warn(plainText(hidden));
        }
    }

    /** @param path absolute. @param shown the user's name for it. @returns `undefined` if it may be shared */
    whyWithheld(path: string, shown: string): string | undefined {
        if (this.filter.isShared(path)) {
            return undefined;
        }
        const rule = this.filter.withheldBy?.(URI.fromFilePath(path));
        return rule === undefined
            ? nls.localize('theia/cli-companion/prompt/excluded', '{0} is not shared with CLIs.', shown)
            : nls.localize('theia/cli-companion/prompt/withheld', '{0} is not shared with CLIs ({1}).', shown, rule);
    }

    protected refuse(text: string): void {
        this.messages.info(plainText(text));
    }
}
