// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { CliDiagnosis, DiagnosisStep } from '../../common/diagnosis';
import { firstProblem, reportText, summary } from './diagnosis-report';

const OK: DiagnosisStep = { code: 'companion.on', verdict: 'ok', args: { port: '4711' } };
const WARNING: DiagnosisStep = {
    code: 'approval.silent',
    verdict: 'warning',
    args: { mode: 'yolo' },
    command: 'gemini --approval-mode default'
};
const FAILURE: DiagnosisStep = { code: 'file.missing', verdict: 'failure', args: { folder: '/tmp/gemini/ide', others: '0' } };

function gemini(...steps: DiagnosisStep[]): CliDiagnosis {
    return { cliId: 'gemini-cli', displayName: 'Gemini CLI', command: 'gemini', steps };
}

describe('The report of the doctor', () => {
    it('has the first failure on top, or else the first warning', () => {
        expect(firstProblem(gemini(OK, WARNING, FAILURE))).to.equal(FAILURE);
        expect(firstProblem(gemini(OK, WARNING))).to.equal(WARNING);
        expect(firstProblem(gemini(OK))).to.equal(undefined);
        expect(summary(gemini(OK, FAILURE))).to.equal('Gemini CLI cannot connect.');
        expect(summary(gemini(OK))).to.equal('Nothing prevents Gemini CLI from connecting.');
    });

    it('is copied as text with every step, the remedy, and what the CLI says', () => {
        const text = reportText({ terminal: { shell: 42, folder: '/ws' }, clis: [gemini(OK, FAILURE, WARNING)] });
        expect(text).to.include('For the terminal in /ws (shell 42).');
        expect(text).to.include('- [OK] Companion in this window: It is on, and listens on 127.0.0.1:4711.');
        expect(text).to.include('- [problem] Discovery file: There is none in /tmp/gemini/ide.');
        expect(text).to.include('> IDE integration is not supported in your current environment.');
        expect(text).to.include('`gemini --approval-mode default`');
    });

    it('shows what is invisible in a path', () => {
        const step: DiagnosisStep = { code: 'trust.trusted', verdict: 'ok', args: { folder: '/ws/a\u202eb' } };
        expect(reportText({ clis: [gemini(step)] })).to.include('/ws/a[U+202E]b');
    });
});
