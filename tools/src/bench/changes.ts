// SPDX-License-Identifier: Apache-2.0

import { execFile, execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import * as path from 'path';
import { promisify } from 'util';
import { delay } from '../../../e2e/lib/support/eventually';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { BenchWindow } from './bench-window';
import { nameOf, PER_FOLDER, textOf } from './changes-files';
import { memoryOf } from './memory-of';
import { FEW_SAMPLES, Figure, Report, Rounds, Series } from './report';

const SECTION = 'changes';
const SIZES = [5_000, 20_000, 100_000];
/** All would take a quarter of an hour. */
const USUAL_SIZES = SIZES.slice(0, 2);
const USUAL_WINDOW = { files: 20_000, kind: 'git' };
const KINDS = ['git', 'plain'] as const;
/** As many as a `sed` of an agent changes. */
const MANY = 300;
const IDLE_MS = 8_000;
const BETWEEN_LOOKS_MS = 200;
const LIMIT_MS = 600_000;
const FEW: Rounds = { warmUp: 1, samples: FEW_SAMPLES };

type Kind = (typeof KINDS)[number];

/**
 * What following the changes of agents costs: in a backend alone, and in an IDE, from a write outside the editor to its row on the screen.
 *
 * @param only how many files the folder has, as `--size` names it. Without it a backend has 5000 and 20000, and an IDE 20000 in a repository
 */
export async function changes(report: Report, log: (line: string) => void, only?: readonly string[]): Promise<void> {
    const unknown = only?.filter(size => !SIZES.includes(Number(size))) ?? [];
    if (unknown.length > 0) {
        throw new Error(`There is no size ${unknown.join(', ')}: ${SIZES.join(', ')}`);
    }
    for (const files of only?.map(Number) ?? USUAL_SIZES) {
        for (const kind of KINDS) {
            const place = `${files} files, ${kind === 'git' ? 'a repository' : 'no repository'}`;
            log(`Changes in a backend, ${place}`);
            for (const figure of await measureBackend(files, kind)) {
                report.add(`${SECTION}, ${place}`, figure);
            }
            if (only || (files === USUAL_WINDOW.files && kind === USUAL_WINDOW.kind)) {
                await measureWindow(report, `${SECTION}, ${place}`, files, kind);
            }
        }
    }
}

/** In a process of its own: only there is known when it stands still, and what it starts. */
async function measureBackend(files: number, kind: Kind): Promise<Figure[]> {
    const program = path.join(__dirname, 'changes-backend.js');
    const options = { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)(process.execPath, [program, String(files), kind], options);
    return stdout
        .split('\n')
        .filter(line => line)
        .map(line => JSON.parse(line) as Figure);
}

async function measureWindow(report: Report, section: string, files: number, kind: Kind): Promise<void> {
    const prepare = async (ide: IdeFixture): Promise<void> => {
        await fill(ide, files, kind);
        await ide.changeSettings({ 'companion.changes.track': 'off' });
    };
    const ide = await BenchWindow.open({ prepare });
    try {
        const { page } = ide;
        await ide.connect(1);
        const off = report.line(section, 'memory of the backend with a CLI, changes are not tracked', undefined, 'MB');
        await measureMemory(report, ide, off);
        await ide.ide.changeSettings({ 'companion.changes.track': 'agents' });
        await page.evaluate(() => window.companionProbe.execute('companion.changes.show'));
        // What is there before that is what the user knows.
        await page.locator('#companion-changes', { hasText: 'Nothing was changed' }).waitFor();
        const on = report.line(section, 'memory of the backend with a CLI, no changes', off, 'MB');
        await measureMemory(report, ide, on);
        await measureRows(report, section, ide, files);
        await keepAll(ide);
        const idle = report.line(section, 'backend of a window: time on a core in a second without a change');
        await delay(IDLE_MS);
        await report.rounds(
            'No changes',
            async () => {
                const before = await timeOnCore(ide.ide.pid);
                await delay(1_000);
                idle.add((await timeOnCore(ide.ide.pid)) - before);
            },
            FEW
        );
    } finally {
        await ide.dispose();
    }
}

async function measureMemory(report: Report, ide: BenchWindow, line: Series): Promise<void> {
    await delay(IDLE_MS);
    await report.rounds(
        line.title,
        async () => {
            line.add(memoryOf(ide.ide.pid));
            await delay(BETWEEN_LOOKS_MS);
        },
        FEW
    );
}

async function measureRows(report: Report, section: string, ide: BenchWindow, files: number): Promise<void> {
    const { page } = ide;
    const listed = report.line(section, 'a file written → its row on the screen');
    const many = report.line(section, `${MANY} files written by sed → all on the screen`);
    const task = report.line(section, 'longest task of the page meanwhile');
    let count = 0;
    const wait = (total: number): Promise<unknown> =>
        page.waitForFunction(
            expected => document.querySelector('#status-bar-companion-status')?.textContent?.includes(`${expected} changed`),
            total,
            { polling: 20 }
        );
    await report.rounds(
        'Changes',
        async () => {
            const begun = BenchWindow.now();
            await fs.appendFile(ide.file(nameOf(files - 1 - count)), 'changed\n');
            await wait(++count);
            listed.add(BenchWindow.now() - begun);
        },
        FEW
    );
    await page.evaluate(() => {
        const tasks: number[] = [];
        new PerformanceObserver(list => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
        Object.assign(window, { longTasks: tasks });
    });
    const names = Array.from({ length: MANY }, (_, index) => nameOf(index));
    await report.rounds(
        'Many changes',
        async round => {
            await keepAll(ide);
            const begun = BenchWindow.now();
            execFileSync('sed', ['-i', `1s/.*/round ${round}/`, ...names], { cwd: ide.ide.workspace });
            await wait(MANY);
            many.add(BenchWindow.now() - begun);
            const tasks = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks.splice(0));
            task.add(Math.max(0, ...tasks));
        },
        FEW
    );
}

async function keepAll(ide: BenchWindow): Promise<void> {
    // The numbers of lines come after the rows, and make another list. Nobody may keep one that they have not seen.
    await delay(1_500);
    await ide.page.evaluate(() => void window.companionProbe.execute('companion.changes.keepAll'));
    await ide.page.locator('.dialogControl .main').click();
    await ide.page.waitForFunction(() => !document.querySelector('#status-bar-companion-status')?.textContent?.includes('changed'));
}

async function fill(ide: IdeFixture, files: number, kind: Kind): Promise<void> {
    for (let index = 0; index < files; index++) {
        const file = ide.file(nameOf(index));
        if (index % PER_FOLDER === 0) {
            await fs.mkdir(path.dirname(file), { recursive: true });
        }
        await fs.writeFile(file, textOf(index));
    }
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ide.workspace, encoding: 'utf8' });
    if (kind === 'git') {
        git('init', '-q');
        git('add', '-A');
        git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'first');
    }
}

/** In milliseconds, since the process began (Linux). */
async function timeOnCore(pid: number): Promise<number> {
    const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
        .map(Number);
    return (user + system) * 10;
}
