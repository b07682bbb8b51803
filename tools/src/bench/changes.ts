// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import * as path from 'path';
import { delay } from '../../../e2e/lib/support/eventually';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { BenchWindow } from './bench-window';
import { memoryOf } from './memory-of';
import { Report, Series } from './report';

const SECTION = 'changes';
const FILES = 20_000;
const PER_FOLDER = 100;
/** As many as a `sed` of an agent changes. */
const MANY = 300;
const IDLE_MS = 10_000;
const BETWEEN_LOOKS_MS = 200;

/** From a write outside the editor to its row on the screen, in a large repository, and what a backend does while nothing changes. */
export async function changes(report: Report): Promise<void> {
    const off = report.line(SECTION, 'floor: memory of the backend with a CLI, changes are not tracked', undefined, 'MB');
    const tracking = report.line(SECTION, 'memory of the backend with a CLI, no changes', off, 'MB');
    await measureMemory(report, 'off', off);
    await measureMemory(report, 'agents', tracking);
    await measureTimes(report);
}

async function measureMemory(report: Report, track: 'agents' | 'off', line: Series): Promise<void> {
    const prepare = async (ide: IdeFixture): Promise<void> => {
        await fill(ide);
        await ide.changeSettings({ 'companion.changes.track': track });
    };
    const ide = await BenchWindow.open({ prepare });
    try {
        await ide.connect(1);
        await delay(IDLE_MS);
        await report.rounds(`Memory, ${track}`, async () => {
            line.add(memoryOf(ide.ide.pid));
            await delay(BETWEEN_LOOKS_MS);
        });
    } finally {
        await ide.dispose();
    }
}

async function measureTimes(report: Report): Promise<void> {
    const ide = await BenchWindow.open({ prepare: fill });
    try {
        const { page } = ide;
        await ide.connect(1);
        await page.evaluate(() => window.companionProbe.execute('companion.changes.show'));
        // What is there before that is what the user knows.
        await page.locator('#companion-changes', { hasText: 'Nothing was changed' }).waitFor();
        const listed = report.line(SECTION, `a file written → its row, ${FILES} files`);
        const many = report.line(SECTION, `${MANY} files written by sed → all listed`);
        const task = report.line(SECTION, `longest task of the page meanwhile`);
        const idle = report.line(SECTION, `backend's time on a core in a second without a change`);
        let count = 0;
        const wait = (total: number): Promise<unknown> =>
            page.waitForFunction(
                expected => document.querySelector('#status-bar-companion-status')?.textContent?.includes(`${expected} changed`),
                total,
                { polling: 20 }
            );
        await report.rounds('Changes', async () => {
            const begun = BenchWindow.now();
            await fs.appendFile(ide.file(nameOf(FILES - 1 - count)), 'changed\n');
            await wait(++count);
            listed.add(BenchWindow.now() - begun);
        });
        await page.evaluate(() => {
            const tasks: number[] = [];
            new PerformanceObserver(list => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
            Object.assign(window, { longTasks: tasks });
        });
        let round = 0;
        const names = Array.from({ length: MANY }, (_, index) => nameOf(index));
        await report.rounds('Many changes', async () => {
            const begun = BenchWindow.now();
            execFileSync('sed', ['-i', `1s/.*/round ${++round}/`, ...names], { cwd: ide.ide.workspace });
            await wait(count + MANY);
            many.add(BenchWindow.now() - begun);
            const tasks = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks.splice(0));
            task.add(Math.max(0, ...tasks));
            await page.evaluate(() => void window.companionProbe.execute('companion.changes.keepAll'));
            await page.locator('.dialogControl .main').click();
            await page.waitForFunction(() => !document.querySelector('#status-bar-companion-status')?.textContent?.includes('changed'));
            count = 0;
        });
        await delay(IDLE_MS);
        await report.rounds('No changes', async () => {
            const before = await timeOnCore(ide.ide.pid);
            await delay(1_000);
            idle.add((await timeOnCore(ide.ide.pid)) - before);
        });
    } finally {
        await ide.dispose();
    }
}

async function fill(ide: IdeFixture): Promise<void> {
    for (let first = 0; first < FILES; first += PER_FOLDER) {
        await fs.mkdir(path.dirname(ide.file(nameOf(first))), { recursive: true });
        for (let index = first; index < first + PER_FOLDER; index++) {
            await fs.writeFile(ide.file(nameOf(index)), `line 1 of ${index}\nline 2\nline 3\n`);
        }
    }
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ide.workspace, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'first');
}

function nameOf(index: number): string {
    return `many/${Math.floor(index / PER_FOLDER)}/${index}.txt`;
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
