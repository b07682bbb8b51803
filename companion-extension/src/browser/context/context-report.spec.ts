// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { contextReport } from './context-report';

describe('contextReport', () => {
    it('says to whom what was told since when, byte for byte, and what is withheld by which rule', () => {
        const context = { workspaceState: { openFiles: [{ path: '/ws/a.txt', timestamp: 5, isActive: true, selectedText: 'a\n"b"' }] } };
        const report = JSON.parse(
            contextReport({
                sharing: true,
                paused: false,
                told: [{ cliName: 'Qwen Code', folder: '/ws', toldAt: 1_700_000_000_000, context }, { cliName: 'Gemini CLI' }],
                withheld: [
                    { path: '/ws/.env', rule: 'companion.context.exclude: **/.env*', isActive: false },
                    { path: '/ws/x', rule: undefined, isActive: false }
                ]
            })
        );
        expect(report.sharing).to.include('are shared');
        expect(report.clis[0]).to.deep.include({ name: 'Qwen Code', folder: '/ws', told: context });
        expect(report.clis[0].since).to.include('2023');
        expect(report.clis[1]).to.deep.equal({ name: 'Gemini CLI', told: 'Nothing yet.' });
        expect(report.withheld).to.deep.equal([
            { path: '/ws/.env', by: 'companion.context.exclude: **/.env*' },
            { path: '/ws/x', by: 'a rule of this application' }
        ]);
    });

    it('says when nobody is there, and whether sharing is paused or off', () => {
        const report = (paused: boolean): { sharing: string; clis: string } =>
            JSON.parse(contextReport({ sharing: false, paused, told: [], withheld: [] }));
        expect(report(true).sharing).to.include('paused in this window');
        expect(report(false).sharing).to.include('Sharing is off');
        expect(report(false).clis).to.include('No CLI is connected');
    });
});
