// SPDX-License-Identifier: Apache-2.0
// npm run containers -- [--write] [NAME…]: the main job under the conditions of containers. Needs root on Linux.

import { promises as fs } from 'fs';
import * as path from 'path';
import { Condition, CONDITIONS } from './containers/conditions';
import { BOTH, Pod, secondsToEnd } from './containers/pod';
import { sleepAll, SLEEPERS } from './containers/sleep';
import { PROJECT, RESULTS } from '../../e2e/lib/support/project-paths';
import { TestBrowser } from '../../e2e/lib/support/test-browser';

const USAGE = `Usage, as root on Linux: npm run containers -- [--write] [NAME…]
All but the last three where no name is given; those take seven minutes together.
${[...CONDITIONS, ...SLEEPERS].map(({ name, text }) => `  ${name}: ${text}`).join('\n')}
`;
const DOCUMENT = path.join(PROJECT, 'docs', 'cloud-workspaces.md');
const BEGIN = '<!-- containers -->';
const END = '<!-- /containers -->';
const HEAD = ['Condition', ...BOTH.map(({ name }) => name), 'Ends on SIGTERM', 'Remark'];

type Row = readonly string[];

async function tryCondition({ text, script, options, skip, run, prepare }: Condition): Promise<Row> {
    const reason = skip?.();
    if (reason !== undefined) {
        return [text, '', '', '', `not tried: ${reason}`];
    }
    const prepared = await prepare?.();
    let pod: Pod | undefined;
    try {
        pod = await Pod.start(script, { ...options, ...prepared?.options });
        const remark = await (run ? run(pod) : pod.connectAndReview());
        return await rowOf(text, pod, (await prepared?.check?.(pod)) ?? remark ?? '');
    } catch (error) {
        process.stderr.write(`${text}: ${(error as Error).message}\n`);
        await pod?.workbench.report(`containers ${text}`);
        return [text, 'no', 'no', '', ''];
    } finally {
        await pod?.workbench.dispose().catch(noteLate);
        prepared?.dispose();
    }
}

async function rowOf(text: string, pod: Pod, remark: string): Promise<Row> {
    for (const [{ name }, message] of pod.failures) {
        process.stderr.write(`${text}, ${name}: ${message}\nIts screen and logs are in ${path.relative(PROJECT, RESULTS)}.\n`);
    }
    const cells = BOTH.map(words => (pod.failures.has(words) ? 'no' : 'yes'));
    const seconds = await secondsToEnd(pod.workbench.ide);
    return [text, ...cells, seconds === undefined ? 'no' : `after ${seconds} s`, remark];
}

/** A backend that does not end is killed, and its row says so already. */
function noteLate(error: Error): void {
    process.stderr.write(`${error.message.split('\n')[0]}\n`);
}

/** Those of an earlier run that were not tried now stay as they are. */
async function write(rows: readonly Row[]): Promise<void> {
    const document = await fs.readFile(DOCUMENT, 'utf8');
    const [before, earlier = '', after = ''] = document.split(new RegExp(`${BEGIN}|${END}`));
    const order = [...CONDITIONS, ...SLEEPERS].map(({ text }) => text);
    const textOf = (item: string): string | undefined => order.find(text => item.startsWith(beginOf(text)));
    const kept = earlier.split('\n').filter(line => !rows.some(([text]) => text === textOf(line)));
    const items = [...kept, ...rows.map(itemOf)].filter(line => textOf(line) !== undefined);
    const place = (item: string): number => order.indexOf(textOf(item) ?? '');
    const list = items.sort((one, other) => place(one) - place(other)).join('\n');
    await fs.writeFile(DOCUMENT, `${before}${BEGIN}\n\n${list}\n\n${END}${after}`);
}

function beginOf(text: string): string {
    return `- **${text}**`;
}

/** In the document, where a table would be wider than a screen. What is usual goes without saying: both work, and the backend ends. */
function itemOf([text, ...cells]: Row): string {
    const works = cells.slice(0, BOTH.length);
    const [ends, remark] = cells.slice(BOTH.length);
    const facts = [
        ...BOTH.flatMap(({ name }, index) => (works[index] === 'yes' ? [] : [`${name}: ${works[index]}`])),
        ...(ends === 'no' ? ['does not end on SIGTERM'] : []),
        ...(remark ? [remark] : [])
    ];
    return `${beginOf(text)}${facts.length > 0 ? `: ${facts.join('; ')}` : ''}`;
}

function headLines(head: readonly string[]): string[] {
    return [lineOf(head), lineOf(head.map(() => '---'))];
}

function lineOf(cells: readonly string[]): string {
    return `| ${cells.join(' | ')} |`;
}

async function main(): Promise<number> {
    const names = process.argv.slice(2).filter(arg => arg !== '--write');
    const known = [...CONDITIONS, ...SLEEPERS].map(({ name }) => name);
    if (process.getuid?.() !== 0 || names.some(name => !known.includes(name))) {
        process.stderr.write(USAGE);
        return 2;
    }
    const rows: Row[] = [];
    const note = async (row: Row): Promise<void> => {
        process.stdout.write(`${lineOf(row)}\n`);
        rows.push(row);
        if (process.argv.includes('--write')) {
            await write(rows);
        }
    };
    try {
        for (const condition of CONDITIONS.filter(({ name }) => names.length === 0 || names.includes(name))) {
            const row = await tryCondition(condition);
            await note(row);
        }
        const sleepers = SLEEPERS.filter(({ name }) => names.includes(name));
        if (sleepers.length > 0) {
            await sleepAll(sleepers, async ({ text }, pod, remark) => {
                const row = await rowOf(text, pod, remark);
                await pod.workbench.dispose().catch(noteLate);
                await note(row);
            });
        }
    } finally {
        await TestBrowser.close();
    }
    process.stdout.write(`\n${[...headLines(HEAD), ...rows.map(lineOf)].join('\n')}\n`);
    return rows.some(([, ...cells]) => cells.slice(0, BOTH.length).includes('no')) ? 1 : 0;
}

void main().then(code => process.exit(code));
