// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import {
    CliDiagnosis,
    Diagnosis,
    DiagnosisStep,
    ProblemRow,
    STEP_PROBLEMS,
    STEP_TITLES,
    StepId,
    StepProblem,
    StepVerdict
} from '../../common/diagnosis';
import { describeFault } from '../../common/problem-text';
import { joinSentences, listOf } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { DiagnosedFix } from './fix-status';
import { describeTime } from '../window/status-words';

/** What Markdown would not show as it is, as it may stand in a name. An underscore within a word is no markup. */
const MARKUP = /[\\`*<&]|~(?=~)|\](?=\()|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

const WEIGHT: Readonly<Record<StepVerdict, number>> = { failure: 0, warning: 1, unknown: 2, ok: 3 };

/** The findings of the doctor, in sentences. */
export class DiagnosisReport {
    constructor(
        readonly diagnosis: Diagnosis,
        protected readonly madeAt = Date.now()
    ) {}

    get terminal(): string {
        const { terminal: { folder, shell } = {} } = this.diagnosis;
        return folder
            ? nls.localize('theia/cli-companion/doctor/forTerminal', 'For the terminal in {0} (shell {1}).', visibleText(folder), shell)
            : nls.localize('theia/cli-companion/doctor/forNewTerminal', 'No terminal is selected: this is for a new one.');
    }

    /** It is made again when a CLI connects or ends. */
    get time(): string {
        return nls.localize('theia/cli-companion/doctor/time', 'As it was at {0}.', describeTime(this.madeAt));
    }

    /** What is not installed is no problem. */
    protected isMissing({ steps }: CliDiagnosis): boolean {
        const isThere = steps.some(({ id }) => id === 'session' || id === 'session.missing');
        return !isThere && steps.some(({ id }) => id === 'program.missing');
    }

    /** A line, if nobody has tried this Theia. */
    protected get theia(): string[] {
        const { untriedTheia: { version, newestTried } = {} } = this.diagnosis;
        return version
            ? [
                  '',
                  nls.localize(
                      'theia/cli-companion/doctor/untriedTheia',
                      'The companion was tried with Theia up to {0}. This one is newer: {1}.',
                      newestTried,
                      version
                  )
              ]
            : [];
    }

    /** The steps that need somebody, problems first. */
    steps({ steps }: CliDiagnosis): DiagnosisStep[] {
        return steps.filter(({ verdict }) => verdict !== 'ok').sort((one, other) => WEIGHT[one.verdict] - WEIGHT[other.verdict]);
    }

    /** A step in the user's language: plain text. Its title says what was looked at, and `what` what was found. */
    describe({ id, values = {}, fault }: DiagnosisStep, cliName: string): ProblemRow & { title: string } {
        const visible = Object.fromEntries(Object.entries({ ...values, cliName }).map(([name, value]) => [name, visibleText(value)]));
        const problem = id in STEP_PROBLEMS.rows ? (id as StepProblem) : undefined;
        const { what = '', advice } = problem ? STEP_PROBLEMS.describe(problem, visible) : {};
        const { why = '', advice: mends } = fault ? describeFault(fault) : {};
        return {
            title: nls.localize('theia/cli-companion/doctor/stepTitle', '{0}:', STEP_TITLES.describe(id.split('.')[0] as StepId).what),
            what: joinSentences([what, visibleText(why)]),
            advice: mends ?? advice,
            quote: problem && STEP_PROBLEMS.rows[problem].quote
        };
    }

    verdict(verdict: StepVerdict): string {
        switch (verdict) {
            case 'failure':
                return nls.localize('theia/cli-companion/doctor/failure', 'Problem');
            case 'warning':
                return nls.localize('theia/cli-companion/doctor/warning', 'Warning');
            default:
                return nls.localize('theia/cli-companion/doctor/unknown', 'Unknown');
        }
    }

    /** The verdict on a CLI, in one sentence. */
    summary({ displayName, connectedSince, steps }: CliDiagnosis): string {
        const has = (verdict: StepVerdict): boolean => steps.some(step => step.verdict === verdict);
        if (connectedSince !== undefined) {
            const time = describeTime(connectedSince);
            return nls.localize('theia/cli-companion/doctor/connected', '{0} has been connected since {1}.', displayName, time);
        }
        if (has('failure')) {
            return nls.localize('theia/cli-companion/doctor/fails', '{0} cannot connect.', displayName);
        }
        return has('warning')
            ? nls.localize('theia/cli-companion/doctor/warns', '{0} can connect. One thing may surprise you.', displayName)
            : nls.localize('theia/cli-companion/doctor/fine', 'Nothing prevents {0} from connecting.', displayName);
    }

    /**
     * Of what is wrong; of CLIs that are not installed, none, and if some run in the terminal, only theirs. A line for the shell is there once, whichever CLIs it mends. None with a
     * character that is no text, as a folder's name may have it: typed, it would be a key.
     */
    get fixes(): DiagnosedFix[] {
        const { clis, terminal } = this.diagnosis;
        const fixes = new Map<string, DiagnosedFix>();
        const running = clis.filter(({ runsHere }) => runsHere);
        const shell = terminal?.runsProgram ? undefined : terminal?.shell;
        for (const cli of (running.length > 0 ? running : clis).filter(candidate => !this.isMissing(candidate))) {
            const { cliId, displayName } = cli;
            for (const { verdict, command } of cli.steps) {
                const isText = command !== undefined && visibleText(command) === command;
                if (isText && (verdict === 'failure' || verdict === 'warning')) {
                    const key = command.startsWith('/') ? `${cliId} ${command}` : command;
                    const names = [fixes.get(key)?.displayName, displayName].flatMap(name => name ?? []);
                    fixes.set(key, { cliId, displayName: listOf([...new Set(names)]), command, shell });
                }
            }
        }
        return [...fixes.values()];
    }

    /** Markdown for people: each CLI with its problems first. No token is in what the backend sends. */
    get markdown(): string {
        const heading = `# ${nls.localize('theia/cli-companion/doctor/title', 'CLI Connection')}`;
        const lines = [heading, '', asText(joinSentences([this.terminal, this.time])), ...this.theia];
        const { clis } = this.diagnosis;
        for (const cli of clis.filter(candidate => !this.isMissing(candidate))) {
            lines.push('', `## ${cli.displayName}`, '', this.summary(cli));
            const steps = this.steps(cli);
            lines.push(...(steps.length > 0 ? [''] : []));
            for (const step of steps) {
                const { title, what, advice, quote } = this.describe(step, cli.displayName);
                const { verdict, command } = step;
                lines.push(`- [${this.verdict(verdict)}] ${title} ${asText(what)}`);
                const says = quote && cli.quoted && nls.localize('theia/cli-companion/doctor/says', '{0} says:', cli.displayName);
                lines.push(
                    ...[says && `${says} "${quote}"`, advice && asText(advice), command && asCode(command)].flatMap(line =>
                        line ? [`  ${line}`] : []
                    )
                );
            }
        }
        const missing = clis.filter(cli => this.isMissing(cli));
        if (missing.length > 0) {
            lines.push('', `## ${nls.localize('theia/cli-companion/doctor/notFound', 'Not found')}`, '');
        }
        for (const { displayName, steps } of missing) {
            const step = steps.find(({ id }) => id === 'program.missing');
            const { what = '', advice } = step ? this.describe(step, displayName) : {};
            lines.push(
                `- ${displayName}: ${asText(joinSentences([what, advice]))}`,
                ...(step?.command ? [`  ${asCode(step.command)}`] : [])
            );
        }
        return `${lines.join('\n')}\n`;
    }
}

function asText(text = ''): string {
    return text.replace(MARKUP, '\\$&');
}

function asCode(text: string): string {
    const fence = '`'.repeat(1 + Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length)));
    const blank = fence.length > 1 ? ' ' : '';
    return `${fence}${blank}${text}${blank}${fence}`;
}
