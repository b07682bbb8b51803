// SPDX-License-Identifier: Apache-2.0

import { readFileSync, readlinkSync } from 'fs';
import * as path from 'path';
import { Cli } from '../../../e2e/lib/support/cli';
import { CliWords, GEMINI_CLI, QWEN_CODE } from '../../../e2e/lib/support/cli-words';
import { eventually } from '../../../e2e/lib/support/eventually';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { IdePage } from '../../../e2e/lib/support/ide-page';
import { descendantsOf, isAlive, ProcessEntry } from '../../../e2e/lib/support/process-tree';
import { Workbench, WorkbenchOptions } from '../../../e2e/lib/support/workbench';

export const BOTH: readonly CliWords[] = [QWEN_CODE, GEMINI_CLI];
/** In milliseconds. Kubernetes gives a pod as long to end. */
const END_TIMEOUT = 30_000;

/** Of all pods: they may share a workspace. */
let proposals = 0;

/** A backend as in a container, with a page, and both CLIs in its terminals. */
export class Pod {
    /** What went wrong, by the CLI. */
    readonly failures = new Map<CliWords, string>();
    private readonly clis = new Map<CliWords, Cli>();

    private constructor(
        readonly workbench: Workbench,
        readonly page: IdePage
    ) {}

    /** @param script run by a shell as root: its arguments are the command of the backend, and `$FOLDER` holds all that is written to */
    static async start(script: string | undefined, options: WorkbenchOptions = {}): Promise<Pod> {
        const within = script === undefined ? undefined : ['/bin/sh', '-euc', `export FOLDER="\${HOME%/*}"\n${script}`, 'sh'];
        const workbench = await Workbench.start({ model: true, within, ...options });
        return new Pod(workbench, workbench.page);
    }

    /** Another page of the same workbench, with its own CLIs. */
    on(page: IdePage): Pod {
        return new Pod(this.workbench, page);
    }

    /** Does it with each CLI, one after the other; one that failed is left out from then on. */
    async forBoth(step: (words: CliWords) => Promise<void>): Promise<void> {
        for (const words of BOTH.filter(one => !this.failures.has(one))) {
            try {
                await step(words);
            } catch (error) {
                this.failures.set(words, (error as Error).message);
                await this.workbench.report(`containers ${words.command}`);
            }
        }
    }

    /** Starts the CLI, and waits until it has connected. */
    async connect(words: CliWords): Promise<void> {
        // Not more: one that takes the place of another has a number for a minute.
        this.clis.set(words, await Cli.start(words, this.workbench, { page: this.page, status: words.name }));
    }

    /** The CLI writes a file, the user accepts it in the diff, and the file is written. */
    async review(words: CliWords): Promise<void> {
        const cli = this.cli(words);
        const { ide } = this.workbench;
        const file = `${words.command}-${++proposals}.txt`;
        const before = await cli.play(cli.writeFile(file, 'proposed\n'));
        const diff = await this.page.waitForDiff(ide.file(file));
        if (await ide.exists(file)) {
            throw new Error(`${file} was written before the user had accepted it`);
        }
        await diff.accept();
        await eventually(`${file} to be written`, async () => (await ide.exists(file)) && (await ide.read(file)) === 'proposed\n');
        await cli.waitUntilPlayed(before);
    }

    async connectAndReview(): Promise<void> {
        await this.forBoth(words => this.connect(words));
        await this.forBoth(words => this.review(words));
    }

    cli(words: CliWords): Cli {
        return this.clis.get(words) as Cli;
    }
}

/** The backend itself, below whatever started it. */
export function backendOf({ pid }: IdeFixture): ProcessEntry {
    const started = descendantsOf(process.pid).filter(entry => entry.pid === pid);
    const found = [...started, ...descendantsOf(pid)].find(entry => isBackend(entry.pid));
    if (!found) {
        throw new Error(`No backend runs in process ${pid}`);
    }
    return found;
}

/** How long the backend takes to end on SIGTERM, with its terminals open, in seconds; `undefined` if it does not. */
export async function secondsToEnd(ide: IdeFixture): Promise<number | undefined> {
    const backend = backendOf(ide);
    const since = Date.now();
    process.kill(backend.pid, 'SIGTERM');
    return eventually('the backend to end', () => !isAlive(backend), { timeout: END_TIMEOUT }).then(
        () => Math.ceil((Date.now() - since) / 1000),
        () => undefined
    );
}

function isBackend(pid: number): boolean {
    try {
        const [, script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return path.basename(readlinkSync(`/proc/${pid}/exe`)) === 'node' && script.endsWith('lib/backend/main.js');
    } catch {
        // It has ended.
        return false;
    }
}
