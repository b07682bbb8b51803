// SPDX-License-Identifier: Apache-2.0
// npm run cli-versions -- [--write] qwen@0.12.0 gemini@0.40.1 …: the main job with other published versions of the CLIs.

import { execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { nodeForClis } from '../../browser-app/launch/prepare-sample.mjs';
import { Cli } from './support/cli';
import { CliWords, GEMINI_CLI, QWEN_CODE } from './support/cli-words';
import { eventually } from './support/eventually';
import { PROJECT, RESULTS } from './support/project-paths';
import { ReviewDiff } from './support/review-diff';
import { TestBrowser } from './support/test-browser';
import { Workbench } from './support/workbench';

const USAGE = 'Usage: npm run cli-versions -- [--write] qwen@VERSION gemini@VERSION …\n';
const TABLE = path.join(PROJECT, 'docs', 'conformance.md');
const BEGIN = '<!-- cli-versions -->';
const END = '<!-- /cli-versions -->';
const GREETING = 'src/greeting.js';
const FLAW = "    return 'Hello ' + name;";

interface Version {
    readonly words: CliWords;
    readonly version: string;
}

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
    }

    async tellContext(): Promise<void> {
        const before = await this.cli.play(this.cli.readFile('README.md'));
        const [{ prompt }] = await this.workbench.model.requests(before);
        for (const expected of [this.workbench.ide.file(GREETING), FLAW.trim()]) {
            if (!prompt.includes(expected)) {
                throw new Error(`The model was not told ${expected}`);
            }
        }
        await this.cli.waitUntilPlayed(before);
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
    ['is told the context', job => job.tellContext()],
    ['accept', job => job.accept()],
    ['reject', job => job.reject()],
    ['accept in the terminal', job => job.acceptInTerminal()]
];

/** One cell for each step: whether it went well; those after one that did not are not tried. */
async function tryVersion({ words, version }: Version, folder: string): Promise<string[]> {
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    execFileSync('npm', ['install', '--prefix', folder, ...options, `${words.packageName}@${version}`], { stdio: 'inherit' });
    const installed = path.join(folder, 'node_modules', words.packageName);
    const { bin } = JSON.parse(await fs.readFile(path.join(installed, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    const workbench = await Workbench.start({ model: true });
    const cells: string[] = [];
    try {
        const command = `#!/bin/sh\nexec '${nodeForClis()}' '${path.join(installed, bin[words.command])}' "$@"\n`;
        await fs.writeFile(path.join(workbench.ide.root, 'bin', words.command), command, { mode: 0o755 });
        const job = new MainJob(workbench, words);
        for (const [name, step] of STEPS) {
            try {
                await step(job);
                cells.push('yes');
            } catch (error) {
                process.stderr.write(`${words.name} ${version}, ${name}: ${(error as Error).message}\n`);
                await workbench.report(`${words.command} ${version} ${name}`);
                process.stderr.write(`Its screen and logs are in ${path.relative(PROJECT, RESULTS)}.\n`);
                cells.push('no', ...STEPS.slice(cells.length + 1).map(() => ''));
                break;
            }
        }
        return [words.name, version, ...cells];
    } finally {
        await workbench.dispose();
    }
}

function table(rows: readonly string[][]): string {
    const head = ['CLI', 'version', ...STEPS.map(([name]) => name)];
    return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

async function main(): Promise<number> {
    const args = process.argv.slice(2);
    const chosen = args.filter(arg => arg !== '--write').map(arg => /^(qwen|gemini)@([\w.-]+)$/.exec(arg));
    if (chosen.length === 0 || chosen.includes(null)) {
        process.stderr.write(USAGE);
        return 2;
    }
    const root = await fs.mkdtemp(path.join(os.tmpdir(), 'cli-versions-'));
    const rows: string[][] = [];
    try {
        for (const [name, command, version] of chosen as RegExpExecArray[]) {
            process.stdout.write(`${name} …\n`);
            const words = [QWEN_CODE, GEMINI_CLI].find(one => one.command === command) as CliWords;
            rows.push(await tryVersion({ words, version }, path.join(root, name)));
            await fs.rm(path.join(root, name), { recursive: true, force: true });
        }
    } finally {
        await TestBrowser.close();
        await fs.rm(root, { recursive: true, force: true });
    }
    process.stdout.write(`\n${table(rows)}\n`);
    if (args.includes('--write')) {
        const text = (await fs.readFile(TABLE, 'utf8')).split(BEGIN)[0].trimEnd();
        const words = 'The main job with published versions of the CLIs, tried with `npm run cli-versions`:';
        await fs.writeFile(TABLE, `${text}\n\n${BEGIN}\n## Versions of the CLIs\n\n${words}\n\n${table(rows)}\n${END}\n`);
    }
    return 0;
}

void main().then(code => process.exit(code));
