// SPDX-License-Identifier: Apache-2.0

import { addEventListener } from '@theia/core/lib/browser';
import { CommandService } from '@theia/core/lib/common/command';
import { Event } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { timeout } from '@theia/core/lib/common/promise-util';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { CliTerminal, Mention, ReviewInfo, StartableCli } from '../../common/companion-protocol';
import { PromptBackend } from '../../common/prompt-protocol';
import { plainText, withoutIcons } from '../../common/plain-text';
import { PageAgents } from '../agents/page-agents';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { listCommands } from '../window/status-words';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { PromptMention, promptText } from './prompt-text';

const CALL_LIMIT_MS = 5_000;
/** How long a CLI may take from its start to its prompt. */
const START_LIMIT_MS = 120_000;
/** How long a CLI may take from an answer to its prompt. */
const ANSWER_LIMIT_MS = 30_000;
/** How long a CLI that is connected may take to its prompt: the user waits. */
const READY_LIMIT_MS = 3_000;
const LOOK_INTERVAL_MS = 500;
/** A terminal that shows nothing new for this long is quiet. */
const QUIET_TIME_MS = 1_000;
/** If its prompt was not seen, as in vim mode, or if the user has typed into it. */
const LONG_QUIET_TIME_MS = 5_000;
/** The end of its screen. */
const SCREEN_LINES = 60;

/** The text for a prompt. */
export interface PromptContent {
    textFor(cli: CliTerminal): string;
    /** The same, for a CLI that takes mentions; empty where they cannot say it. */
    readonly mentions: Mention[];
}

/** Finds the CLI whose prompt is meant, and puts text into it. */
@injectable()
export class CliPrompt {
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(PageAgents)
    protected readonly agents: PageAgents;
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
    @inject(PromptBackend)
    protected readonly backend: Pick<PromptBackend, 'mention' | 'markTyped'>;

    /** The terminals that had the keyboard, the last one first. */
    protected used: TerminalWidget[] = [];

    @postConstruct()
    protected init(): void {
        this.terminals.onDidChangeCurrentTerminal(terminal => {
            const others = this.used.filter(other => other !== terminal && !other.isDisposed);
            this.used = terminal ? [terminal, ...others] : others;
        });
    }

    /** Appends the text to the prompt and gives the terminal the keyboard. The user sends the prompt off. @param cliName the only one that is meant */
    async type(content: PromptContent, cliName?: string): Promise<void> {
        await this.putOrSay(await this.find(content, cliName), content, 'activate');
    }

    /** The same for the CLI in this terminal, connected or not. What the user looks at stays: an upload takes its time. */
    async typeInto(terminal: TerminalWidget, content: PromptContent): Promise<boolean> {
        return this.putOrSay(await this.findIn(terminal), content);
    }

    /** The same for a CLI of this kind that is not connected. @returns whether it was typed */
    async typeUnconnected(content: PromptContent, cliId: string): Promise<boolean> {
        const connected = new Set((await this.cliTerminals.find()).map(({ widget }) => widget));
        const agent = this.agents.all.find(({ status, widget }) => status.cliId === cliId && !connected.has(widget));
        const cli = agent && (await this.cliTerminals.findIn(agent.widget));
        return cli?.takesPastes === true && this.put(cli, content, 'activate');
    }

    /** Whether {@link typeInto} would type now. Says why not. */
    async takesText(terminal: TerminalWidget): Promise<boolean> {
        const cli = await this.findIn(terminal);
        return cli !== undefined && !this.waitsForAnswer(cli);
    }

    /** @returns whether it was typed */
    protected async putOrSay(cli: OpenCliTerminal | undefined, content: PromptContent, mode?: 'activate'): Promise<boolean> {
        if (!cli || this.waitsForAnswer(cli)) {
            return false;
        }
        const isTyped = await this.put(cli, content, mode);
        if (!isTyped) {
            this.sayEnded(cli.displayName);
        }
        return isTyped;
    }

