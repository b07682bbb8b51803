// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import * as os from 'os';
import { PROJECT } from '../../../e2e/lib/support/project-paths';

export interface Rounds {
    /** Rounds that are not counted: caches fill, and code is compiled. Less where others of the same kind went before in the same window. */
    readonly warmUp?: number;
    /** Rounds that are counted. */
    readonly samples?: number;
}

const WARM_UP = 2;
const SAMPLES = 20;
/** For rounds that take longer than two seconds: the whole bench ends in ten minutes. */
export const FEW_SAMPLES = 7;

export type Unit = 'ms' | 'KB' | 'MB' | 'messages' | 'processes';

export interface Row {
    readonly section: string;
    readonly title: string;
    readonly unit: Unit;
    readonly n: number;
    readonly median: number;
    readonly p95: number;
    /** Median of what it is compared with, and what that is. */
    readonly floor?: { readonly title: string; readonly median: number };
}

export interface Facts {
    readonly date: string;
    readonly commit: string;
    readonly cpu: string;
    readonly cores: number;
    readonly memoryInGB: number;
    readonly system: string;
    readonly node: string;
    readonly browser: string;
    /** Average number of processes that wanted a core in the minute before the bench and in its last. */
    readonly loadBefore: number;
    readonly loadAfter: number;
    readonly seconds: number;
}

export interface Results {
    readonly facts: Facts;
    readonly rows: Row[];
}

/** A line that another process has measured. */
export interface Figure {
    readonly title: string;
    readonly unit: Unit;
    readonly values: number[];
    readonly floor?: Pick<Figure, 'title' | 'values'>;
}

/** The values of one line of the table. */
export class Series {
    /** @param least fewer values are no measurement */
    constructor(
        private readonly report: Report,
        readonly section: string,
        readonly title: string,
        readonly unit: Unit,
        private readonly floor?: Pick<Figure, 'title' | 'values'>,
        readonly values: number[] = [],
        private readonly least = FEW_SAMPLES
    ) {}

    /** Counts outside the warm-up only. */
    add(value: number): void {
        if (!Number.isFinite(value)) {
            throw new Error(`${this.title}: ${value} is no measurement`);
        }
        if (this.report.measuring) {
            this.values.push(value);
        }
    }

    get row(): Row {
        if (this.values.length < this.least) {
            throw new Error(`${this.title}: ${this.values.length} values came instead of ${this.least}`);
        }
        const floor = this.floor && { title: this.floor.title, median: median(this.floor.values) };
        const { section, title, unit, values } = this;
        return { section, title, unit, n: values.length, median: median(values), p95: percentile(values, 0.95), floor };
    }
}

/** Collects the lines of one run. */
export class Report {
    measuring = false;
    private readonly series: Series[] = [];
    private readonly since = Date.now();
    private readonly loadBefore = os.loadavg()[0];

    constructor(private readonly log: (line: string) => void) {}

    /** A line of the table. @param floor what it is compared with, measured in the same rounds */
    line(section: string, title: string, floor?: Series, unit: Unit = 'ms'): Series {
        const series = new Series(this, section, title, unit, floor);
        this.series.push(series);
        return series;
    }

    /** A line of the table that is measured already: a figure of a start, or the most of many, has one value. */
    add(section: string, { title, unit, values, floor }: Figure): void {
        this.series.push(new Series(this, section, title, unit, floor, values, 1));
    }

    /** Repeats a round often enough. A round that fails ends the bench: a missing value would make the rest look better. */
    async rounds(
        name: string,
        round: (number: number) => Promise<void>,
        { warmUp = WARM_UP, samples = SAMPLES }: Rounds = {}
    ): Promise<void> {
        const since = Date.now();
        for (let number = 0; number < warmUp + samples; number++) {
            this.measuring = number >= warmUp;
            await round(number);
        }
        this.measuring = false;
        this.log(`${name}: ${warmUp} + ${samples} rounds in ${((Date.now() - since) / 1000).toFixed(0)} s`);
    }

    results(browser: string): Results {
        const [cpu] = os.cpus();
        const facts: Facts = {
            date: new Date(this.since).toISOString(),
            commit: execFileSync('git', ['describe', '--always', '--dirty'], { cwd: PROJECT, encoding: 'utf8' }).trim(),
            cpu: cpu.model,
            cores: os.cpus().length,
            memoryInGB: Math.round(os.totalmem() / 1024 ** 3),
            system: `${os.type()} ${os.release()}`,
            node: process.version,
            browser,
            loadBefore: this.loadBefore,
            loadAfter: os.loadavg()[0],
            seconds: Math.round((Date.now() - this.since) / 1000)
        };
        return { facts, rows: this.series.map(series => series.row) };
    }
}

/** The table as Markdown, with the columns of an earlier run where there is one. */
export function table({ facts, rows }: Results, before?: Results): string {
    const head = ['', 'n', 'median', '95 %', 'floor', 'ratio', 'added', ...(before ? ['before', 'now/before'] : [])];
    const lines = [head, head.map((_, column) => (column === 0 ? '---' : '--:'))];
    for (const row of rows) {
        const floor = row.floor
            ? [format(row.floor.median), ratio(row.median, row.floor.median), format(row.median - row.floor.median)]
            : [];
        const earlier = before?.rows.find(
            ({ section, title, unit }) => section === row.section && title === row.title && unit === row.unit
        );
        const comparison = earlier ? [format(earlier.median), ratio(row.median, earlier.median)] : ['–', '–'];
        const title = `${row.section}: ${row.title}${row.unit === 'ms' ? '' : `, ${row.unit}`}`;
        const figures = [String(row.n), format(row.median), format(row.p95), ...(row.floor ? floor : ['', '', ''])];
        lines.push([title, ...figures, ...(before ? comparison : [])]);
    }
    const machine = `${facts.cpu}, ${facts.cores} cores, ${facts.memoryInGB} GB, ${facts.system}, Node ${facts.node}, ${facts.browser}`;
    const runs = [runOf(facts), ...(before ? [`Before: ${runOf(before.facts)}`] : [])];
    return `${lines.map(cells => `| ${cells.join(' | ')} |`).join('\n')}\n\n${machine}.\n${runs.join('\n')}\n`;
}

function runOf({ loadBefore, loadAfter, seconds, commit, date }: Facts): string {
    return `${commit}, ${date}, ${seconds} s; load ${loadBefore.toFixed(1)} before, ${loadAfter.toFixed(1)} after.`;
}

function ratio(value: number, other: number): string {
    return other > 0 ? `${(value / other).toFixed(2)}x` : '–';
}

function format(value: number): string {
    return Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0);
}

function median(values: readonly number[]): number {
    return percentile(values, 0.5);
}

/** Between two values that lie around it, the line that joins them. */
function percentile(values: readonly number[], share: number): number {
    const sorted = [...values].sort((one, other) => one - other);
    const position = (sorted.length - 1) * share;
    const [below, above] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
    return below + (above - below) * (position % 1);
}
