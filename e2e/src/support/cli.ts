// SPDX-License-Identifier: Apache-2.0

import { processesOf } from './cli-processes';
import { CliWords } from './cli-words';
import { eventually } from './eventually';
import { IdePage } from './ide-page';
import { killIfAlive } from './process-tree';
import { ToolCall } from './scripted-model';
import { Terminal } from './terminal';
import { Workbench } from './workbench';

export interface CliStart {
    /** What the status bar says once it is connected, where that is not its name alone. */
    readonly status?: string;
    /** Where its terminal opens, if that is not the workbench's page. */
    readonly page?: IdePage;
    /** What is typed to start it, where its command alone is not enough. */
    readonly command?: string;
    /** Starts it as the terminal's own program, without typing a command. */
    readonly run?: () => Promise<void>;
}

/**
 * In milliseconds. Qwen Code 0.24 was seen to stay at "Initializing..." for long where another one had been killed; the lock in its
 * extension store counts for a minute.
 */
const START_TIMEOUT = 120_000;
/** How long a CLI has to take a key as its answer, in milliseconds. */
const ANSWER_TIME = 5_000;

/** A CLI in a terminal of the IDE, used as a person uses it. */
export class Cli {
    private constructor(
        readonly words: CliWords,
        private terminalNow: Terminal,
        private readonly workbench: Workbench,
        private readonly processes: readonly number[]
    ) {}

    /** Starts it by its command and waits until the IDE's status bar says that it is connected. */
    static async start(words: CliWords, workbench: Workbench, options: CliStart = {}): Promise<Cli> {
        const { page = workbench.page, command = words.command, status = `${words.name} connected` } = options;
        const before = await processesOf(words, workbench.ide);
        const terminal = await (options.run ? page.terminalOpenedBy(options.run) : page.openTerminal());
        if (!options.run) {
            await terminal.run(command);
        }
        await terminal.waitForScreen(words.prompt, `the prompt of ${words.name}`, { timeout: START_TIMEOUT });
        await page.waitForStatus(status);
        const processes = (await processesOf(words, workbench.ide)).filter(pid => !before.includes(pid));
        return new Cli(words, terminal, workbench, processes);
    }

    get terminal(): Terminal {
        return this.terminalNow;
    }

    /** Finds its terminal again, after a reload of the page. */
    async findTerminal(): Promise<void> {
        this.terminalNow = await eventually(`the terminal of ${this.words.name}`, async () => {
            for (const terminal of await this.workbench.page.terminals()) {
                const text = await terminal.screen();
                if (this.words.prompt.test(text) || text.includes(this.words.question)) {
                    return terminal;
                }
            }
            return undefined;
        });
    }

    /** Asks the model to call the tools. Returns the number of the newest request before. */
    async play(...calls: ToolCall[]): Promise<number> {
        return this.ask(await this.workbench.model.script(...calls));
    }

    /** Types a prompt and sends it. Returns the number of the model's newest request before. */
    async ask(prompt: string): Promise<number> {
        const before = await this.workbench.model.newest();
        await this.terminal.waitForScreen(this.words.prompt, `the prompt of ${this.words.name}`);
        await this.terminal.submit(prompt);
        await this.workbench.model.waitForRequest(`what was typed`, before, request => request.prompt.includes(prompt));
        return before;
    }

    writeFile(file: string, content: string): ToolCall {
        const name = this.workbench.ide.file(file);
        return this.isCopilot
            ? { name: 'create', args: { path: name, file_text: content } }
            : { name: 'write_file', args: { file_path: name, content } };
    }

    readFile(file: string): ToolCall {
        const name = this.workbench.ide.file(file);
        return this.isCopilot ? { name: 'view', args: { path: name } } : { name: 'read_file', args: { file_path: name } };
    }

    shell(command: string): ToolCall {
        return { name: 'run_shell_command', args: { command, is_background: false, description: 'As asked.' } };
    }

    edit(file: string, before: string, after: string): ToolCall {
        if (this.isCopilot) {
            return { name: 'edit', args: { path: this.workbench.ide.file(file), old_str: before, new_str: after } };
        }
        const args = { file_path: this.workbench.ide.file(file), old_string: before, new_string: after };
        return { name: this.words.editTool, args: this.words.editTool === 'replace' ? { ...args, instruction: 'As asked.' } : args };
    }

    private get isCopilot(): boolean {
        return this.words.id === 'copilot';
    }

    /** Waits until it asks in the terminal, too: it takes keys for an answer from then on. */
    async waitForQuestion(): Promise<void> {
        await this.terminal.waitForScreen(this.words.question);
    }

    /** Takes the first answer: to allow the edit once. A key that comes in the moment in which the question does may be lost (Claude Code 2.1.330). */
    async acceptInTerminal(): Promise<void> {
        await eventually('the question to be answered', async () => {
            await this.terminal.press('Enter');
            return this.terminal.waitUntilGone(this.words.question, { timeout: ANSWER_TIME }).then(
                () => true,
                () => false
            );
        });
    }

    async rejectInTerminal(): Promise<void> {
        await this.terminal.press('Escape');
    }

    /** Waits until the model has got the outcome of the last call and given its last answer, and the prompt is back. */
    async waitUntilPlayed(after: number): Promise<void> {
        const last = await this.workbench.model.waitForRequest('with the outcome', after, request => request.answer.call === undefined);
        await this.terminal.waitFor(last.answer.text ?? '');
        await this.waitForPrompt();
    }

    async waitUntilRejected(file: string): Promise<void> {
        await this.terminal.waitFor(this.words.rejected(file), `${this.words.name} to show that the edit was turned down`);
        await this.waitForPrompt();
    }

    async waitForPrompt(): Promise<void> {
        await this.terminal.waitUntilGone(this.words.question);
        await this.terminal.waitForScreen(this.words.prompt, `the prompt of ${this.words.name}`);
    }

    /** Kills it, so that it cannot say goodbye. The innermost process goes first: an outer one might still react to its end. */
    kill(): void {
        if (this.processes.length === 0) {
            throw new Error(`The processes of ${this.words.name} are not known`);
        }
        [...this.processes].sort((one, other) => other - one).forEach(killIfAlive);
    }

    async quit(): Promise<void> {
        await this.terminal.submit('/quit');
        await eventually(
            `${this.words.name} to end`,
            async () => !(await processesOf(this.words, this.workbench.ide)).some(pid => this.processes.includes(pid)),
            {
                state: () => this.terminal.screen()
            }
        );
    }
}
