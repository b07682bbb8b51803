// SPDX-License-Identifier: Apache-2.0

import { codicon, Message, ReactWidget } from '@theia/core/lib/browser';
import { nls } from '@theia/core/lib/common/nls';
import * as React from '@theia/core/shared/react';
import { CliDiagnosis, Diagnosis, DiagnosisStep, StepVerdict } from '../../common/diagnosis';
import { describeTerminal, summary, verdictLabel, worstFirst } from './diagnosis-report';
import { describeStep } from './step-texts';

/** A button of the report. */
export interface ReportAction {
    readonly label: string;
    run(): void;
}

/** What the report can do. */
export interface ReportActions {
    /** For the whole report. */
    readonly general: readonly ReportAction[];
    /** What mends a step. The report shows the step's command beside it. */
    ofStep(step: DiagnosisStep): readonly ReportAction[];
}

const ICONS: Readonly<Record<StepVerdict, string>> = { ok: 'pass', warning: 'warning', failure: 'error', unknown: 'question' };

/** The report of the doctor, in a tab of its own. React takes every text for text. */
export class DiagnosisWidget extends ReactWidget {
    static readonly ID = 'companion-diagnosis';

    protected actions: ReportActions = { general: [], ofStep: () => [] };
    protected diagnosis: Diagnosis | undefined;
    /** What stands there instead of a diagnosis. */
    protected notice = '';

    constructor() {
        super();
        this.id = DiagnosisWidget.ID;
        this.title.label = nls.localize('theia/cli-companion/doctor/title', 'CLI Connection');
        this.title.caption = this.title.label;
        this.title.iconClass = codicon('pulse');
        this.title.closable = true;
        this.addClass('companion-diagnosis');
        this.node.tabIndex = 0;
        this.node.setAttribute('aria-label', this.title.label);
    }

    /** @param content the diagnosis, or what is said until there is one */
    fill(content: Diagnosis | string, actions: ReportActions): void {
        this.diagnosis = typeof content === 'string' ? undefined : content;
        this.notice = typeof content === 'string' ? content : '';
        this.actions = actions;
        this.update();
    }

    protected override onActivateRequest(message: Message): void {
        super.onActivateRequest(message);
        this.node.focus();
    }

    protected render(): React.ReactNode {
        return (
            <div className="companion-diagnosis-page" role="document" aria-label={this.title.label}>
                <h1>{this.title.label}</h1>
                <p role="status">{this.diagnosis ? describeTerminal(this.diagnosis) : this.notice}</p>
                <p>{this.renderActions(this.actions.general)}</p>
                {this.diagnosis?.clis.map(cli => this.renderCli(cli))}
            </div>
        );
    }

    protected renderCli(cli: CliDiagnosis): React.ReactNode {
        const steps = worstFirst(cli);
        const isFine = ({ verdict }: DiagnosisStep): boolean => verdict === 'ok';
        return (
            <section key={cli.cliId} aria-label={cli.displayName}>
                <h2>{cli.displayName}</h2>
                <p>
                    {renderVerdict(cli.connectedSince === undefined ? (steps[0]?.verdict ?? 'ok') : 'ok')} <strong>{summary(cli)}</strong>
                </p>
                <ul>{steps.filter(step => !isFine(step)).map(step => this.renderStep(step, cli))}</ul>
                <details>
                    <summary>{nls.localize('theia/cli-companion/doctor/allSteps', 'All steps')}</summary>
                    <ul>{steps.filter(isFine).map(step => this.renderStep(step, cli))}</ul>
                </details>
            </section>
        );
    }

    protected renderStep(step: DiagnosisStep, cli: CliDiagnosis): React.ReactNode {
        const { title, text, remedy } = describeStep(step, cli.displayName);
        const { id, verdict, command, quote } = step;
        return (
            <li key={id} data-step={id}>
                {renderVerdict(verdict)} <strong>{title}</strong> {text}
                {quote && (
                    <p>
                        {nls.localize('theia/cli-companion/doctor/says', '{0} says:', cli.displayName)} <q>{quote}</q>
                    </p>
                )}
                {remedy && <p>{remedy}</p>}
                {command && <code>{command}</code>}
                {this.renderActions(this.actions.ofStep(step))}
            </li>
        );
    }

    protected renderActions(actions: readonly ReportAction[]): React.ReactNode {
        return actions.map(({ label, run }) => (
            <button key={label} className="theia-button secondary" onClick={run}>
                {label}
            </button>
        ));
    }
}

/** The icon is for the eye: the word says it, too. */
function renderVerdict(verdict: StepVerdict): React.ReactNode {
    return (
        <span className={`companion-diagnosis-${verdict}`}>
            <span className={codicon(ICONS[verdict])} aria-hidden="true" /> {verdictLabel(verdict)}
        </span>
    );
}
