// SPDX-License-Identifier: Apache-2.0

import { LabelProviderContribution } from '@theia/core/lib/browser/label-provider';
import { CommandContribution, CommandRegistry } from '@theia/core/lib/common/command';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { Resource, ResourceResolver } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { DoctorBackend } from '../../common/doctor-protocol';
import { noAnswerText } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { SHARED_COMMANDS } from '../window/shared-command-ids';
import { DiagnosedFix, FixStatus } from './fix-status';
import { CompanionConnection } from '../window/companion-connection';
import { ReadOnlyResource } from '../window/read-only-resource';
import { reloadReason } from '../window/restart-watch';
import { DiagnosisReport } from './diagnosis-report';

/** The read-only report on what prevents CLIs from connecting. */
export const DIAGNOSIS_SCHEME = 'companion-diagnosis';

/** In every language: the tab may be restored in another one, and is named by {@link DoctorContribution.getName}. */
const REPORT = new URI(`${DIAGNOSIS_SCHEME}:/diagnosis.md`);
/** Of VS Code's extension for Markdown, if the application has it. */
const SHOW_RENDERED = 'markdown.showPreview';

/** A file system may not answer. */
const CALL_LIMIT_MS = 90_000;
/** The time for a terminal to report its process. */
const PROCESS_LIMIT_MS = 2_000;

type FilledReport = [text: string, fixes: readonly DiagnosedFix[]];

/** The command that says why a CLI does not connect, and how to fix it: in a Markdown document, which a user can copy. */
@injectable()
export class DoctorContribution implements CommandContribution, LabelProviderContribution, ResourceResolver {
    @inject(DoctorBackend)
    protected readonly backend: Pick<DoctorBackend, 'diagnose'>;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(TerminalService)
    protected readonly terminals: TerminalService;
    @inject(EditorManager)
    protected readonly editors: EditorManager;
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(FixStatus)
    protected readonly fixes: FixStatus;

    /** At first for the tab that Theia restores with the layout. */
    protected text = nls.localize(
        'theia/cli-companion/doctor/again',
        'Run "{0}" to look again.',
        SHARED_COMMANDS.CHECK_CONNECTION.label ?? SHARED_COMMANDS.CHECK_CONNECTION.id
    );
    protected newest: Promise<FilledReport> | undefined;
    /** The editor of the report, and the shell that it is about. */
    protected subject: { widget: EditorWidget; shell: Promise<number | undefined> } | undefined;
    protected connected = '';
    protected readonly onDidChangeTextEmitter = new Emitter<void>();

    @postConstruct()
    protected init(): void {
        this.connection.onDidChangeState(() => void this.refresh());
    }

    registerCommands(commands: CommandRegistry): void {
        commands.registerCommand(SHARED_COMMANDS.CHECK_CONNECTION, { execute: () => this.diagnose() });
    }

    canHandle(element: object): number {
        return element instanceof URI && element.scheme === DIAGNOSIS_SCHEME ? Number.MAX_SAFE_INTEGER : 0;
    }

    getName(): string {
        return nls.localize('theia/cli-companion/doctor/title', 'CLI Connection');
    }

    /** Shows the report, and fills it once the backend has answered. */
    async diagnose(): Promise<void> {
        // Before the report takes the focus, and with it the terminal's place.
        const shell = this.selectedShell();
        this.setText(nls.localize('theia/cli-companion/doctor/running', 'Checking each step that the CLIs take…'));
        const widget = await this.editors.open(REPORT, { mode: 'activate', preview: false });
        const editor = MonacoEditor.get(widget);
        // Its lines are sentences.
        editor?.getControl().updateOptions({ wordWrap: 'on' });
        if (this.subject?.widget !== widget) {
            widget.disposed.connect(() => this.fixes.set([]));
        }
        this.subject = { widget, shell };
        this.connected = this.connections;
        if (await this.fill(shell)) {
            await editor?.document.sync();
            editor?.getControl().setPosition({ lineNumber: 1, column: 1 });
            await this.showRendered();
        }
    }

    /** In front of its source, which stays: the rows of the fixes go with that. */
    protected async showRendered(): Promise<void> {
        if (this.commands.isEnabled(SHOW_RENDERED)) {
            await this.commands.executeCommand(SHOW_RENDERED, REPORT).catch(() => undefined);
        }
    }

    /** Looks again if a CLI has connected or ended since. */
    protected async refresh(): Promise<void> {
        const { subject, connections } = this;
        if (subject && !subject.widget.isDisposed && connections !== this.connected) {
            this.connected = connections;
            await this.fill(subject.shell);
        }
    }

    /** Which CLIs are connected, since when. */
    protected get connections(): string {
        return JSON.stringify(this.connection.state?.status.connections.map(({ displayName, since }) => [displayName, since]));
    }

    /** @returns false if it was asked for again meanwhile */
    protected async fill(shell: Promise<number | undefined>): Promise<boolean> {
        const report = shell.then(pid => this.report(pid));
        this.newest = report;
        const [text, fixes] = await report;
        if (this.newest !== report) {
            return false;
        }
        this.fixes.set(this.subject?.widget.isDisposed ? [] : fixes);
        this.setText(text);
        return true;
    }

    async resolve(uri: URI): Promise<Resource> {
        if (uri.scheme !== DIAGNOSIS_SCHEME) {
            throw new Error(`Not a diagnosis: '${uri.toString()}'`);
        }
        return new ReadOnlyResource(uri, async () => this.text, this.onDidChangeTextEmitter.event);
    }

    protected setText(text: string): void {
        this.text = text;
        this.onDidChangeTextEmitter.fire();
    }

    /** Never rejects. */
    protected async report(shell: number | undefined): Promise<FilledReport> {
        if (this.connection.reloadNeeded) {
            return [`# ${reloadReason()}\n`, []];
        }
        try {
            const diagnosis = await this.connection.ask(() => this.backend.diagnose(shell), CALL_LIMIT_MS, noAnswerText());
            const { markdown, fixes } = new DiagnosisReport(diagnosis);
            return [markdown, fixes];
        } catch (error) {
            return [`${this.connection.failure ?? (error instanceof Error ? error.message : String(error))}\n`, []];
        }
    }

    /** The terminal that the user was in last. */
    protected async selectedShell(): Promise<number | undefined> {
        const terminal = this.terminals.lastUsedTerminal ?? this.terminals.all[0];
        const pid = terminal && (await withTimeLimit(terminal.processId, PROCESS_LIMIT_MS).catch(() => undefined));
        return typeof pid === 'number' && pid > 0 ? pid : undefined;
    }
}
