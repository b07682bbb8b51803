// SPDX-License-Identifier: Apache-2.0

import * as markdownit from '@theia/core/shared/markdown-it';
import { expect } from 'chai';
import { CliDiagnosis, DiagnosisStep } from '../../common/diagnosis';
import { DiagnosisReport } from './diagnosis-report';

const OK: DiagnosisStep = { id: 'companion', verdict: 'ok', found: ['127.0.0.1:4711'] };
const WARNING: DiagnosisStep = {
    id: 'approval.silent',
    verdict: 'warning',
    values: { mode: 'yolo' },
    command: 'gemini --approval-mode default'
};
const FAILURE: DiagnosisStep = {
    id: 'file.missing',
    verdict: 'failure',
    values: { folder: '/tmp/gemini/ide', others: '0' }
};

function gemini(...steps: DiagnosisStep[]): CliDiagnosis {
    return { cliId: 'gemini-cli', displayName: 'Gemini CLI', quoted: true, steps };
}

describe('The report of the doctor', () => {
    const none = new DiagnosisReport({ clis: [] });

    it('the report of the doctor has the problems at the top', () => {
        expect(none.steps(gemini(OK, WARNING, FAILURE))).to.deep.equal([FAILURE, WARNING]);
        expect(none.summary(gemini(OK, WARNING, FAILURE))).to.equal('Gemini CLI cannot connect.');
        expect(none.summary(gemini(OK, WARNING))).to.equal('Gemini CLI can connect. One thing may surprise you.');
        expect(none.summary(gemini(OK))).to.equal('Nothing prevents Gemini CLI from connecting.');
    });

    it('says first that a CLI is connected, and since when', () => {
        const connectedSince = new Date(2026, 10, 24, 16, 48).getTime();
        expect(none.summary({ ...gemini(OK, WARNING), connectedSince })).to.match(/^Gemini CLI has been connected since 4:48\sPM\.$/);
    });

    it('names every step that needs somebody, without codes, the remedy, and what the CLI says', () => {
        const terminal = { shell: 42, folder: '/ws' };
        const text = new DiagnosisReport({ terminal, clis: [gemini(OK, FAILURE, WARNING)] }).markdown;
        expect(text).to.include('For the terminal in /ws (shell 42).');
        expect(text).not.to.include('Companion in this window');
        expect(text).to.match(/^- \[Problem\] Discovery file: None in \/tmp\/gemini\/ide is for this workspace \(0 for others\)\.$/m);
        expect(text).to.include('Gemini CLI says: "IDE integration is not supported in your current environment."');
        expect(text).to.include('`gemini --approval-mode default`');
    });

    it('says in one line what is not installed, and no words that a CLI does not say', () => {
        const values = { command: 'claude', searched: '/usr/bin:/bin', program: 'bash', pid: '42' };
        const steps: DiagnosisStep[] = [FAILURE, { id: 'program.missing', verdict: 'unknown', values, command: 'npm install -g claude' }];
        const claude = { cliId: 'claude-code', displayName: 'Claude Code', quoted: false };
        const missing = new DiagnosisReport({ clis: [{ ...claude, steps }, gemini(OK)] }).markdown;
        expect(missing.split('## ').slice(1)).to.have.length(2);
        expect(missing.split('## ')[2]).to.equal(
            'Not found\n\n- Claude Code: claude is not on the PATH with which bash (process 42) was started: /usr/bin:/bin. ' +
                'Ignore this if the CLI starts when you type its name.\n  `npm install -g claude`\n'
        );
        const there = new DiagnosisReport({ clis: [{ ...claude, steps: [FAILURE] }] }).markdown;
        expect(there).to.include('Claude Code cannot connect.').and.not.include('says:');
    });

    it('has what mends a problem, a line for the shell once; of what is not installed, nothing', () => {
        const step = (id: DiagnosisStep['id'], command: string, verdict: DiagnosisStep['verdict'] = 'failure'): DiagnosisStep => ({
            id,
            verdict,
            command
        });
        const outside = step('workspace.outside', "cd '/ws'");
        const off = step('ideMode.off', '/ide enable');
        const clis = [
            gemini(OK, FAILURE, outside, off),
            { cliId: 'qwen-code', displayName: 'Qwen Code', quoted: true, steps: [outside, off] },
            { cliId: 'kilo', displayName: 'Kilo CLI', quoted: false, steps: [outside, step('program.missing', 'npm install', 'unknown')] }
        ];
        const { fixes } = new DiagnosisReport({ terminal: { shell: 42, folder: '/ws' }, clis });
        expect(fixes.map(({ displayName, command, shell }) => [displayName, command, shell])).to.deep.equal([
            ['Gemini CLI, Qwen Code', "cd '/ws'", 42],
            ['Gemini CLI', '/ide enable', 42],
            ['Qwen Code', '/ide enable', 42]
        ]);
    });

    it('has only the fixes of the CLIs that run in the terminal, and types none where a program reads the keys', () => {
        const outside: DiagnosisStep = { id: 'workspace.outside', verdict: 'failure', command: "cd '/ws'" };
        const off: DiagnosisStep = { id: 'ideMode.off', verdict: 'failure', command: '/ide enable' };
        const clis: CliDiagnosis[] = [
            { cliId: 'copilot', displayName: 'Copilot CLI', quoted: false, runsHere: true, steps: [outside] },
            gemini(off)
        ];
        const { fixes } = new DiagnosisReport({ terminal: { shell: 42, folder: '/ws', runsProgram: true }, clis });
        expect(fixes).to.deep.equal([{ cliId: 'copilot', displayName: 'Copilot CLI', command: "cd '/ws'", shell: undefined }]);
    });

    it('types no line with a character that would be a key', () => {
        const outside: DiagnosisStep = { id: 'workspace', verdict: 'failure', command: "cd '/ws/a\u0003b'" };
        expect(new DiagnosisReport({ clis: [gemini(outside)] }).fixes).to.deep.equal([]);
    });

    it('says once that nobody has tried this Theia', () => {
        const untriedTheia = { version: '1.78.0', newestTried: '1.76.0' };
        const says = 'The companion was tried with Theia up to 1.76.0. This one is newer: 1.78.0.';
        expect(new DiagnosisReport({ untriedTheia, clis: [gemini(OK)] }).markdown).to.include(`\n\n${says}\n\n## Gemini CLI`);
        expect(new DiagnosisReport({ clis: [gemini(OK)] }).markdown).not.to.include('newer');
    });

    it('shows what is invisible in a path', () => {
        const step: DiagnosisStep = { id: 'trust.missing', verdict: 'warning', values: { folder: '/ws/a\u202eb' } };
        expect(new DiagnosisReport({ clis: [gemini(step)] }).markdown).to.include('/ws/a[U+202E]b');
    });

    it('shows the names of files and folders as they are, also where it is rendered, and as few signs as that takes', () => {
        const folder = '/ws/__tests__/my_app *a* <b>b</b> [c](d) ![e](f) &lt; `g` ~~h~~ \\[i]';
        const steps: DiagnosisStep[] = [
            { id: 'trust.missing', verdict: 'warning', values: { folder }, command: `cd '${folder}'` },
            { id: 'folder.refused', verdict: 'failure', fault: { code: 'folder-is-file', folder, command: '' } }
        ];
        const { markdown } = new DiagnosisReport({ terminal: { shell: 42, folder }, clis: [gemini(...steps)] });
        const html = markdownit({ html: true }).render(markdown);
        const shown = html
            .replace(/<\/?(h\d|p|ul|li|code)>/g, '')
            .replace(/&lt;/g, '<')
            .replace(/&gt;/g, '>')
            .replace(/&amp;/g, '&');
        expect(shown.split(folder)).to.have.length(5);
        expect(markdown).to.include('my_app');
    });
});
