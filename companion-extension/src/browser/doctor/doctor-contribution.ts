// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell } from '@theia/core/lib/browser';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { WindowService } from '@theia/core/lib/browser/window/window-service';
import { CommandContribution, CommandRegistry, CommandService } from '@theia/core/lib/common/command';
import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { CompanionBackend } from '../../common/companion-protocol';
import { Diagnosis, DiagnosisStep } from '../../common/diagnosis';
import { noAnswerText } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionCommands } from '../companion-commands';
import { StatusList } from '../status/status-list';
import { StatusRows } from '../status/status-rows';
import { copyLabel } from '../status/status-text';
import { CompanionConnection } from '../window/companion-connection';
import { DiagnosisReport } from './diagnosis-report';
import { DiagnosisWidget, ReportAction } from './diagnosis-widget';

/** A CLI may be asked for its version, and a file system may not answer. In milliseconds. */
const CALL_LIMIT = 90_000;
/** How long a terminal may take to report its process, in milliseconds. */
const PROCESS_LIMIT = 2_000;
/** How long the window's server may take to start, in milliseconds. */
const SERVER_LIMIT = 5_000;

/** The command that says why a CLI does not connect, and how to fix it. */
@injectable()
export class DoctorContribution implements CommandContribution {
    @inject(CompanionBackend)
    protected readonly backend: Pick<CompanionBackend, 'diagnose'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;
    @inject(CommandService)
    protected readonly commands: CommandService;
    @inject(StatusList)
    protected readonly status: StatusList;
    @inject(WindowService)
    protected readonly windows: WindowService;
    protected widget: DiagnosisWidget | undefined;

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(CompanionCommands.CHECK_CONNECTION, { execute: () => this.diagnose() });
    }

    /** Shows the report, and fills it once the backend has answered. Never rejects. */
    async diagnose(): Promise<void> {
        // Before the report takes the focus, and with it the terminal's place.
        const shell = this.selectedShell();
        const widget = await this.open();
        const { label: log = '', id } = CompanionCommands.SHOW_LOG;
        const showLog = { label: log, run: () => void this.commands.executeCommand(id) };
        const again = { label: nls.localize('theia/cli-companion/doctor/again', 'Diagnose Again'), run: () => void this.diagnose() };
        if (this.connection.reloadNeeded) {
            const { label, detail = '' } = StatusRows.reload();
            widget.fill(detail, [{ label, run: () => this.windows.reload() }, again]);
            return;
        }
        widget.fill(nls.localize('theia/cli-companion/doctor/running', 'Checking each step that the CLIs take…'));
        try {
            const call = async (): Promise<Diagnosis> => this.backend.diagnose(await shell);
            const report = new DiagnosisReport(await this.connection.ask(call, CALL_LIMIT, noAnswerText()));
            const copy = this.copy(nls.localize('theia/cli-companion/doctor/copy', 'Copy Report'), report.markdown);
            const copyJson = this.copy(nls.localize('theia/cli-companion/doctor/copyJson', 'Copy as JSON'), report.json);
            widget.fill(report, [copy, copyJson, again, showLog], step => this.actionsFor(step));
        } catch (error) {
            const reason = this.connection.failure ?? (error instanceof Error ? error.message : String(error));
            widget.fill(reason, [again, showLog]);
        }
    }

    protected copy(label: string, text: string): ReportAction {
        return { label, run: () => void this.clipboard.writeText(text) };
    }

    protected async open(): Promise<DiagnosisWidget> {
        if (!this.widget || this.widget.isDisposed) {
            this.widget = new DiagnosisWidget();
            await this.shell.addWidget(this.widget, { area: 'main' });
        }
        await this.shell.activateWidget(this.widget.id);
        return this.widget;
    }

    /** The terminal that the user was in last. */
    protected async selectedShell(): Promise<number | undefined> {
        const terminal = this.terminals.lastUsedTerminal ?? this.terminals.all[0];
        const pid = terminal && (await withTimeLimit(terminal.processId, PROCESS_LIMIT, '').catch(() => undefined));
        return typeof pid === 'number' && pid > 0 ? pid : undefined;
    }

    protected actionsFor({ id, command }: DiagnosisStep): ReportAction[] {
        if (id === 'companion.off') {
            return [{ label: StatusRows.turnOn().label, run: () => void this.turnOn() }];
        }
        return command === undefined ? [] : [this.copy(copyLabel(), command)];
    }

    protected async turnOn(): Promise<void> {
        // The backend answers the next hello once the server runs.
        const served = Event.toPromise(this.connection.onDidHello);
        await this.status.turnOn();
        await withTimeLimit(served, SERVER_LIMIT, '').catch(() => undefined);
        await this.diagnose();
    }
}
