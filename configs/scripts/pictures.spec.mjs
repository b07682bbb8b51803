// SPDX-License-Identifier: Apache-2.0

import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './script.mjs';

const IMAGES = join(ROOT, 'docs', 'images');
const images = readdirSync(IMAGES);
const documents = globSync(['*.md', 'docs/*.md', '*-extension/README.md'], { cwd: ROOT }).map(file =>
    readFileSync(join(ROOT, file), 'utf8')
);

describe('the pictures of the documents', () => {
    it('are small enough for a slow line', () => {
        const limit = name => (/^demo\b/.test(name) ? 1_500_000 : 100_000);
        expect(images.filter(name => statSync(join(IMAGES, name)).size > limit(name))).to.deep.equal([]);
    });

    it('are all shown by a document, and all that a document shows are there', () => {
        const shown = documents.flatMap(text => [...text.matchAll(/\bimages\/([\w.-]+\.(?:png|svg))/g)].map(([, name]) => name));
        expect([...new Set(shown)].sort()).to.deep.equal(images.sort());
    });

    it('say in words what they show', () => {
        const silent = documents.flatMap(text => text.match(/!\[\s*\]\([^)]*\)|<img(?![^>]*\balt="[^"]+")[^>]*>/g) ?? []);
        expect(silent).to.deep.equal([]);
    });
});
