// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ESLint } from 'eslint';
import { EDGES } from '../feature-imports.mjs';
import { ROOT } from './script.mjs';

const SOURCES = join(ROOT, 'companion-extension', 'src');

describe('The imports between features', () => {
    const eslint = new ESLint({ cwd: ROOT, ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-imports' });

    async function faults(file, imported) {
        const [{ messages }] = await eslint.lintText(`import '${imported}';\n`, { filePath: join(SOURCES, file) });
        return messages.filter(({ ruleId }) => ruleId === 'no-restricted-imports').length;
    }

    it('that are listed are there', () => {
        const stale = EDGES.flatMap(([from, to, files]) =>
            files
                .filter(file => !readFileSync(join(ROOT, from, `${file}.ts`), 'utf8').includes(`'../${to}/`))
                .map(file => `${from}/${file} > ${to}`)
        );
        expect(stale).to.deep.equal([]);
    });

    it('are refused if they are not listed', async () => {
        // Of a feature, of core, and against the order of folders.
        expect(await faults('browser/status/status-text.ts', '../review/page-reviews')).to.be.greaterThan(0);
        expect(await faults('browser/window/held-keys.ts', '../context/context-filter')).to.be.greaterThan(0);
        expect(await faults('node/server/window.ts', '../mcp/mcp-sessions')).to.be.greaterThan(0);
        // Of another file, or of another feature than the list says.
        expect(await faults('browser/agents/agent-tabs.ts', '../review/page-reviews')).to.be.greaterThan(0);
        expect(await faults('browser/agents/agent-news.ts', '../context/context-filter')).to.be.greaterThan(0);
        expect(await faults('browser/agents/agent-news.ts', '../review/page-reviews')).to.equal(0);
        expect(await faults('browser/agents/agent-tabs.ts', '../window/held-keys')).to.equal(0);
    }).timeout(60_000);
});
