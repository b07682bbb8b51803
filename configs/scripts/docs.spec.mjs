// SPDX-License-Identifier: Apache-2.0

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { fill } from './docs.mjs';
import { anchorsOf, linksOf, tablesOf } from './markdown.mjs';
import { ROOT } from './script.mjs';
import { companionCommands, environmentVariables, preferences, uiTexts } from './source-facts.mjs';

/** In characters. Browsers break the lines in the cells of a wider one. */
const SCREEN = 125;

const skipped = name => ['node_modules', 'lib', '.setup', 'results'].includes(name) || name.startsWith('.tmp');
const documents = new Map(
    globSync('**/*.md', { cwd: ROOT, exclude: path => path.split(/[\\/]/).some(skipped) })
        .map(file => file.replaceAll('\\', '/'))
        .sort()
        .map(file => [file, readFileSync(join(ROOT, file), 'utf8')])
);

/** Links of a document to files and headings that are not there. */
function deadLinks(file, markdown, exists = path => existsSync(join(ROOT, path))) {
    return linksOf(markdown)
        .filter(({ target }) => !/^[a-z]+:/.test(target))
        .filter(({ target }) => {
            const [path, anchor] = decodeURI(target).split('#');
            const found = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), path)).replaceAll('\\', '/');
            const text = found === file ? markdown : documents.get(found);
            return !(exists(found) && (anchor === undefined || (text !== undefined && anchorsOf(text).has(anchor))));
        })
        .map(({ target, line }) => `${file}:${line} ${target}`);
}

describe('The documents', () => {
    it('link to files and headings that are there', () => {
        expect(documents.size).to.be.greaterThan(15);
        expect([...documents].flatMap(([file, markdown]) => deadLinks(file, markdown))).to.deep.equal([]);
    });

    it('would fail with a broken link', () => {
        const markdown = [
            '# One & two',
            '## `Three`',
            '[good](#one--two) [good](#three) ![good](docs/images/demo.png) [good](docs/security.md#dependencies) [good](https://example.com/x)',
            '',
            '[bad](#four) [bad](docs/missing.md)',
            '',
            '[bad](docs/security.md#no-such-heading) ![bad](docs/images/none.png) <img src="none.svg">'
        ].join('\n');
        expect(deadLinks('README.md', markdown)).to.deep.equal([
            'README.md:5 #four',
            'README.md:5 docs/missing.md',
            'README.md:7 docs/security.md#no-such-heading',
            'README.md:7 docs/images/none.png',
            'README.md:7 none.svg'
        ]);
    });

    it('have tables that fit a screen, and lists instead of wider ones', () => {
        const wide = [...documents]
            .flatMap(([file, markdown]) => tablesOf(markdown).map(table => ({ file, ...table })))
            .filter(({ width }) => width > SCREEN);
        expect(wide.map(({ file, line, width }) => `${file}:${line} has ${width} characters`)).to.deep.equal([]);
    });

    it('name commands, preferences and variables that are there', () => {
        const labels = [...companionCommands().values()].map(({ label }) => label);
        const ids = [...companionCommands().values()].map(({ id }) => id);
        // For any CLI.
        const known = new Set(['companion.run.ID', ...labels.map(label => `Companion: ${label}`), ...ids, ...Object.keys(preferences())]);
        // What was called otherwise in an earlier version stays so in the changelog.
        const today = [...documents].filter(([file]) => file !== 'CHANGELOG.md');
        const named = today.flatMap(([file, markdown]) =>
            [...markdown.matchAll(/`(Companion: [^`]+|companion(?:\.[A-Za-z-]+)+)`/g)].map(([, name]) => ({ file, name }))
        );
        expect(named.length).to.be.greaterThan(30);
        expect(named.filter(({ name }) => !known.has(name)).map(({ file, name }) => `${file}: ${name}`)).to.deep.equal([]);
    });

    it('have every environment variable of the source in docs/reference.md, and no other', () => {
        const [, section] = /\n## Environment variables\n([^]*)/.exec(documents.get('docs/reference.md'));
        const named = [...section.matchAll(/`((?:CLAUDE|ENABLE|QWEN|GEMINI|REMOTE|SSH|THEIA|VSCODE)_[A-Z_]+)/g)].map(([, name]) => name);
        expect([...new Set(named)].sort()).to.deep.equal(environmentVariables());
    });

    it('tell a newcomer to look for words that are in the message', () => {
        const [, words] = /git grep "([^"]+)"/.exec(documents.get('CONTRIBUTING.md'));
        expect(uiTexts().get('theia/cli-companion/review/vanished')).to.include(words);
    });

    it('quote messages from the source, with examples for what they name', () => {
        const texts = new Map([['theia/cli-companion/review/gone', '{0} has gone, with "{1}".']]);
        const translated = new Map([['theia/cli-companion/review/gone', '“{1}”同{0}一起不见了。']]);
        expect(
            fill('<!-- says review/gone (Qwen Code; a*b) + review/gone -->\n\n> old\n>\n> text\n\nIt went.', texts, translated)
        ).to.equal(
            '<!-- says review/gone (Qwen Code; a*b) + review/gone -->\n\n' +
                '> Qwen Code has gone, with "a\\*b". … has gone, with "…".\n>\n> “a\\*b”同Qwen Code一起不见了。“…”同…一起不见了。\n\nIt went.'
        );
        expect(fill('Press **Run: <!-- ui review/gone (it) -->old text** now.', texts, translated)).to.equal(
            'Press **Run: <!-- ui review/gone (it) -->it has gone, with "…".** now.'
        );
        expect(() => fill('<!-- says review/renamed -->\n', texts, translated)).to.throw('No text of the user interface has the key');
    });
});
