// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CliDiagnosis, Diagnosis, DiagnosisStep, StepVerdict } from '../../common/diagnosis';
import { visibleText } from '../../common/visible-text';
import { describeStep } from './step-texts';

/** What is mended first: the first failure, or else the first warning. */
export function firstProblem({ steps }: CliDiagnosis): DiagnosisStep | undefined {
    return steps.find(({ verdict }) => verdict === 'failure') ?? steps.find(({ verdict }) => verdict === 'warning');
}

export function verdictLabel(verdict: StepVerdict): string {
    switch (verdict) {
        case 'ok':
            return nls.localize('theia/cli-companion/doctor/ok', 'OK');
        case 'warning':
            return nls.localize('theia/cli-companion/doctor/warning', 'warning');
        case 'failure':
            return nls.localize('theia/cli-companion/doctor/failure', 'problem');
        case 'unknown':
            return nls.localize('theia/cli-companion/doctor/unknown', 'unknown');
    }
}

/** The verdict on a CLI, in one sentence. */
export function summary(cli: CliDiagnosis): string {
    const problem = firstProblem(cli);
    switch (problem?.verdict) {
        case 'failure':
            return nls.localize('theia/cli-companion/doctor/fails', '{0} cannot connect.', cli.displayName);
        case 'warning':
            return nls.localize('theia/cli-companion/doctor/warns', '{0} can connect. One thing may surprise you.', cli.displayName);
        default:
            return nls.localize('theia/cli-companion/doctor/fine', 'Nothing prevents {0} from connecting.', cli.displayName);
    }
}

export function describeTerminal({ terminal }: Diagnosis): string {
    return terminal
        ? nls.localize(
              'theia/cli-companion/doctor/forTerminal',
              'For the terminal in {0} (shell {1}).',
              visibleText(terminal.folder),
              terminal.shell
          )
        : nls.localize('theia/cli-companion/doctor/forNewTerminal', 'No terminal is selected: this is for a new one.');
}

/** The whole report as Markdown, for the clipboard. No token is in what the backend sends. */
export function reportText(diagnosis: Diagnosis): string {
    const lines = [`# ${nls.localize('theia/cli-companion/doctor/title', 'CLI Connection')}`, '', describeTerminal(diagnosis)];
    for (const cli of diagnosis.clis) {
        lines.push('', `## ${cli.displayName}`, '', summary(cli), '');
        for (const step of cli.steps) {
            const { title, text, remedy, quote } = describeStep(step, cli.displayName);
            lines.push(`- [${verdictLabel(step.verdict)}] ${title}: ${text}`);
            if (step.verdict !== 'ok') {
                lines.push(
                    ...[remedy, step.command && `\`${step.command}\``, quote && `> ${quote}`].flatMap(line => (line ? [`  ${line}`] : []))
                );
            }
        }
    }
    return `${lines.join('\n')}\n`;
}
