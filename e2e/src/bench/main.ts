// SPDX-License-Identifier: Apache-2.0
// npm run bench [-- SECTION… --json FILE --compare FILE --plot FILE]

import { promises as fs } from 'fs';
import * as path from 'path';
import { parseArgs } from 'util';
import { RESULTS } from '../support/project-paths';
import { TestBrowser } from '../support/test-browser';
import { burst } from './burst';
import { context } from './context';
import { diffs } from './diffs';
import { focus } from './focus';
import { files } from './growth-files';
import { plot } from './growth-plot';
import { Growth } from './growth-report';
import { reviews } from './growth-reviews';
import { sessions } from './growth-sessions';
import { slowLine } from './growth-slow-line';
import { windows } from './growth-windows';
import { heap } from './heap';
import { Report, Results, table } from './report';
import { start } from './start';

const SECTIONS = { context, diffs, burst, focus, start, heap };
/** Not part of a run without arguments: alone they take as long as all the others. */
const GROWTH = { sessions, reviews, windows, files, 'slow-line': slowLine };
type Run = (report: Report, growth: Growth) => Promise<void>;
/** By what the command line says; `growth` stands for all of its parts. */
const RUNS = new Map<string, Run[]>([
    ...Object.entries(SECTIONS).map(([name, section]): [string, Run[]] => [name, [report => section(report, log)]]),
    ...Object.entries(GROWTH).map(([name, part]): [string, Run[]] => [`growth:${name}`, [(_, growth) => part(growth)]]),
    [
        'growth',
        Object.values(GROWTH).map(
            (part): Run =>
                (_, growth) =>
                    part(growth)
        )
    ]
]);

async function bench(): Promise<void> {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: {
            json: { type: 'string', default: path.join(RESULTS, 'bench.json') },
            compare: { type: 'string' },
            plot: { type: 'string', default: path.join(RESULTS, 'growth.svg') }
        }
    });
    const unknown = positionals.filter(name => !RUNS.has(name));
    if (unknown.length > 0) {
        throw new Error(`There is no section ${unknown.join(', ')}: ${[...RUNS.keys()].join(', ')}`);
    }
    const fromCaller = (file: string): string => path.resolve(process.env.INIT_CWD ?? '', file);
    const before = values.compare && (JSON.parse(await fs.readFile(fromCaller(values.compare), 'utf8')) as Results);
    const chosen = positionals.length > 0 ? positionals : Object.keys(SECTIONS);
    const report = new Report(log);
    const growth = new Growth(log);
    for (const run of chosen.flatMap(name => RUNS.get(name) ?? [])) {
        await run(report, growth);
    }
    const results = { ...report.results(TestBrowser.lastVersion), curves: growth.curves };
    const file = fromCaller(values.json);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, `${JSON.stringify(results, undefined, 1)}\n`);
    if (growth.curves.length > 0) {
        await fs.writeFile(fromCaller(values.plot), plot(growth.curves));
        process.stdout.write(`\n${growth.table()}\n`);
    }
    process.stdout.write(`\n${table(results, before || undefined)}`);
    log(file);
}

/** Progress is no result. */
function log(line: string): void {
    process.stderr.write(`${line}\n`);
}

bench()
    .catch((error: unknown) => {
        log(error instanceof Error ? (error.stack ?? error.message) : String(error));
        process.exitCode = 1;
    })
    .finally(() => TestBrowser.close());
