// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CliDiagnosis, Diagnosis, DiagnosisStep, StepVerdict } from '../../common/diagnosis';
import { visibleText } from '../../common/visible-text';
import { describeTime } from '../status/status-rows';
import { describeStep } from './step-texts';

const WEIGHT: Readonly<Record<StepVerdict, number>> = { failure: 0, warning: 1, unknown: 2, ok: 3 };

/** All steps, what is wrong on top. */
export function worstFirst({ steps }: CliDiagnosis): DiagnosisStep[] {
    return [...steps].sort((one, other) => WEIGHT[one.verdict] - WEIGHT[other.verdict]);
}

export function verdictLabel(verdict: StepVerdict): string {
    switch (verdict) {
        case 'ok':
            return nls.localize('theia/cli-companion/doctor/ok', 'OK');
        case 'warning':
            return nls.localize('theia/cli-companion/doctor/warning', 'Warning');
        case 'failure':
            return nls.localize('theia/cli-companion/doctor/failure', 'Problem');
        case 'unknown':
            return nls.localize('theia/cli-companion/doctor/unknown', 'Unknown');
    }
}

/** The verdict on a CLI, in one sentence. */
export function summary({ displayName, connectedSince, steps }: CliDiagnosis): string {
    const has = (verdict: StepVerdict): boolean => steps.some(step => step.verdict === verdict);
    if (connectedSince !== undefined) {
        return nls.localize(
            'theia/cli-companion/doctor/connected',
            '{0} is connected since {1}.',
            displayName,
            describeTime(connectedSince)
        );
    }
    if (has('failure')) {
        return nls.localize('theia/cli-companion/doctor/fails', '{0} cannot connect.', displayName);
    }
    return has('warning')
        ? nls.localize('theia/cli-companion/doctor/warns', '{0} can connect. One thing may surprise you.', displayName)
        : nls.localize('theia/cli-companion/doctor/fine', 'Nothing prevents {0} from connecting.', displayName);
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

/** The whole report for people, as Markdown. No token is in what the backend sends. */
export function reportText(diagnosis: Diagnosis): string {
    const lines = [`# ${nls.localize('theia/cli-companion/doctor/title', 'CLI Connection')}`, '', describeTerminal(diagnosis)];
    for (const cli of diagnosis.clis) {
        lines.push('', `## ${cli.displayName}`, '', summary(cli), '');
        for (const step of worstFirst(cli)) {
            const { title, text, remedy } = describeStep(step, cli.displayName);
            const { id, verdict, command, quote } = step;
            lines.push(`- [${verdictLabel(verdict)}] ${title} ${text} (${id})`);
            lines.push(...[remedy, command && `\`${command}\``, quote && `> ${quote}`].flatMap(line => (line ? [`  ${line}`] : [])));
        }
    }
    return `${lines.join('\n')}\n`;
}

/** The same for programs. */
export function reportJson(diagnosis: Diagnosis): string {
    return JSON.stringify(diagnosis, undefined, 2);
}
