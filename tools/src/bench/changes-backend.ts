// SPDX-License-Identifier: Apache-2.0
// node changes-backend.js FILES git|plain        one line of JSON for each figure; `changes.ts` runs it

import 'reflect-metadata';
import { execFile } from 'child_process';
import { subscribe } from 'diagnostics_channel';
import { promises as fs } from 'fs';
import * as path from 'path';
import { monitorEventLoopDelay } from 'perf_hooks';
import { promisify } from 'util';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { ChangesHost } from '../../../companion-extension/lib/node/changes/test/changes-host';
import { delay, eventually } from '../../../e2e/lib/support/eventually';
import { TestCli } from '../../../companion-extension/lib/node/test/test-cli';
import { nameOf, PER_FOLDER, textOf } from './changes-files';
import { FileState, filesIn, tell, time, writtenBetween } from './changes-meter';

const run = promisify(execFile);

const ROUNDS = 7;
const SAVES = 60;
/** As many as a `sed` of an agent changes. */
const SED_FILES = 300;
const CHECKOUT_FILES = 1_000;
/** Files of the other parts are before. */
const FIRST_CHECKOUT = 1_000;
const EDITS = 30;
const LARGE = 'large.bin';
const LARGE_BYTES = 200 * 1024 * 1024;
const IDLE_MS = 10_000;
const SETTLE_MS = 1_500;
/** The watcher of Theia gathers events for so long. */
const WATCHER_MS = 50;
const MB = 1024 * 1024;

/** A backend without a page that follows one folder, in a process of its own: what the work of the backend costs, measured within it. */
class ChangesBackend {
    protected readonly ide = new ChangesHost();
    protected readonly root = this.ide.host.homeFolder;
    protected readonly stops = monitorEventLoopDelay({ resolution: 5 });
    /** How many this process has started. */
    protected processes = 0;
    /** Those among them that are the user's and the agent's. */
    protected ownProcesses = 0;

    constructor(
        protected readonly files: number,
        protected readonly hasRepository: boolean
    ) {
        // Before a process starts nobody knows what it is.
        subscribe('child_process', () => this.processes++);
    }

    async measure(): Promise<void> {
        try {
            await this.fill();
            await this.start();
            await this.looks();
            await this.saves();
            await this.smallEdits();
            await this.sed();
            if (this.hasRepository) {
                await this.checkouts();
            }
            await this.touch();
            await this.rest();
        } finally {
            await this.ide.stop();
        }
    }

    protected async fill(): Promise<void> {
        for (let index = 0; index < this.files; index++) {
            const file = this.ide.file(nameOf(index));
            if (index % PER_FOLDER === 0) {
                await fs.mkdir(path.dirname(file), { recursive: true });
            }
            await fs.writeFile(file, textOf(index));
        }
        await fs.writeFile(this.ide.file(LARGE), Buffer.alloc(LARGE_BYTES));
        // The CLIs' files are in this HOME.
        await fs.writeFile(this.ide.file('.gitignore'), '.*/\n');
        if (this.hasRepository) {
            await this.git('init', '-q', '-b', 'main');
            await this.git('add', '-A');
            await this.git('commit', '-q', '-m', 'first');
            await this.git('checkout', '-q', '-b', 'other');
            for (const name of this.names(CHECKOUT_FILES, FIRST_CHECKOUT)) {
                await fs.appendFile(this.ide.file(name), 'other\n');
            }
            await this.git('commit', '-q', '-a', '-m', 'other');
            await this.git('checkout', '-q', 'main');
        }
        // git compares files that are as young as its index.
        await delay(SETTLE_MS);
    }

    protected async start(): Promise<void> {
        await this.ide.start();
        await this.ide.prefer({ 'companion.changes.track': 'off' });
        const { port, token } = this.ide.backend.discovered();
        this.ide.cli = await TestCli.connect(port, token);
        await delay(SETTLE_MS);
        // A process that starts another one stands for a while, and a busy machine lets it wait.
        this.stops.enable();
        for (let round = 0; round < ROUNDS; round++) {
            await this.own('git', 'version');
        }
        this.tellStop('that nothing of ours makes, while it starts processes');
        const ms = await time(async () => {
            await this.ide.prefer({ 'companion.changes.track': 'agents' });
            await eventually('tracking', async () => (await this.ide.service.readChanges(false)).tracking, {
                timeout: 120_000,
                interval: 10
            });
        });
        tell({ title: 'an agent comes → changes are tracked', unit: 'ms', values: [ms] });
        this.tellStop('at the start');
        await this.ide.service.readChanges(true);
    }

