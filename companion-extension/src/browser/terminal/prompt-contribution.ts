// SPDX-License-Identifier: Apache-2.0

import { addEventListener } from '@theia/core/lib/browser';
import { CommandContribution, CommandRegistry, CommandService } from '@theia/core/lib/common/command';
import { Event } from '@theia/core/lib/common/event';
import { MenuContribution, MenuModelRegistry } from '@theia/core/lib/common/menu';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { timeout } from '@theia/core/lib/common/promise-util';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { SelectionService } from '@theia/core/lib/common/selection-service';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorContextMenu } from '@theia/editor/lib/browser/editor-menu';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { CliTerminal, CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { plainText, withoutIcons } from '../../common/plain-text';
import { listOf } from '../../common/sentences';
import { invisibleCharacters } from '../../common/visible-text';
import { CompanionCommands } from '../companion-commands';
import { ContextFilter } from '../context/context-filter';
import { selectedText } from '../context/context-state';
import { listCommands } from '../status/status-text';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { PromptChoice, promptChoices } from './prompt-choice';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { PromptContent, PromptDelivery } from './prompt-delivery';
import { MentionedLines, mentionedLines, PromptMention } from './prompt-text';

const CALL_LIMIT = 5_000;
/** How long a CLI may take from its start to its prompt, in milliseconds. */
const START_LIMIT = 120_000;
/** How long a CLI may take from an answer to its prompt, in milliseconds. */
const ANSWER_LIMIT = 30_000;
/** How long a CLI that is connected may take to its prompt, in milliseconds: the user waits. */
const READY_LIMIT = 3_000;
const LOOK_INTERVAL = 500;
/** A terminal that shows nothing new for this long is quiet. In milliseconds. */
const QUIET_TIME = 1_000;

/** Context menus of the explorer and of the Problems view. An application without these views never opens them. */
const EXPLORER_MENU = ['navigator-context-menu', '5_companion'];
const PROBLEMS_MENU = ['problem', '1_companion'];

/** Finds the CLI whose prompt is meant, and puts text into it. */
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
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'mention'>;

    protected readonly delivery = new PromptDelivery<OpenCliTerminal>({
        mention: ({ shell }, mentions) => withTimeLimit(this.backend.mention(shell, mentions), CALL_LIMIT, ''),
        isThere: cli => this.isThere(cli),
        send: ({ widget }, text) => widget.sendText(text)
    });

    /**
     * Appends the text to the prompt and gives the terminal the keyboard. The user sends the prompt off.
     *
     * @param cliName whose prompt it is; the user chooses if it is left out
     */
    async type(content: PromptContent, cliName?: string): Promise<void> {
        const isMeant = ({ displayName }: OpenCliTerminal): boolean => displayName === (cliName ?? displayName);
        if (this.connection.state?.status.connections.length && !(await this.targets()).some(isMeant)) {
            // One that has just connected has no prompt yet.
            await this.waitFor(isMeant, READY_LIMIT);
        }
        const targets = (await this.targets()).filter(isMeant);
        if (targets.length === 0) {
            // Not awaited: the command is done, and the offer stays until the user answers it.
            this.offerStart(content).catch(error => this.messages.error(plainText(String(error))));
            return;
        }
        const chosen = await this.choose(targets);
        if (chosen && !this.waitsForAnswer(chosen) && !(await this.put(chosen, content))) {
            const ended = nls.localize('theia/cli-companion/prompt/ended', '{0} has exited. Nothing was typed.', chosen.displayName);
            this.messages.warn(plainText(ended));
        }
    }

    /**
     * Types the text into the prompt of a CLI that has just got an answer to a proposal, as soon as it takes text again.
     *
     * @returns whether it was typed
     */
    async typeAfterAnswer(cliName: string, text: string): Promise<boolean> {
        const isMeant = ({ displayName }: OpenCliTerminal): boolean => displayName === cliName;
        if (!(await this.targets()).some(isMeant)) {
            return false;
        }
        return this.putWhenReady(cli => isMeant(cli) && !this.reviewOf(cli), ANSWER_LIMIT, { textFor: () => text, mentions: [] });
    }

    /**
     * A user who presses a key meanwhile keeps typing there: the terminal then does not get the keyboard.
     *
     * @param limit in milliseconds
     * @returns whether it was typed
     */
    protected async putWhenReady(isMeant: (cli: OpenCliTerminal) => boolean, limit: number, content: PromptContent): Promise<boolean> {
        let mode: 'activate' | 'reveal' = 'activate';
        const listening = addEventListener(document.documentElement, 'keydown', () => (mode = 'reveal'), true);
        const target = await this.waitFor(isMeant, limit).finally(() => listening.dispose());
        return target !== undefined && this.put(target, content, mode);
    }

    /** @returns whether it was typed */
    protected async put(cli: OpenCliTerminal, content: PromptContent, mode: 'activate' | 'reveal' = 'activate'): Promise<boolean> {
        const { widget, displayName } = cli;
        if (!(await this.delivery.deliver(cli, content))) {
            return false;
        }
        await this.terminals.open(widget, { mode });
        // Its first line names what the rest quotes.
        const [what] = content.textFor(cli).trim().split('\n');
        status(nls.localize('theia/cli-companion/prompt/typed', 'Typed into the prompt of {0}: {1}', displayName, what));
        return true;
    }

    protected async isThere(cli: OpenCliTerminal): Promise<boolean> {
        return (await this.targets()).some(({ widget, displayName }) => widget === cli.widget && displayName === cli.displayName);
    }

    /** Offers to start a CLI, and types when it takes text. */
    protected async offerStart(content: PromptContent): Promise<void> {
        const clis = this.connection.state?.status.clis ?? [];
        const offer = nls.localize(
            'theia/cli-companion/prompt/noCli',
            'No CLI in a terminal of this window can take the text. Start {0}, and the text is added to its prompt.',
            listCommands(clis)
        );
        const answer = await this.messages.info(plainText(offer), ...clis.map(cli => CompanionCommands.run(cli).label ?? cli.id));
        const cli = clis.find(candidate => CompanionCommands.run(candidate).label === answer);
        if (!cli) {
            return;
        }
        const before = new Set(this.terminals.all);
        await this.commands.executeCommand(CompanionCommands.run(cli).id);
        if (!(await this.putWhenReady(({ widget }) => !before.has(widget), START_LIMIT, content))) {
            const missed = nls.localize(
                'theia/cli-companion/prompt/notStarted',
                '{0} did not connect in time. Nothing was typed.',
                cli.displayName
            );
            this.messages.warn(plainText(missed));
        }
    }

    /** A CLI that still starts connects before it has a prompt. It has one when it writes nothing more. @param limit in milliseconds */
    protected async waitFor(isMeant: (cli: OpenCliTerminal) => boolean, limit: number): Promise<OpenCliTerminal | undefined> {
        const end = Date.now() + limit;
        while (Date.now() < end) {
            const target = (await this.targets()).find(isMeant);
            if (target && (await isQuiet(target.widget))) {
                return target;
            }
            await timeout(target ? 0 : LOOK_INTERVAL);
        }
        return undefined;
    }

    /**
     * A CLI that asks whether to apply an edit has no prompt, and silently drops what is pasted then (Qwen Code 0.24, Gemini CLI 0.61).
     */
    protected waitsForAnswer(cli: OpenCliTerminal): boolean {
        const { displayName } = cli;
        const review = this.reviewOf(cli);
        if (review) {
            const text = nls.localize(
                'theia/cli-companion/prompt/waits',
                '{0} is waiting for an answer to its proposal for {1} and takes no other text. Answer it, then try again.',
                displayName,
                review.path
            );
            this.messages.info(plainText(text));
        }
        return review !== undefined;
    }

    protected reviewOf({ displayName }: OpenCliTerminal): ReviewInfo | undefined {
        return this.connection.state?.reviews.find(({ cliName }) => cliName === displayName);
    }

    protected async targets(): Promise<OpenCliTerminal[]> {
        return (await this.cliTerminals.find()).filter(({ widget }) => takesPastes(widget));
    }

    protected async choose(targets: OpenCliTerminal[]): Promise<OpenCliTerminal | undefined> {
        const used = targets.find(({ widget }) => widget === this.terminals.lastUsedTerminal);
        if (used || targets.length === 1) {
            return used ?? targets[0];
        }
        const items = targets.map(target => ({
            label: withoutIcons(target.displayName),
            description: withoutIcons(target.widget.title.label),
            target
        }));
        const placeholder = nls.localize('theia/cli-companion/prompt/choose', 'Which CLI is it for?');
        return (await this.quickPick.show(items, { placeholder }))?.target;
    }
}

