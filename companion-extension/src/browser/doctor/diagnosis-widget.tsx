// SPDX-License-Identifier: Apache-2.0

import { codicon, Message, ReactWidget } from '@theia/core/lib/browser';
import { nls } from '@theia/core/lib/common/nls';
import * as React from '@theia/core/shared/react';
import { CliDiagnosis, DiagnosisStep, StepVerdict } from '../../common/diagnosis';
import { DiagnosisReport } from './diagnosis-report';

/** A button of the report. */
export interface ReportAction {
    readonly label: string;
    run(): void;
}

const ICONS: Readonly<Record<StepVerdict, string>> = { ok: 'pass', warning: 'warning', failure: 'error', unknown: 'question' };

/** The report of the doctor, in its own tab. React takes every text for text. */
export class DiagnosisWidget extends ReactWidget {
    static readonly ID = 'companion-diagnosis';

    /** A report, or what is shown until there is one. */
    protected content: DiagnosisReport | string = '';
    protected actions: readonly ReportAction[] = [];
    protected actionsOf: (step: DiagnosisStep) => readonly ReportAction[] = () => [];

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

    /** @param actionsOf what fixes a step. The report shows the step's command beside it */
    fill(content: DiagnosisReport | string, actions: readonly ReportAction[] = [], actionsOf = this.actionsOf): void {
        this.content = content;
        this.actions = actions;
        this.actionsOf = actionsOf;
        this.update();
    }

    protected override onActivateRequest(message: Message): void {
        super.onActivateRequest(message);
        this.node.focus();
    }

    protected render(): React.ReactNode {
        const { content } = this;
        const report = typeof content === 'string' ? undefined : content;
        return (
            <div className="companion-diagnosis-page" role="document" aria-label={this.title.label}>
                <h1>{this.title.label}</h1>
                <p role="status">{typeof content === 'string' ? content : content.terminal}</p>
                <p>{this.renderActions(this.actions)}</p>
                {report?.diagnosis.clis.map(cli => this.renderCli(report, cli))}
            </div>
        );
    }

    protected renderCli(report: DiagnosisReport, cli: CliDiagnosis): React.ReactNode {
        const steps = report.steps(cli);
        const isFine = ({ verdict }: DiagnosisStep): boolean => verdict === 'ok';
        return (
            <section key={cli.cliId} aria-label={cli.displayName}>
                <h2>{cli.displayName}</h2>
                <p>
                    {this.renderVerdict(report, cli.connectedSince === undefined ? (steps[0]?.verdict ?? 'ok') : 'ok')}{' '}
                    <strong>{report.summary(cli)}</strong>
                </p>
                <ul>{steps.filter(step => !isFine(step)).map(step => this.renderStep(report, step, cli))}</ul>
                <details>
                    <summary>{nls.localize('theia/cli-companion/doctor/allSteps', 'All steps')}</summary>
                    <ul>{steps.filter(isFine).map(step => this.renderStep(report, step, cli))}</ul>
                </details>
            </section>
        );
    }

    protected renderStep(report: DiagnosisReport, step: DiagnosisStep, cli: CliDiagnosis): React.ReactNode {
        const { title, what, advice, quote } = report.describe(step, cli.displayName);
        const { id, verdict, command } = step;
        return (
            <li key={id} data-step={id}>
                {this.renderVerdict(report, verdict)} <strong>{title}</strong> {what}
                {quote && (
                    <p>
                        {nls.localize('theia/cli-companion/doctor/says', '{0} says:', cli.displayName)} <q>{quote}</q>
                    </p>
                )}
                {advice && <p>{advice}</p>}
                {command && <code>{command}</code>}
                {this.renderActions(this.actionsOf(step))}
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

    /** The icon is for the eye: the word says it, too. */
    protected renderVerdict(report: DiagnosisReport, verdict: StepVerdict): React.ReactNode {
        return (
            <span className={`companion-diagnosis-${verdict}`}>
                <span className={codicon(ICONS[verdict])} aria-hidden="true" /> {report.verdict(verdict)}
            </span>
        );
    }
}
