// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { Cli } from './cli';
import { CliWords } from './cli-words';
import { eventually } from './eventually';
import { PROJECT, RESULTS } from './project-paths';
import { ReviewDiff } from './review-diff';
import { Workbench } from './workbench';

const GREETING = 'src/greeting.js';
const FLAW = "    return 'Hello ' + name;";

/** The main job, in the order in which a user meets its parts. */
class MainJob {
    protected cli: Cli;

    constructor(
        protected readonly workbench: Workbench,
        protected readonly words: CliWords
    ) {}

    async connect(): Promise<void> {
        const editor = await this.workbench.page.openFile(GREETING);
        await editor.selectLineContainingText('return');
        this.cli = await Cli.start(this.words, this.workbench);
        if (this.words.selected) {
            await this.cli.terminal.waitForScreen(this.words.selected);
        }
    }

    async tellContext(): Promise<void> {
        const { model } = this.workbench;
        const before = await this.cli.ask('SAY:{"text":"heard"}:END');
        const bodies = await Promise.all((await model.requests(before)).map(request => model.body(request)));
        for (const expected of [GREETING, FLAW.trim()]) {
            if (!bodies.some(body => body.includes(expected))) {
                throw new Error(`The model was not told ${expected}`);
            }
        }
        await this.cli.terminal.waitForScreen('heard');
    }

    async accept(): Promise<void> {
        const { diff } = await this.propose('accepted.txt');
        await diff.accept();
        await this.expectWritten('accepted.txt');
    }

    async reject(): Promise<void> {
        const { diff } = await this.propose('rejected.txt');
        await diff.reject();
        await this.cli.waitForPrompt();
        if (await this.workbench.ide.exists('rejected.txt')) {
            throw new Error('What was rejected was written');
        }
    }

    async acceptInTerminal(): Promise<void> {
        await this.propose('terminal.txt');
        await this.cli.waitForQuestion();
        await this.cli.acceptInTerminal();
        await this.workbench.page.waitUntilNoDiff();
        await this.expectWritten('terminal.txt');
    }

    protected async propose(file: string): Promise<{ diff: ReviewDiff }> {
        await this.cli.play(this.cli.writeFile(file, 'proposed\n'));
        return { diff: await this.workbench.page.waitForDiff(this.workbench.ide.file(file)) };
    }

    protected async expectWritten(file: string): Promise<void> {
        await eventually(`${file} to be written`, async () => (await this.workbench.ide.exists(file)) && this.workbench.ide.read(file));
        await this.cli.waitForPrompt();
    }
}

const STEPS: ReadonlyArray<readonly [string, (job: MainJob) => Promise<void>]> = [
    ['connects', job => job.connect()],
    ['gets the context', job => job.tellContext()],
    ['accept', job => job.accept()],
    ['reject', job => job.reject()],
    ['accept in the terminal', job => job.acceptInTerminal()]
];

/** What the steps are called, for the head of a table. */
export const MAIN_JOB = STEPS.map(([name]) => name);

/** One cell for each step: whether it went well; those after one that did not are not tried. @param label names the report of a failure */
export async function tryMainJob(workbench: Workbench, words: CliWords, label: string): Promise<string[]> {
    const job = new MainJob(workbench, words);
    const cells: string[] = [];
    // What a CLI without diffs does not have is no step.
    const steps = words.opensNoDiffs ? STEPS.slice(0, 2) : STEPS;
    for (const [name, step] of steps) {
        try {
            await step(job);
            cells.push('yes');
        } catch (error) {
            process.stderr.write(`${label}, ${name}: ${(error as Error).message}\n`);
            await workbench.report(`${label} ${name}`);
            process.stderr.write(`Its screen and logs are in ${path.relative(PROJECT, RESULTS)}.\n`);
            cells.push('no', ...STEPS.slice(cells.length + 1).map(() => ''));
            break;
        }
    }
    return [...cells, ...STEPS.slice(cells.length).map(() => '–')];
}

export function markdownTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
    return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}