/** Commands that put what the user looks at into the prompt of a CLI. */
@injectable()
export class PromptContribution implements CommandContribution, MenuContribution {
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
    @inject(MessageService)
    protected readonly messages: MessageService;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CompanionCommands.TYPE, {
            execute: (text: unknown) => this.prompt.type({ textFor: () => String(text), mentions: [] })
        });
        commands.registerCommand(CompanionCommands.ADD_FILE, {
            isEnabled: () => this.editor !== undefined,
            execute: () => this.addFromEditor(undefined)
        });
        commands.registerCommand(CompanionCommands.ADD_CHOSEN, {
            isEnabled: () => this.chosen.length > 0,
            isVisible: () => this.chosen.length > 0,
            execute: () => this.addChoices(this.chosen)
        });
        commands.registerCommand(CompanionCommands.ADD_SELECTION, {
            isEnabled: () => this.selection !== undefined,
            execute: () => this.addFromEditor(this.selection)
        });
    }

    registerMenus(menus: MenuModelRegistry): void {
        menus.registerMenuAction(EditorContextMenu.COMMANDS, {
            commandId: CompanionCommands.ADD_SELECTION.id,
            order: '1',
            when: 'editorHasSelection && resourceScheme == file'
        });
        menus.registerMenuAction(EditorContextMenu.COMMANDS, {
            commandId: CompanionCommands.ADD_FILE.id,
            order: '2',
            when: 'resourceScheme == file'
        });
        const { id } = CompanionCommands.ADD_CHOSEN;
        menus.registerMenuAction(EXPLORER_MENU, { commandId: id, label: CompanionCommands.ADD_FILE.label });
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

    protected async addFromEditor(lines: MentionedLines | undefined): Promise<void> {
        const path = this.editor?.getResourceUri()?.path.fsPath();
        if (path !== undefined) {
            await this.addChoices([{ path, lines }]);
        }
    }

    /**
     * Adds all of them, or none.
     *
     * @param request what is asked about them, for the CLI of this name
     */
    async addChoices(choices: readonly PromptChoice[], request?: { words: string; cliName: string }): Promise<void> {
        const checked: PromptChoice[] = [];
        for (const { path, lines } of choices) {
            const [real] = await withTimeLimit(this.backend.realPaths([path]), CALL_LIMIT, '').catch(() => []);
            if (!real) {
                this.refuse(nls.localize('theia/cli-companion/prompt/notOnDisk', '{0} is not on the disk of this IDE.', path));
                return;
            }
            const withheld = [path, real].find(each => !this.filter.isShared(each));
            if (withheld !== undefined) {
                const rule = this.filter.withheldBy?.(URI.fromFilePath(withheld));
                this.refuse(
                    rule === undefined
                        ? nls.localize('theia/cli-companion/prompt/excluded', '{0} is not shared with CLIs.', path)
                        : nls.localize('theia/cli-companion/prompt/withheld', '{0} is not shared with CLIs ({1}).', path, rule)
                );
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
        const textFor = ({ folder }: CliTerminal): string =>
            (request?.words ?? '') +
            checked
                .map(({ path, lines }) => (lines ? PromptMention.selection(path, folder, lines) : PromptMention.file(path, folder)))
                .join('');
        const invisible = invisibleCharacters(checked.map(({ lines }) => lines?.text ?? '').join('\n'));
        if (invisible.length > 0) {
            const hidden = nls.localize(
                'theia/cli-companion/prompt/invisible',
                'The selection has characters that you cannot see and the CLI reads: {0}. Check it before you send the prompt.',
                listOf(invisible)
            );
            this.messages.warn(plainText(hidden));
        }
        // A mention has no place for words.
        const mentioned = request ? [] : checked;
        const mentions = mentioned.map(({ path, lines }) => ({ path, ...(lines && { lines: { first: lines.first, last: lines.last } }) }));
        await this.prompt.type({ textFor, mentions }, request?.cliName);
    }

    protected refuse(text: string): void {
        this.messages.info(plainText(text));
    }
}

/** The CLI, or a shell that has replaced it meanwhile, treats line breaks in a paste as text. */
function takesPastes(widget: TerminalWidget): boolean {
    return widget instanceof TerminalWidgetImpl && widget.getTerminal().modes.bracketedPasteMode;
}

async function isQuiet(widget: TerminalWidget): Promise<boolean> {
    const output = Event.toPromise(widget.onOutput).then(() => false);
    return Promise.race([output, timeout(QUIET_TIME).then(() => true)]);
}
