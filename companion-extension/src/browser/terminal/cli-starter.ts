// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell } from '@theia/core/lib/browser';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { Event } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { QuickPickService } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { ShellTerminalProfile } from '@theia/terminal/lib/browser/shell-terminal-profile';
import { TerminalProfileService } from '@theia/terminal/lib/browser/terminal-profile-service';
import { TerminalWidgetImpl } from '@theia/terminal/lib/browser/terminal-widget-impl';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { CommandSearch, StartableCli } from '../../common/companion-protocol';
import { PromptBackend } from '../../common/prompt-protocol';
import { plainText, withoutIcons } from '../../common/plain-text';
import { joinSentences } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { copyLabel } from '../window/status-words';
import { IdeModeQuestion } from './ide-mode-question';

/** A shell that prints nothing for this long has no prompt to wait for. */
const PROMPT_LIMIT_MS = 3_000;
/** After that, a CLI is started even if its command was not found. */
const SEARCH_LIMIT_MS = 3_000;
/** How long a terminal may take to say what it does. A new one is started then. */
const IDLE_LIMIT_MS = 2_000;
/** Reports that a terminal sends by itself: its focus, its colours, its cursor. */
// eslint-disable-next-line no-control-regex
const REPORT = /^\u001b(\[[IO]$|\[[?>]|\]|P|\[\d+;\d+R)/;
/** Enter, Ctrl+C or Ctrl+D: the line of the shell is empty then. */
// eslint-disable-next-line no-control-regex
const LINE_END = /[\r\u0003\u0004]$/;

/** Starts CLIs in terminals, as if the user had typed their commands there. */
@injectable()
export class CliStarter {
    @inject(PromptBackend)
    protected readonly backend: Pick<PromptBackend, 'findCommand'>;
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;
    @inject(IdeModeQuestion)
    protected readonly ideMode: IdeModeQuestion;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(QuickPickService)
    protected readonly quickPick: QuickPickService;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(ApplicationShell)
    protected readonly shell: Pick<ApplicationShell, 'getWidgets'>;
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(TerminalProfileService)
    protected readonly profiles: Pick<TerminalProfileService, 'defaultProfile'>;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;

    /** The terminals that this page made for CLIs: whose they are, and whether the user has typed into their line. */
    protected readonly own = new Map<TerminalWidget, { cliId: string; emptyLine: boolean }>();

    /**
     * Starts it in the root of the file that the user works on, or in the first root: in a terminal in which it has run before and that is
     * idle now, or in a new one.
     *
     * @returns whether it was started
     */
    async run(cli: StartableCli): Promise<boolean> {
        if (!(await this.mayStart(cli, await this.search(cli)))) {
            return false;
        }
        const idle = await this.idleTerminal(cli);
        idle?.sendText(`${cli.command}\r`);
        const terminal = idle ?? (await this.startCli(cli));
        await this.open(terminal);
        return true;
    }

    /** The user chooses one: those that were found come first. @returns it, once it was started */
    async choose(clis: readonly StartableCli[]): Promise<StartableCli | undefined> {
        const searches = await Promise.all(clis.map(cli => this.search(cli)));
        const items = clis.map((cli, index) => ({
            label: withoutIcons(cli.displayName),
            description: searches[index]?.found === false ? nls.localize('theia/cli-companion/run/notFound', 'not found') : cli.command,
            cli,
            isFound: searches[index]?.found !== false
        }));
        items.sort((one, other) => Number(other.isFound) - Number(one.isFound));
        const placeholder = nls.localize('theia/cli-companion/run/choose', 'Which CLI?');
        const cli = (await this.quickPick.show(items, { placeholder }))?.cli;
        return cli && (await this.run(cli)) ? cli : undefined;
    }

    /** One that runs in a terminal of this page is there, wherever its shell found it. */
    protected async search({ id }: StartableCli): Promise<CommandSearch | undefined> {
        const runs = this.connection.state?.agents.some(({ cliId }) => cliId === id);
        const search = await withTimeLimit(this.backend.findCommand(id), SEARCH_LIMIT_MS).catch(() => undefined);
        return search && runs ? { ...search, found: true } : search;
    }

    /** Types what installs it into a new terminal. The user reads it and presses Enter. */
    async install(cli: StartableCli): Promise<void> {
        const { terminal } = await this.startAndType(cli.install ?? '');
        await this.open(terminal);
    }

    /** A new one is the last tab: Theia would put it after the one in front. */
    protected async open(terminal: TerminalWidget): Promise<void> {
        const ref = this.shell.getWidgets('bottom').at(-1);
        await this.terminals.open(terminal, { mode: 'activate', widgetOptions: { area: 'bottom', mode: 'tab-after', ref } });
    }

    protected get folder(): string | undefined {
        const file = this.editors.currentEditor?.getResourceUri();
        return (this.workspace.getWorkspaceRootUri(file) ?? this.workspace.getWorkspaceRootUri(undefined))?.toString();
    }

    protected async startCli(cli: StartableCli): Promise<TerminalWidget> {
        const { terminal, typed } = await this.startAndType(`${cli.command}\r`);
        const state = { cliId: cli.id, emptyLine: false };
        this.own.set(terminal, state);
        void typed.then(() => (state.emptyLine = true));
        terminal.onData(data => (state.emptyLine = REPORT.test(data) ? state.emptyLine : LINE_END.test(data)));
        terminal.onTerminalDidClose(() => this.own.delete(terminal));
        return terminal;
    }

    /** In a shell as Theia's "New Terminal" starts it: another one may read other settings, and not find the CLI. */
    protected async startAndType(text: string): Promise<{ terminal: TerminalWidget; typed: Promise<void> }> {
        const cwd = this.folder;
        const { defaultProfile: profile } = this.profiles;
        const inFolder = profile instanceof ShellTerminalProfile && cwd !== undefined ? profile.modify({ cwd }) : profile;
        const terminal = (await inFolder?.start()) ?? (await this.terminals.newTerminal({ cwd }));
        const prompt = Event.toPromise(terminal.onOutput);
        if (!inFolder) {
            await terminal.start();
        }
        // A shell may throw away what is typed before it shows its prompt.
        const typed = withTimeLimit(prompt, PROMPT_LIMIT_MS)
            .catch(() => undefined)
            .then(() => terminal.sendText(text));
        return { terminal, typed };
    }

    /** A shell of this CLI's with nothing running in it, nothing typed into it, and in the right folder. */
    protected async idleTerminal(cli: StartableCli): Promise<TerminalWidget | undefined> {
        for (const [terminal, { cliId, emptyLine }] of this.own) {
            if (cliId === cli.id && emptyLine && (await this.isIdle(terminal))) {
                return terminal;
            }
        }
        return undefined;
    }

    protected async isIdle(terminal: TerminalWidget): Promise<boolean> {
        const folder = terminal instanceof TerminalWidgetImpl ? terminal.cwd : undefined;
        const facts = Promise.all([terminal.hasChildProcesses(), folder]);
        const [isBusy, cwd] = await withTimeLimit(facts, IDLE_LIMIT_MS).catch(() => [true]);
        return isBusy === false && String(cwd) === this.folder;
    }

    /** Asks the user if its command is missing, or if it would not connect. */
    protected async mayStart(cli: StartableCli, search: CommandSearch | undefined): Promise<boolean> {
        if (search?.found === false && !(await this.startsAnyway(cli))) {
            return false;
        }
        return search?.ideModeOff === undefined || this.ideMode.ask(cli, search.ideModeOff);
    }

    /** Shells may find more than the backend does. */
    protected async startsAnyway(cli: StartableCli): Promise<boolean> {
        const { displayName, command, install } = cli;
        const missing = nls.localize(
            'theia/cli-companion/run/missing',
            '{0} was not found: "{1}" is not on the PATH of this IDE.',
            displayName,
            command.split(' ')[0]
        );
        const remedy = install && nls.localize('theia/cli-companion/run/install', 'To install it, type in a terminal: {0}', install);
        const anyway = nls.localize('theia/cli-companion/run/anyway', 'Run Anyway');
        const inTerminal = nls.localize('theia/cli-companion/run/installInTerminal', 'Install in Terminal');
        const answer = await this.messages.warn(
            plainText(joinSentences([missing, remedy])),
            ...(install === undefined ? [] : [inTerminal, copyLabel()]),
            anyway
        );
        if (answer === inTerminal) {
            await this.install(cli);
        } else if (answer === copyLabel() && install !== undefined) {
            await this.clipboard.writeText(install);
        }
        return answer === anyway;
    }
}