    protected async find(content: PromptContent, cliName?: string): Promise<OpenCliTerminal | undefined> {
        const isMeant = ({ displayName }: OpenCliTerminal): boolean => cliName === undefined || displayName === cliName;
        if (this.connection.state?.status.connections.length && !(await this.targets()).some(isMeant)) {
            // One that has just connected has no prompt yet.
            await this.waitFor(isMeant, READY_LIMIT_MS);
        }
        const targets = (await this.targets()).filter(isMeant);
        if (targets.length === 0) {
            // Not awaited: the command is done, and the offer stays until the user answers it.
            this.offerStart(content).catch(error => this.messages.error(plainText(String(error))));
            return undefined;
        }
        return this.choose(targets);
    }

    protected async findIn(terminal: TerminalWidget): Promise<OpenCliTerminal | undefined> {
        const cli = await this.cliTerminals.findIn(terminal);
        if (cli?.takesPastes) {
            return cli;
        }
        this.messages.warn(
            plainText(nls.localize('theia/cli-companion/prompt/noneHere', 'No CLI in this terminal takes text now. Nothing was typed.'))
        );
        return undefined;
    }

    protected sayEnded(name: string): void {
        this.messages.warn(plainText(nls.localize('theia/cli-companion/prompt/ended', '{0} has exited. Nothing was typed.', name)));
    }

    /**
     * Types the text into the prompt of a CLI that has just got an answer to this proposal, as soon as it takes text again. What it asks next drops
     * the text, and what it proposes next is not what the text is about.
     *
     * @returns whether it was typed
     */
    async typeAfterAnswer({ id, cliName }: Pick<ReviewInfo, 'id' | 'cliName'>, text: string): Promise<boolean> {
        const isMeant = ({ displayName }: OpenCliTerminal): boolean => displayName === cliName;
        const proposes = (): boolean => this.reviewsOf(cliName).some(review => review.id !== id);
        const takesText = (cli: OpenCliTerminal): boolean => isMeant(cli) && this.reviewsOf(cliName).length === 0 && !this.asks(cli);
        if (!(await this.targets()).some(isMeant)) {
            return false;
        }
        return this.putWhenReady(takesText, ANSWER_LIMIT_MS, { textFor: () => text, mentions: [] }, proposes);
    }

    /**
     * A user who presses a key meanwhile keeps typing there: the terminal then does not get the keyboard.
     *
     * @param limit in milliseconds
     * @param isOver the text is not wanted any more
     * @returns whether it was typed
     */
    protected async putWhenReady(
        isMeant: (cli: OpenCliTerminal) => boolean,
        limit: number,
        content: PromptContent,
        isOver = () => false
    ): Promise<boolean> {
        let mode: 'activate' | 'reveal' = 'activate';
        const listening = addEventListener(document.documentElement, 'keydown', () => (mode = 'reveal'), true);
        const target = await this.waitFor(isMeant, limit, isOver).finally(() => listening.dispose());
        return target !== undefined && this.put(target, content, mode);
    }

    /** @returns whether it was typed */
    protected async put(cli: OpenCliTerminal, content: PromptContent, mode?: 'activate' | 'reveal'): Promise<boolean> {
        const { widget, displayName, cliId } = cli;
        if (!(await this.deliver(cli, content))) {
            return false;
        }
        // It goes the way of the text itself, and arrives if that does.
        this.backend.markTyped(cliId).catch(() => undefined);
        if (mode) {
            await this.terminals.open(widget, { mode });
        }
        // Its first line names what the rest quotes.
        const [what] = content.textFor(cli).trim().split('\n');
        status(nls.localize('theia/cli-companion/prompt/typed', 'Typed into the prompt of {0}: {1}', displayName, what));
        if (content.mentions.some(({ path, lines }) => !lines && !PromptMention.isRead(path, cli.mentionStyle))) {
            const unread = nls.localize(
                'theia/cli-companion/prompt/unread',
                '{0} does not read a file that is added to its prompt: the prompt has its name, and no more.',
                displayName
            );
            this.messages.info(plainText(unread));
        }
        return true;
    }

    /** Never into the shell behind the CLI: there a line break would run what is before it. @returns false if the CLI has ended */
    protected async deliver(cli: OpenCliTerminal, { textFor, mentions }: PromptContent): Promise<boolean> {
        // Claude Code (2.1) puts a mention into its prompt without quotes, and then reads no file whose name needs them.
        const takes = cli.takesMentions && mentions.length > 0 && mentions.every(({ path }) => PromptMention.isPlain(path));
        if (takes && (await withTimeLimit(this.backend.mention(cli.shell, mentions), CALL_LIMIT_MS).catch(() => false))) {
            return true;
        }
        // Seconds may have passed since it was found.
        if (!(await this.isThere(cli))) {
            return false;
        }
        cli.widget.sendText(promptText(textFor(cli)));
        return true;
    }

