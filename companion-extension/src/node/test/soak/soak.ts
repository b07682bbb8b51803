// SPDX-License-Identifier: Apache-2.0
// npm run soak -- MINUTES: one backend with two windows of a large repository, twelve CLIs of all dialects, agents that write without asking
// in turns, a user who answers, saves, keeps, comments, undoes turns and works with git, pages that reload, CLIs that are killed.

import { ChildProcess, fork } from 'child_process';
import * as path from 'path';
import { SoakAccount } from './soak-account';
import { BackendMessage, ClientMessage, SoakServer } from './soak-messages';

const CLIENTS = 12;
/** In milliseconds. */
const KILL_PERIOD = 20_000;
const REPORT_PERIOD = 30_000;
/** What the heap may grow by between the first and the last third, in bytes. */
const ALLOWED_GROWTH = 5 * 1024 * 1024;
/** After so many minutes the user has done everything once. */
const ALL_DONE_MINUTES = 6;
/** What may be kept of changes on disk, in bytes. */
const DISK_BOUND = 64 * 1024 * 1024;

type Memory = Extract<BackendMessage, { kind: 'memory' }>;

/** The heap's size of a part of the measurements, in bytes: the middle one, since single ones jump. */
function median(values: readonly number[]): number {
    return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

class Soak {
    private readonly account = new SoakAccount();
    private readonly memory: Memory[] = [];
    /** What agents and the user did, how often. */
    private done: Record<string, number> = {};
    private readonly clients = new Map<number, ChildProcess>();
    private clientCount = 0;
    private kills = 0;
    /** Faults that were printed. */
    private told = 0;

    constructor(private readonly minutes: number) {}

    /** @returns whether nothing was lost, nothing doubled and the memory is flat */
    async run(): Promise<boolean> {
        const backend = fork(path.join(__dirname, 'soak-backend.js'), [], { execArgv: ['--expose-gc'] });
        const server = await new Promise<SoakServer>(resolve => {
            backend.on('message', (message: BackendMessage) => {
                if (message.kind === 'ready') {
                    resolve(message);
                } else if (message.kind === 'memory') {
                    this.memory.push(message);
                } else {
                    this.done = message.counts;
                    this.account.faults.push(...message.faults);
                }
            });
        });
        const startClient = (): void => this.startClient(server);
        Array.from({ length: CLIENTS }).forEach(startClient);
        const killing = setInterval(() => {
            this.killOne();
            startClient();
        }, KILL_PERIOD);
        const checking = setInterval(() => this.account.checkLost(), 1_000);
        const reporting = setInterval(() => this.report(), REPORT_PERIOD);
        await new Promise(resolve => setTimeout(resolve, this.minutes * 60_000));
        [killing, checking, reporting].forEach(clearInterval);
        this.clients.forEach(client => client.disconnect());
        const ended = new Promise(resolve => backend.once('exit', resolve));
        backend.disconnect();
        await ended;
        return this.conclude();
    }

    private startClient(server: SoakServer): void {
        const number = this.clientCount++;
        // In the folder that is open: Claude Code is placed by its process.
        const options = { cwd: server.home };
        const client = fork(path.join(__dirname, 'soak-client.js'), [String(number), JSON.stringify(server)], options);
        client.on('message', (message: ClientMessage) => {
            if (this.clients.has(number)) {
                this.account.take(number, message);
            }
        });
        this.clients.set(number, client);
    }

    private killOne(): void {
        const [number, client] = [...this.clients][Math.floor(Math.random() * this.clients.size)];
        this.clients.delete(number);
        client.kill('SIGKILL');
        this.account.abandon(number);
        this.kills++;
    }

    private report(): void {
        this.account.faults.slice(this.told).forEach(fault => process.stdout.write(`${fault}\n`));
        this.told = this.account.faults.length;
        const last = this.memory[this.memory.length - 1];
        const heap = last ? `${(last.heap / 1e6).toFixed(1)} MB heap, ${(last.resident / 1e6).toFixed(0)} MB resident` : '';
        const counts = JSON.stringify({ ...this.account.counts, ...this.done });
        process.stdout.write(`${counts} ${this.account.faults.length} faults, ${heap}\n`);
    }

    private conclude(): boolean {
        this.report();
        const third = Math.floor(this.memory.length / 3);
        const [first, last] = [this.memory.slice(0, third), this.memory.slice(-third)];
        const heap = (part: Memory[]): number => median(part.map(one => one.heap));
        const resident = (part: Memory[]): number => median(part.map(one => one.resident));
        const growth = heap(last) - heap(first);
        const disk = Math.max(0, ...this.memory.map(each => each.disk));
        const lines = [
            `${this.minutes} minutes, ${this.kills} clients killed, ${this.account.waiting} diffs still waiting at the end`,
            `Heap after collection, median of the first third and of the last: ${mega(heap(first))} MB, ${mega(heap(last))} MB`,
            `Resident, the same: ${mega(resident(first))} MB, ${mega(resident(last))} MB`,
            `Kept of changes on disk, at most: ${mega(disk)} MB`
        ];
        process.stdout.write(`${lines.join('\n')}\n`);
        const isBounded = growth < ALLOWED_GROWTH && disk < DISK_BOUND;
        const undone = this.minutes < ALL_DONE_MINUTES ? [] : Object.keys(this.done).filter(what => this.done[what] === 0);
        undone.forEach(what => process.stdout.write(`Nothing was ${what}\n`));
        return this.account.faults.length === 0 && isBounded && this.account.counts.opened > 0 && undone.length === 0;
    }
}

function mega(bytes: number): string {
    return (bytes / 1e6).toFixed(1);
}

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) {
    process.stderr.write('Usage: npm run soak -- MINUTES\n');
    process.exit(2);
}
void new Soak(minutes).run().then(passed => {
    process.stdout.write(passed ? 'passed\n' : 'FAILED\n');
    process.exit(passed ? 0 : 1);
});
