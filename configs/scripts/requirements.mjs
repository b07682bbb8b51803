// SPDX-License-Identifier: Apache-2.0
// npm run requirements [-- --check]

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fillDocument } from './docs.mjs';
import { Problem, readJson, ROOT, runScript, say } from './script.mjs';

const EMBEDDING = join(ROOT, 'docs', 'embedding.md');
/** Those with parts that are made from the source. */
const FILLED = [
    'README.md',
    'docs/conformance.md',
    'docs/reference.md',
    'docs/troubleshooting.md',
    'docs/user-guide.md',
    'docs/user-guide.zh-CN.md'
];
const SOURCES = ['{*-extension,e2e}/src/**/*.ts', 'browser-app/{launch,scripted-model}/*.{mts,mjs}'];
const TITLE = /\b(?:it|describe|onLinux)\(\s*['"`]((?:[A-Z]\d{1,2}[\s,]+)*[A-Z]\d{1,2}):/g;

/** The ids that titles of tests begin with: `it('D8, D9: …')`. */
function testedRequirements() {
    const sources = globSync(SOURCES, { cwd: ROOT }).map(file => readFileSync(join(ROOT, file), 'utf8'));
    const titles = sources.flatMap(source => [...source.matchAll(TITLE)].map(([, ids]) => ids));
    return new Set(titles.flatMap(ids => ids.match(/[A-Z]\d{1,2}/g)));
}

/** The guide for embedders. Its code is that of the example, which is compiled and run: each piece is the file that is named above it. */
function embedding() {
    const source = file => readFileSync(join(ROOT, file), 'utf8').replace(/^\/\/ SPDX[^\n]*\n\n/, '');
    const piece = /(<!-- (examples\/\S+) -->\n\n```ts\n)[^]*?(```\n)/g;
    const text = readFileSync(EMBEDDING, 'utf8').replace(piece, (_all, before, file, after) => before + source(file) + after);
    if (text.match(/```ts/g)?.length !== text.match(piece)?.length) {
        throw new Problem('docs/embedding.md has code that names no file of the example.');
    }
    return text;
}

await runScript(async () => {
    const check = process.argv.includes('--check');
    const all = Object.values(readJson('configs/conformance/requirements.json')).flat();
    const tested = testedRequirements();
    const missing = all.map(([id]) => id).filter(id => !tested.has(id));
    const wanted = new Map([[EMBEDDING, embedding()]]);
    for (const file of FILLED) {
        wanted.set(join(ROOT, file), await fillDocument(file));
    }
    for (const [file, text] of wanted) {
        if (!check) {
            writeFileSync(file, text);
        } else if (readFileSync(file, 'utf8') !== text) {
            throw new Problem(`${relative(ROOT, file)} is not up to date: run npm run requirements and commit it.`);
        }
    }
    if (missing.length > 0) {
        throw new Problem(`No test names these requirements at the beginning of its title: ${missing.join(', ')}.`);
    }
    say(`${all.length} requirements, each with a test.`);
});
