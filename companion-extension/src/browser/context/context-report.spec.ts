// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ContextReport } from './context-report';

describe('ContextReport', () => {
    it('says what was shared with whom and when, in words and byte for byte in JSON, and what is withheld by which rule', () => {
        const active = { path: '/ws/a.txt', timestamp: 5, isActive: true, cursor: { line: 2, character: 3 }, selectedText: 'a\n"b"' };
        const context = { workspaceState: { openFiles: [active, { path: '/ws/b.txt', timestamp: 4 }] } };
        const report = new ContextReport({ sharing: true }).describe(
            [{ cliName: 'Qwen Code', folder: '/ws', toldAt: 1_700_000_000_000, context }, { cliName: 'Gemini CLI' }],
            [
                { path: '/ws/.env', rule: 'companion.context.exclude: **/.env*', isActive: false },
                { path: '/ws/x', rule: undefined, isActive: false }
            ]
        );
        expect(report).to.match(/^Open files and selection are shared .*\n\n## Qwen Code\n\nWorks in: \/ws\nLast shared: .*2023.*\n/);
        expect(report).to.include(
            'Active file: /ws/a.txt, line 2, column 3\nOther open files: /ws/b.txt\nSelected:\n\n    a\n    "b"\n\n## Gemini CLI\n\nNothing yet.\n'
        );
        expect(report).to.include('- /ws/.env (companion.context.exclude: **/.env*)\n- /ws/x (a rule of this application)\n');
        const json = JSON.parse(/```json\n([^]*)\n```\n$/.exec(report)?.[1] ?? '');
        expect(json.clis[0]).to.deep.equal({ name: 'Qwen Code', folder: '/ws', toldAt: '2023-11-14T22:13:20.000Z', told: context });
        expect(json.clis[1]).to.deep.equal({ name: 'Gemini CLI' });
        expect(json.withheld[0]).to.deep.equal({ path: '/ws/.env', by: 'companion.context.exclude: **/.env*' });
    });

    it('says that a change takes effect later while the backend cannot be told', () => {
        const report = new ContextReport({ sharing: false, paused: true });
        expect(report.describeChange(true)).to.equal(report.sharing);
        expect(report.describeChange(false)).to.match(
            /^Sharing is paused .* cannot be reached now: this takes effect as soon as it can\.$/
        );
    });

    it('says if no CLI is connected, and whether sharing is paused or off', () => {
        const report = (paused: boolean): string => new ContextReport({ sharing: false, paused }).describe([], []);
        expect(report(true)).to.include('paused in this window');
        expect(report(false)).to.include('Sharing is off').and.include('No CLI is connected').and.not.include('Withheld');
    });
});