    protected async looks(): Promise<void> {
        const [looks, status]: number[][] = [[], []];
        for (let round = 0; round < 2 * ROUNDS; round++) {
            looks.push(await time(() => this.ide.service.readChanges(true)));
            if (this.hasRepository) {
                status.push(await time(() => this.git('status', '--porcelain')));
            }
        }
        const floor = this.hasRepository && { floor: { title: 'git status', values: status } };
        tell({ title: 'a look, nothing has changed', unit: 'ms', values: looks, ...floor });
        this.tellStop('in a look');
    }

    /** Beside those of a provider that nobody follows. */
    protected async saves(): Promise<void> {
        const { save, bare } = this.savers();
        const [with_, without]: number[][] = [[], []];
        for (let round = 0; round < SAVES; round++) {
            without.push(await time(bare));
            with_.push(await time(save));
            await delay(20);
        }
        tell({ title: 'a save', unit: 'ms', values: with_, floor: { title: 'a save that nobody follows', values: without } });
        await this.none();
    }

    protected async smallEdits(): Promise<void> {
        for (const [title, files] of [
            [`${EDITS} small edits of one file write into our folder`, 1],
            [`${EDITS} small edits of ${EDITS} files write into our folder`, EDITS]
        ] as const) {
            let bytes = 0;
            for (let edit = 0; edit < EDITS; edit++) {
                const name = nameOf(SED_FILES + (edit % files));
                const before = await this.filesOfOurs();
                await fs.appendFile(this.ide.file(name), `edit ${edit}\n`);
                await this.ide.service.readChanges(true);
                bytes += writtenBetween(before, await this.filesOfOurs());
            }
            tell({ title, unit: 'KB', values: [bytes / 1024] });
            await this.keepAll();
        }
    }