    protected async isThere(cli: OpenCliTerminal): Promise<boolean> {
        const now = await this.cliTerminals.findIn(cli.widget);
        return now?.takesPastes === true && now.displayName === cli.displayName;
    }

    /** Offers to start a CLI, and types when it takes text. */
    protected async offerStart(content: PromptContent): Promise<void> {
        const clis = this.connection.state?.status.clis ?? [];
        const offer = nls.localize(
            'theia/cli-companion/prompt/noCli',
            'No CLI in a terminal of this window can take the text. Start {0}, and the text is added to its prompt.',
            listCommands(clis)
        );
        const run = SHARED_COMMANDS.RUN_CLI.label ?? '';
        if ((await this.messages.info(plainText(offer), run)) !== run) {
            return;
        }
        // It may start in a terminal in which it ran before.
        const before = (await this.targets()).map(({ widget }) => widget);
        const cli = await this.commands.executeCommand<StartableCli>(SHARED_COMMANDS.RUN_CLI.id);
        if (!cli) {
            return;
        }
        if (!(await this.putWhenReady(({ widget }) => !before.includes(widget), START_LIMIT_MS, content))) {
            const missed = nls.localize(
                'theia/cli-companion/prompt/notStarted',
                '{0} did not connect in time. Nothing was typed.',
                cli.displayName
            );
            this.messages.warn(plainText(missed));
        }
    }

    /** A CLI that still starts connects before it has a prompt. It has one when it writes nothing more. @param limit in milliseconds */
    protected async waitFor(
        isMeant: (cli: OpenCliTerminal) => boolean,
        limit: number,
        isOver = () => false
    ): Promise<OpenCliTerminal | undefined> {
        const end = Date.now() + limit;
        while (Date.now() < end && !isOver()) {
            const target = (await this.targets()).find(isMeant);
            if (target && (await isReady(target)) && isMeant(target)) {
                return target;
            }
            await timeout(target ? 0 : LOOK_INTERVAL_MS);
        }
        return undefined;
    }

    /**
     * A CLI that asks whether to apply an edit has no prompt, and silently drops what is pasted then (Qwen Code 0.24, Gemini CLI 0.61).
     */
    protected waitsForAnswer(cli: OpenCliTerminal): boolean {
        const { displayName } = cli;
        const [review] = this.reviewsOf(displayName);
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

    protected reviewsOf(name: string): readonly ReviewInfo[] {
        return this.connection.state?.reviews.filter(({ cliName }) => cliName === name) ?? [];
    }

    /** Whether it waits for its user in another way. */
    protected asks({ widget }: OpenCliTerminal): boolean {
        return this.agents.all.some(agent => agent.widget === widget && agent.status.state === 'blocked');
    }

    protected async targets(): Promise<OpenCliTerminal[]> {
        return (await this.cliTerminals.find()).filter(({ takesPastes }) => takesPastes);
    }

    protected async choose(targets: OpenCliTerminal[]): Promise<OpenCliTerminal | undefined> {
        const inOrder = [this.terminals.lastUsedTerminal, ...this.used];
        const [used] = inOrder.flatMap(terminal => targets.find(({ widget }) => widget === terminal) ?? []);
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

/** On a busy machine a CLI pauses before its prompt is there: then it has to be quiet for longer. */
async function isReady({ widget, emptyPrompt }: OpenCliTerminal): Promise<boolean> {
    const output = Event.toPromise(widget.onOutput).then(() => false);
    const isShown = emptyPrompt === undefined || shows(widget, emptyPrompt);
    return Promise.race([output, timeout(isShown ? QUIET_TIME_MS : LONG_QUIET_TIME_MS).then(() => true)]);
}

function shows({ buffer }: TerminalWidget, text: string): boolean {
    const lines = Math.min(buffer.length, SCREEN_LINES);
    return buffer.getLines(buffer.length - lines, lines).some(line => line.includes(text));
}
