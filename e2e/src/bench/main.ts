// SPDX-License-Identifier: Apache-2.0
// npm run bench [-- SECTION… --size SIZE… --json FILE --compare FILE]

import { promises as fs } from 'fs';
import * as path from 'path';
import { parseArgs } from 'util';
import { RESULTS } from '../support/project-paths';
import { TestBrowser } from '../support/test-browser';
import { burst } from './burst';
import { context } from './context';
import { diffs } from './diffs';
import { focus } from './focus';
import { heap } from './heap';
import { Report, Results, table } from './report';
import { start } from './start';

const SECTIONS = { context, diffs, burst, focus, start, heap };
type SectionName = keyof typeof SECTIONS;
type Section = (report: Report, log: (line: string) => void, sizes?: readonly string[]) => Promise<void>;

async function bench(): Promise<void> {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: {
            json: { type: 'string', default: path.join(RESULTS, 'bench.json') },
            compare: { type: 'string' },
            size: { type: 'string', multiple: true }
        }
    });
    const unknown = positionals.filter(name => !(name in SECTIONS));
    if (unknown.length > 0) {
        throw new Error(`There is no section ${unknown.join(', ')}: ${Object.keys(SECTIONS).join(', ')}`);
    }
    const fromCaller = (file: string): string => path.resolve(process.env.INIT_CWD ?? '', file);
    const before = values.compare && (JSON.parse(await fs.readFile(fromCaller(values.compare), 'utf8')) as Results);
    const chosen = (positionals.length > 0 ? positionals : Object.keys(SECTIONS)) as SectionName[];
    const report = new Report(log);
    for (const name of chosen) {
        const section: Section = SECTIONS[name];
        await section(report, log, values.size);
    }
    const results = report.results(TestBrowser.lastVersion);
    const file = fromCaller(values.json);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, `${JSON.stringify(results, undefined, 1)}\n`);
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