    protected async sed(): Promise<void> {
        const names = this.names(SED_FILES);
        const listed: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
            listed.push(
                await time(async () => {
                    await this.own('sed', '-i', `1s/.*/round ${round}/`, ...names);
                    await delay(WATCHER_MS);
                    this.ide.tell(...names);
                    await this.lists(SED_FILES);
                })
            );
            await this.keepAll();
        }
        tell({ title: `${SED_FILES} files written by sed → all listed`, unit: 'ms', values: listed });
        this.tellStop(`while ${SED_FILES} files are written by sed, and kept`);
    }

    /** The user checks out another branch while the agent rests, and saves meanwhile. */
    protected async checkouts(): Promise<void> {
        const { save, bare } = this.savers();
        const [waits, floor, right, processes]: number[][] = [[], [], [], []];
        for (let round = 0; round < ROUNDS; round++) {
            const begun = { all: this.processes, own: this.ownProcesses };
            let isOver = false;
            const checkout = this.git('checkout', '-q', round % 2 === 0 ? 'other' : 'main').finally(() => (isOver = true));
            for (let count = 0; !isOver; count++) {
                this.ide.tell(nameOf(FIRST_CHECKOUT + count));
                floor.push(await time(bare));
                waits.push(await time(save));
                await delay(5);
            }
            await checkout;
            const probe = nameOf(this.files - 100 - round);
            await fs.appendFile(this.ide.file(probe), 'agent\n');
            right.push(
                await time(async () => {
                    await delay(WATCHER_MS);
                    this.ide.tell(...this.names(CHECKOUT_FILES, FIRST_CHECKOUT), '.git/HEAD', probe);
                    await this.lists(1, probe);
                })
            );
            processes.push(this.processes - begun.all - (this.ownProcesses - begun.own));
            await this.keepAll();
        }
        const title = `during a checkout of ${CHECKOUT_FILES} files by the user`;
        tell({
            title: `a save ${title}`,
            unit: 'ms',
            values: waits,
            floor: { title: `a save that nobody follows ${title}`, values: floor }
        });
        tell({ title: `processes started ${title}`, unit: 'processes', values: processes });
        tell({ title: `a checkout of ${CHECKOUT_FILES} files by the user → the list is right`, unit: 'ms', values: right });
        this.tellStop(title);
    }

    /** Its text does not change. */
    protected async touch(): Promise<void> {
        const before = await this.filesOfOurs();
        const file = this.ide.file(LARGE);
        await fs.utimes(file, new Date(), new Date());
        const memory = process.memoryUsage.rss();
        let most = memory;
        const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
        const ms = await time(() => this.ide.service.readChanges(true));
        clearInterval(watch);
        const written = writtenBetween(before, await this.filesOfOurs());
        tell({ title: 'a file of 200 MB is touched: a look', unit: 'ms', values: [ms] });
        tell({ title: 'a file of 200 MB is touched: written into our folder', unit: 'MB', values: [written / MB] });
        tell({ title: 'a file of 200 MB is touched: memory of the backend grows at most by', unit: 'MB', values: [(most - memory) / MB] });
        this.tellStop('while a file of 200 MB is touched');
        await this.keepAll();
    }

    /** Nothing changes. */
    protected async rest(): Promise<void> {
        // It measures by a timer of its own; and V8 collects for some seconds what the work before has left.
        this.stops.disable();
        await delay(IDLE_MS);
        const begun = this.processes;
        const before = process.cpuUsage();
        await delay(IDLE_MS);
        const { user, system } = process.cpuUsage(before);
        tell({ title: 'the backend’s time on a core in a second without a change', unit: 'ms', values: [(user + system) / IDLE_MS] });
        tell({ title: 'processes started in 10 s without a change', unit: 'processes', values: [this.processes - begun] });
    }

    // --- what the parts share

    protected names(count: number, first = 0): string[] {
        return Array.from({ length: count }, (_, index) => nameOf(first + index));
    }

    /** A program of the user's or of the agent's. */
    protected async own(program: string, ...args: string[]): Promise<void> {
        this.ownProcesses++;
        await run(program, args, { cwd: this.root, maxBuffer: 64 * MB });
    }

    protected git(...args: string[]): Promise<void> {
        return this.own('git', '-c', 'user.name=T', '-c', 'user.email=t@example.org', '-c', 'core.excludesFile=', ...args);
    }

    /** A save in the folder, and one beside it that nobody follows. Each goes round 20 files. */
    protected savers(): Record<'save' | 'bare', () => Promise<void>> {
        let count = 0;
        const write = (provider: DiskFileSystemProvider, fileOf: (name: string) => string) => (): Promise<void> => {
            const file = FileUri.create(fileOf(nameOf(this.files - 1 - (++count % 20))));
            return provider.writeFile(file, Buffer.from(`${textOf(count)}${count}\n`), { create: true, overwrite: true });
        };
        return {
            save: write(this.ide.provider, name => this.ide.file(name)),
            bare: write(this.ide.backend.container.get(DiskFileSystemProvider), name =>
                path.join(this.ide.host.temporaryFolder, path.basename(name))
            )
        };
    }

    protected async lists(count: number, name?: string): Promise<void> {
        await eventually(
            `${count} rows`,
            async () => {
                const { files } = await this.ide.service.readChanges(false);
                return files.length === count && (name === undefined || files[0].uri === this.ide.uri(name));
            },
            { interval: 5 }
        );
    }

    protected async keepAll(): Promise<void> {
        const { version } = await this.ide.service.readChanges(true);
        await this.ide.service.keepAll(version);
        await this.none();
    }

    protected async none(): Promise<void> {
        const { files } = await this.ide.service.readChanges(true);
        if (files.length > 0) {
            throw new Error(`${files.length} files are listed that nobody has changed, such as ${files[0].uri}`);
        }
    }

    /** How long the event loop stood at most, since the last call. */
    protected tellStop(when: string): void {
        tell({ title: `longest stop of the backend ${when}`, unit: 'ms', values: [this.stops.max / 1e6] });
        this.stops.reset();
    }

    protected filesOfOurs(): Promise<Map<string, FileState>> {
        return filesIn(this.ide.host.configurationFolder, '/changes/');
    }
}

const [files, kind] = process.argv.slice(2);
void new ChangesBackend(Number(files), kind === 'git').measure().catch((error: unknown) => {
    process.stderr.write(`${(error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, 2_000)}\n`);
    process.exitCode = 1;
});
