// SPDX-License-Identifier: Apache-2.0
// npm run requirements [-- --check]

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fillDocument } from './docs.mjs';
import { escapeMarkdown } from './markdown.mjs';
import { Problem, readJson, ROOT, runScript, say } from './script.mjs';

const CONFORMANCE = join(ROOT, 'docs', 'conformance.md');
const SECURITY = join(ROOT, 'docs', 'security.md');
const EMBEDDING = join(ROOT, 'docs', 'embedding.md');
/** Those with parts that are made from the source. */
const FILLED = ['README.md', 'companion-extension/README.md', 'docs/reference.md', 'docs/troubleshooting.md', 'docs/user-guide.md'];
const SOURCES = ['{*-extension,e2e}/src/**/*.ts', 'browser-app/{launch,scripted-model}/*.{mts,mjs}'];
const IDS = /^((?:[A-Z]\d{1,2}[\s,]+)*[A-Z]\d{1,2}):\s*(.*)$/;
const TITLE = /\b(?:it|describe|onLinux)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** Titles of tests by the ids that they begin with: `it('D8, D9: …')`. */
function findTests() {
    const tests = new Map();
    for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
        for (const [, ...quoted] of readFileSync(join(ROOT, file), 'utf8').matchAll(TITLE)) {
            const [, ids, title] = IDS.exec(quoted.find(text => text !== undefined).replace(/\\(['"`])/g, '$1')) ?? [];
            for (const id of ids?.match(/[A-Z]\d{1,2}/g) ?? []) {
                tests.set(id, [...(tests.get(id) ?? []), { file: `../${file}`, title }]);
            }
        }
    }
    return tests;
}

function plain(text) {
    return escapeMarkdown(text.replace(/\$\{[^}]*\}/g, '…'));
}

/** A requirement with its tests below it. */
function item(name, text, tests) {
    const proofs = tests.map(({ file, title }) => `    - [${plain(title)}](${file.replace(/\\/g, '/')})`);
    return [`- **${name}**: ${plain(text)}`, ...proofs].join('\n');
}

/** What `npm run cli-versions` has written below the list stays. */
function conformance(requirements, claude, tests) {
    const [versions] = /<!-- cli-versions -->[^]*/.exec(readFileSync(CONFORMANCE, 'utf8')) ?? [''];
    const items = requirements.map(([id, level, text]) => item(`${id}, ${level}`, text, tests.get(id) ?? []));
    return [
        '# Conformance',
        '',
        'Every requirement of the companion specification (September 2025), and the tests that prove it. COMPAT marks what the published CLIs',
        'need beyond it. Made by `npm run requirements` from `configs/conformance/requirements.json` and the titles of the tests; `npm test`',
        'fails if a requirement has no test, or if this file is not up to date.',
        '',
        ...items,
        '',
        "## Claude Code's family",
        '',
        'No specification is published. These are what [part 7 of the protocol](protocol.md#7-claude-code-and-opencode) says, as it was seen.',
        '',
        checklist(claude, tests),
        ...(versions ? ['', versions] : [''])
    ].join('\n');
}

function checklist(requirements, tests) {
    return requirements.map(([id, text]) => item(id, text, tests.get(id) ?? [])).join('\n');
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
    const { specification, claude, security } = readJson('configs/conformance/requirements.json');
    const tests = findTests();
    const all = [...specification, ...claude, ...security];
    const missing = all.map(([id]) => id).filter(id => !tests.has(id));
    const guide = readFileSync(SECURITY, 'utf8');
    const wanted = new Map([
        [CONFORMANCE, conformance(specification, claude, tests)],
        [EMBEDDING, embedding()],
        [
            SECURITY,
            guide.replace(
                /(<!-- prettier-ignore-start -->)[^]*(<!-- prettier-ignore-end -->)/,
                (_all, a, b) => `${a}\n\n${checklist(security, tests)}\n\n${b}`
            )
        ]
    ]);
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
