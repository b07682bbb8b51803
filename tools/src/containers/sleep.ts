// SPDX-License-Identifier: Apache-2.0
// Platforms stop an idle workspace as a whole, and laptops sleep: everything is stopped, the backend alone, the page alone.

import { readFileSync } from 'fs';
import { backendOf, Pod } from './pod';
import { CliWords } from '../../../e2e/lib/support/cli-words';
import { delay, eventually } from '../../../e2e/lib/support/eventually';
import { descendantsOf } from '../../../e2e/lib/support/process-tree';

/** In milliseconds. Both CLIs give a connection up on which no byte came for 300 s. */
const SLEEP = 360_000;
/** In milliseconds: a page that has woken up first finds out what it has missed. */
const WAKE_UP = 120_000;

export interface Sleeper {
    readonly name: string;
    readonly text: string;
    /** What is stopped, of a pod and its browser. */
    readonly stopped: (pod: Pod, browser: readonly number[]) => readonly number[];
    /** Whether the CLIs have lost their connection afterwards. */
    readonly disconnects: boolean;
}

export const SLEEPERS: readonly Sleeper[] = [
    {
        name: 'sleep',
        text: 'everything is stopped for 6 minutes (a workspace or a laptop that sleeps)',
        stopped: ({ workbench: { ide } }, browser) => [...browser, ide.pid, ...descendantsOf(ide.pid).map(({ pid }) => pid)],
        disconnects: false
    },
    {
        name: 'backend-sleep',
        text: 'the backend alone is stopped for 6 minutes',
        stopped: ({ workbench: { ide } }) => [backendOf(ide).pid],
        disconnects: true
    },
    { name: 'page-sleep', text: 'the page alone is stopped for 6 minutes', stopped: (_pod, browser) => browser, disconnects: false }
];

/** Starts the pods, stops them all at the same time, and looks at each after it woke up. */
export async function sleepAll(
    sleepers: readonly Sleeper[],
    done: (sleeper: Sleeper, pod: Pod, remark: string) => Promise<void>
): Promise<void> {
    const pods: Array<{ sleeper: Sleeper; pod: Pod; pids: readonly number[] }> = [];
    for (const sleeper of sleepers) {
        const before = browsers();
        const pod = await Pod.start(undefined);
        await pod.connectAndReview();
        const browser = browsers().filter(pid => !before.includes(pid));
        pods.push({ sleeper, pod, pids: sleeper.stopped(pod, browser) });
    }
    const all = pods.flatMap(({ pids }) => pids);
    all.forEach(pid => process.kill(pid, 'SIGSTOP'));
    process.stdout.write('Stopped, for six minutes …\n');
    try {
        await delay(SLEEP);
    } finally {
        // A shell that went on before its CLI would take that for stopped by the user.
        all.reverse().forEach(pid => process.kill(pid, 'SIGCONT'));
    }
    for (const { sleeper, pod } of pods) {
        let remark = '';
        await pod.forBoth(async words => {
            await waitForKeys(pod, words);
            const hinted = await reconnect(pod, words, sleeper.disconnects);
            remark ||= hinted ? 'after `/ide enable`, which the status tells to type' : 'nothing to do';
            await pod.review(words);
        });
        await done(sleeper, pod, remark);
    }
}

/** Theia (1.74) loses what is typed before the page has its connection back. */
async function waitForKeys(pod: Pod, words: CliWords): Promise<void> {
    const { terminal } = pod.cli(words);
    const isEmpty = async (): Promise<boolean> => (await terminal.screen()).includes('Type your message');
    await eventually(
        `${words.name} to get what is typed`,
        async () => {
            await terminal.type('x');
            await delay(1_000);
            return !(await isEmpty());
        },
        { timeout: WAKE_UP }
    );
    await eventually(`${words.name} to have an empty prompt`, async () => {
        await terminal.press('Backspace');
        await delay(200);
        return isEmpty();
    });
}

/** Does what the status tells the user to do. @returns whether that was needed */
async function reconnect(pod: Pod, words: CliWords, expected: boolean): Promise<boolean> {
    const hint = `${words.name} is running in a terminal`;
    const details = await eventually(
        `the status to say how ${words.name} is`,
        async () => {
            const text = await pod.page.statusDetails();
            const isSettled = text.includes(hint) || (!expected && text.includes(words.name));
            return isSettled && text;
        },
        { timeout: WAKE_UP, state: () => pod.page.statusDetails() }
    );
    if (!details.includes(hint)) {
        return false;
    }
    const { terminal } = pod.cli(words);
    await terminal.type('/ide enable');
    await terminal.waitForScreen('/ide enable');
    // Both take an Enter that comes too soon for a part of the text, the more so on a busy machine.
    await delay(2_000);
    await terminal.press('Enter');
    await eventually(`${words.name} to connect again`, async () => !(await pod.page.statusDetails()).includes(hint));
    return true;
}

/** The processes of all browsers that this process started. */
function browsers(): number[] {
    return descendantsOf(process.pid).flatMap(({ pid }) => (/chrom/.test(commandOf(pid)) ? [pid] : []));
}

function commandOf(pid: number): string {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
        // It has ended.
        return '';
    }
}
