// SPDX-License-Identifier: Apache-2.0
// npm run requirements [-- --check]

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillDocument } from './docs.mjs';
import { Problem, readJson, ROOT, runScript, say } from './script.mjs';

const SOURCES = ['{*-extension,e2e}/src/**/*.ts', 'browser-app/{launch,scripted-model}/*.{mts,mjs}'];
const TITLE = /\b(?:it|describe|onLinux)\(\s*['"`]((?:[A-Z]\d{1,2}[\s,]+)*[A-Z]\d{1,2}):/g;

/** The ids that titles of tests begin with: `it('D8, D9: …')`. */
function testedRequirements() {
    const sources = globSync(SOURCES, { cwd: ROOT }).map(file => readFileSync(join(ROOT, file), 'utf8'));
    const titles = sources.flatMap(source => [...source.matchAll(TITLE)].map(([, ids]) => ids));
    return new Set(titles.flatMap(ids => ids.match(/[A-Z]\d{1,2}/g)));
}

await runScript(async () => {
    const check = process.argv.includes('--check');
    const all = Object.values(readJson('configs/conformance/requirements.json')).flat();
    const tested = testedRequirements();
    const missing = all.map(([id]) => id).filter(id => !tested.has(id));
    for (const file of globSync(['*.md', 'docs/*.md'], { cwd: ROOT })) {
        const text = await fillDocument(file);
        if (!check) {
            writeFileSync(join(ROOT, file), text);
        } else if (readFileSync(join(ROOT, file), 'utf8') !== text) {
            throw new Problem(`${file} is not up to date: run npm run requirements and commit it.`);
        }
    }
    if (missing.length > 0) {
        throw new Problem(`No test names these requirements at the beginning of its title: ${missing.join(', ')}.`);
    }
    say(`${all.length} requirements, each with a test.`);
});
