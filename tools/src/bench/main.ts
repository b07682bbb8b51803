// SPDX-License-Identifier: Apache-2.0
// npm run bench [-- SECTION… --size SIZE… --json FILE --compare FILE --plot FILE]

import { promises as fs } from 'fs';
import * as path from 'path';
import { parseArgs } from 'util';
import { RESULTS } from '../../../e2e/lib/support/project-paths';
import { TestBrowser } from '../../../e2e/lib/support/test-browser';
import { burst } from './burst';
import { changes } from './changes';
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
import { patterns } from './patterns';
import { Report, Results, table } from './report';
import { start } from './start';
import { typing } from './typing';
import { typingChanged } from './typing-changed';

type Section = (report: Report, log: (line: string) => void, sizes?: readonly string[]) => Promise<void>;
/** What a run without arguments measures, in ten minutes. */
const COMMON = { patterns, context, diffs, typing, typingChanged, burst, focus, start, heap };
const SECTIONS = new Map<string, Section>(Object.entries({ ...COMMON, changes }));

type GrowthPart = (growth: Growth) => Promise<void>;
/** Not part of a run without arguments: they take as long as all sections together. */
const GROWTH = new Map<string, GrowthPart>(
    Object.entries({ sessions, reviews, windows, files, 'slow-line': slowLine }).map(([name, part]) => [`growth:${name}`, part])
);

async function bench(): Promise<void> {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: {
            json: { type: 'string' },
            compare: { type: 'string' },
            plot: { type: 'string', default: path.join(RESULTS, 'growth.svg') },
            size: { type: 'string', multiple: true }
        }
    });
    const known = [...SECTIONS.keys(), ...GROWTH.keys()];
    const chosen = positionals.flatMap(name => (name === 'growth' ? [...GROWTH.keys()] : name));
    const unknown = chosen.filter(name => !known.includes(name));
    if (unknown.length > 0) {
        throw new Error(`There is no section ${unknown.join(', ')}: ${known.join(', ')}, growth`);
    }
    const fromCaller = (file: string): string => path.resolve(process.env.INIT_CWD ?? '', file);
    const file = fromCaller(values.json ?? path.join(RESULTS, `${['bench', ...positionals].join('-').replaceAll(':', '-')}.json`));
    const before = values.compare === undefined ? await lastResults(file) : await readResults(fromCaller(values.compare));
    const report = new Report(log);
    const growth = new Growth(log);
    await fs.mkdir(path.dirname(file), { recursive: true });
    const measured = (): Results & Pick<Growth, 'curves'> => ({ ...report.results(TestBrowser.lastVersion), curves: growth.curves });
    for (const name of chosen.length > 0 ? chosen : Object.keys(COMMON)) {
        await SECTIONS.get(name)?.(report, log, values.size);
        await GROWTH.get(name)?.(growth);
        // After each section: a run that is ended keeps what it has measured.
        await fs.writeFile(file, `${JSON.stringify(measured(), undefined, 1)}\n`);
    }
    const results = measured();
    if (growth.curves.length > 0) {
        await fs.writeFile(fromCaller(values.plot), plot(growth.curves));
        process.stdout.write(`\n${growth.table()}\n`);
    }
    process.stdout.write(`\n${table(results, before)}`);
    log(file);
}

async function readResults(file: string): Promise<Results> {
    return JSON.parse(await fs.readFile(file, 'utf8')) as Results;
}

/** Of the last run of the same sections on this machine; `undefined` if there is none. */
function lastResults(file: string): Promise<Results | undefined> {
    return readResults(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') {
            return undefined;
        }
        throw error;
    });
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
