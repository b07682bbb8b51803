// SPDX-License-Identifier: Apache-2.0

import { CommonCommands } from '@theia/core/lib/browser/common-commands';
import { ClipboardService } from '@theia/core/lib/browser/clipboard-service';
import { codicon, codiconArray } from '@theia/core/lib/browser/widgets/widget';
import { WindowService } from '@theia/core/lib/browser/window/window-service';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { QuickInputButton, QuickPickItem, QuickPickSeparator } from '@theia/core/lib/common/quick-pick-service';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { isCompanionEnabled } from '../../common/companion-preferences';
import { CliConnection } from '../../common/companion-protocol';
import { plainText, withoutIcons } from '../../common/plain-text';
import { joinSentences, listOf } from '../../common/sentences';
import { CompanionCommands } from '../companion-commands';
import { ContextFilter } from '../context/context-filter';
import { ContextTracker } from '../context/context-tracker';
import { describeKeptTime } from '../review/kept-edit-messages';
import { KeptEdits } from '../review/kept-edits';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { ENABLE_COMMAND, SharingState, StatusRow, StatusRows } from './status-rows';
import { copyLabel } from './status-text';

const ENABLED = 'companion.enabled';
const EXCLUDE = 'companion.context.exclude';
/** Whichever of them the application has. */
const GETTING_STARTED = ['companion.sample.gettingStarted', 'getting.started.widget'];

/** A row of the list; every row does something. */
export interface Row extends Omit<StatusRow, 'sentences'> {
    readonly buttons?: RowButton[];
    run(): unknown;
}

/** A button beside a row. `iconClass` is unique among the buttons of one row. */
export interface RowButton extends QuickInputButton {
    iconClass: string;
    run(): unknown;
}

/** The entries of the status list. */
export interface ListItem extends QuickPickItem {
    buttons?: RowButton[];
}

/** What the status list offers below the waiting reviews. */
@injectable()
export class StatusList {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ContextFilter)
    protected readonly filter: ContextFilter;
    @inject(ContextTracker)
    protected readonly tracker: ContextTracker;
    @inject(WorkspacePaths)
    readonly paths: WorkspacePaths;
    @inject(CliTerminals)
    protected readonly cliTerminals: CliTerminals;
    @inject(KeptEdits)
    protected readonly keptEdits: KeptEdits;
    @inject(CommandRegistry)
    protected readonly commands: CommandRegistry;
    @inject(PreferenceService)
    protected readonly preferences: PreferenceService;
    @inject(WindowService)
    protected readonly windows: WindowService;
    @inject(ClipboardService)
    protected readonly clipboard: ClipboardService;
    @inject(MessageService)
    protected readonly messages: MessageService;

    rows: StatusRows;
    protected terminals: readonly OpenCliTerminal[] = [];

    @postConstruct()
    protected init(): void {
        this.rows = new StatusRows(this.paths);
    }

    /** Asks the backend for what it knows now. */
    refresh(): void {
        this.connection.refresh();
    }

    /** Looks for the terminals of the connected CLIs, whose names the rows then show. Never rejects. */
    async findTerminals(): Promise<void> {
        this.terminals = await this.cliTerminals.find();
    }

    get sharing(): SharingState {
        const files = this.tracker.shared.workspaceState?.openFiles ?? [];
        const selected = files.find(({ isActive }) => isActive)?.selectedText?.length ?? 0;
        const { sharing: on, paused = false, problems = [] } = this.filter;
        return { on, paused, files: files.length, selected, withheld: this.tracker.withheld, problems };
    }

    items(): Array<ListItem | QuickPickSeparator> {
        const isOff = this.connection.state?.status.state === 'disabled';
        return [
            // Asks about unsaved text first.
            ...(this.connection.reloadNeeded ? [this.item({ ...StatusRows.reload(), run: () => this.windows.reload() })] : []),
            ...this.section(nls.localize('theia/cli-companion/status/keptEdits', 'Your edits that were not written'), this.edits()),
            ...(isOff
                ? this.section(nls.localize('theia/cli-companion/status/disabled', 'Companion off'), [
                      { ...StatusRows.turnOn(), run: () => this.turnOn() }
                  ])
                : this.clis()),
            ...(isOff ? [] : this.section(nls.localize('theia/cli-companion/status/sharing', 'Sharing'), this.shared())),
            ...this.problems(),
            ...this.section(nls.localize('theia/cli-companion/status/actions', 'Actions'), this.actions())
        ];
    }

    /** Shows the texts of the row as they are. */
    item({ id, icon, label, description, detail, buttons, run }: Row): ListItem {
        const texts = [label, description, detail].map(text => text && withoutIcons(text));
        return {
            id,
            iconClasses: codiconArray(icon),
            label: texts[0] ?? '',
            ...(texts[1] && { description: texts[1] }),
            ...(texts[2] && { detail: texts[2] }),
            ...(buttons && { buttons }),
            ariaLabel: listOf(texts.flatMap(text => text || [])),
            execute: () => void run()
        };
    }

    protected section(label: string, rows: readonly Row[]): Array<ListItem | QuickPickSeparator> {
        return section(
            label,
            rows.map(row => this.item(row))
        );
    }

    /** Turns the companion on in the settings that turned it off, the user's or the workspace's, and says so. */
    async turnOn(): Promise<void> {
        const { workspaceValue = true } = this.preferences.inspect(ENABLED) ?? {};
        if (workspaceValue !== true) {
            await this.preferences.set(ENABLED, true, PreferenceScope.Workspace);
        }
        if (!isCompanionEnabled(this.preferences)) {
            await this.preferences.set(ENABLED, true, PreferenceScope.User);
        }
        const isOn = isCompanionEnabled(this.preferences);
        const turnedOn = nls.localize(
            'theia/cli-companion/status/turnedOn',
            'The companion is on. To connect a CLI that is already running, type {0} in it.',
            ENABLE_COMMAND
        );
        const staysOff = nls.localize(
            'theia/cli-companion/status/staysOff',
            'The companion is still off: the IDE was started with {0} set to false.',
            ENABLED
        );
        this.messages.info(plainText(isOn ? turnedOn : staysOff));
    }

    protected edits(): Row[] {
        return this.keptEdits.all.map(edit => ({
            ...this.rows.edit(edit, describeKeptTime(edit)),
            buttons: [
                {
                    iconClass: codicon('trash'),
                    tooltip: nls.localize('theia/cli-companion/edits/discard', 'Discard'),
                    run: () => this.keptEdits.discard(edit)
                }
            ],
            run: () => this.keptEdits.show(edit)
        }));
    }

    /** Where none is connected, what starts one. */
    protected clis(): Array<ListItem | QuickPickSeparator> {
        const { connections = [], disconnectedClis = [] } = this.connection.state?.status ?? {};
        const rows = [...connections.map(connection => this.cli(connection)), ...disconnectedClis.map(name => this.disconnected(name))];
        return connections.length > 0
            ? this.section(nls.localize('theia/cli-companion/status/connectedClis', 'Connected CLIs'), rows)
            : this.section(nls.localize('theia/cli-companion/status/noConnections', 'No CLI is connected to this window'), [
                  ...rows,
                  ...this.runs()
              ]);
    }

    protected cli(connection: CliConnection): Row {
        const { displayName } = connection;
        const title = this.terminals.find(terminal => terminal.displayName === displayName)?.widget.title.label;
        return { ...this.rows.cli(connection, isName(title) ? title : undefined), run: () => this.revealTerminal(displayName) };
    }

    protected async revealTerminal(cliName: string): Promise<void> {
        await this.findTerminals();
        const terminal = this.terminals.find(({ displayName }) => displayName === cliName);
        if (terminal) {
            await this.cliTerminals.reveal(terminal);
        } else {
            this.messages.info(
                plainText(
                    nls.localize(
                        'theia/cli-companion/status/noTerminal',
                        'No terminal in this window shows {0}. It runs in another window, in the background, or in a terminal multiplexer.',
                        cliName
                    )
                )
            );
        }
    }

    protected disconnected(cliName: string): Row {
        const row = this.rows.disconnected(cliName);
        return {
            ...row,
            run: async () => {
                await this.clipboard.writeText(ENABLE_COMMAND);
                this.messages.info(plainText(joinSentences(row.sentences)));
            }
        };
    }

    protected shared(): Row[] {
        const { sharing } = this;
        const { icon, label } = this.rows.sharing(sharing);
        const report = this.commandRow(CompanionCommands.SHOW_CONTEXT.id, icon, label);
        return [
            ...(report ? [report] : []),
            ...(sharing.on ? sharing.withheld : []).map(file => ({ ...this.rows.withheld(file), run: () => this.showRule(file.rule) })),
            ...((this.filter.setPaused ?? this.filter.setSharing) ? [this.toggle(sharing, report ? undefined : label)] : [])
        ];
    }

    protected toggle({ on, paused }: SharingState, detail: string | undefined): Row {
        const stop = this.filter.setPaused
            ? nls.localize('theia/cli-companion/status/pauseSharing', 'Pause Sharing in This Window')
            : nls.localize('theia/cli-companion/status/stopSharing', 'Stop Sharing Open Files and Selection');
        const start = paused
            ? nls.localize('theia/cli-companion/status/resumeSharing', 'Resume Sharing in This Window')
            : nls.localize('theia/cli-companion/status/startSharing', 'Share Open Files and Selection');
        return {
            id: 'toggleSharing',
            icon: on ? 'debug-pause' : 'debug-continue',
            label: on ? stop : start,
            detail,
            run: () => this.commands.executeCommand(CompanionCommands.TOGGLE_SHARING.id)
        };
    }

    protected showRule(rule: string | undefined): Promise<unknown> {
        return this.commands.getCommand(CompanionCommands.SHOW_CONTEXT.id) && !rule?.startsWith(EXCLUDE)
            ? this.commands.executeCommand(CompanionCommands.SHOW_CONTEXT.id)
            : this.commands.executeCommand(CommonCommands.OPEN_PREFERENCES.id, EXCLUDE);
    }

    protected problems(): Array<ListItem | QuickPickSeparator> {
        const { failure, state } = this.connection;
        const problems = [...(state?.status.problems ?? []), ...this.sharing.problems];
        const rows = [
            ...(failure === undefined ? [] : [this.rows.failure(failure)]),
            ...problems.map(problem => this.rows.problem(problem))
        ];
        return section(
            nls.localize('theia/cli-companion/status/problems', 'Problems'),
            rows.map(row => this.problem(row))
        );
    }

    /** A row cuts long sentences: Enter shows them whole, with the fix. */
    protected problem(row: StatusRow): ListItem {
        const { command } = row;
        const line = joinSentences(row.sentences);
        const copy = { iconClass: codicon('copy'), tooltip: copyLabel(), run: () => this.clipboard.writeText(command ?? '') };
        const item = this.item({
            ...row,
            ...(command !== undefined && { buttons: [copy] }),
            run: () => this.tellProblem(line, command)
        });
        return { ...item, ariaLabel: line };
    }

    protected async tellProblem(line: string, command: string | undefined): Promise<void> {
        const { label: diagnose } = this.commands.getCommand(CompanionCommands.CHECK_CONNECTION.id) ?? {};
        const actions = [command === undefined ? undefined : copyLabel(), diagnose].filter(action => action !== undefined);
        const answer = await this.messages.warn(plainText(line), { timeout: 0 }, ...actions);
        if (answer !== undefined && answer === diagnose) {
            await this.commands.executeCommand(CompanionCommands.CHECK_CONNECTION.id);
        } else if (answer !== undefined && command !== undefined) {
            await this.clipboard.writeText(command);
        }
    }

    protected actions(): Row[] {
        const { connections = [], state } = this.connection.state?.status ?? {};
        const rows: Array<Row | undefined> = [
            ...(connections.length > 0 || state === 'disabled' ? this.runs() : []),
            this.commandRow(CompanionCommands.CHECK_CONNECTION.id, 'pulse'),
            this.commandRow(CompanionCommands.SHOW_LOG.id, 'output'),
            this.commandRow(
                CommonCommands.OPEN_PREFERENCES.id,
                'gear',
                nls.localize('theia/cli-companion/status/openSettings', 'Companion Settings'),
                'companion.'
            ),
            GETTING_STARTED.map(id => this.commandRow(id, 'book')).find(row => row !== undefined)
        ];
        return rows.filter(row => row !== undefined);
    }

    protected runs(): Row[] {
        return (this.connection.state?.status.clis ?? []).flatMap(cli => this.commandRow(CompanionCommands.run(cli).id, 'play') ?? []);
    }

    /** @returns `undefined` if the application has no such command */
    protected commandRow(id: string, icon: string, label?: string, ...parameters: unknown[]): Row | undefined {
        const command = this.commands.getCommand(id);
        return (
            command && {
                id: `command ${id}`,
                icon,
                label: label ?? command.label ?? id,
                run: () => this.commands.executeCommand(id, ...parameters)
            }
        );
    }
}

/** Items below their title; nothing if there are none. */
export function section(label: string, items: readonly ListItem[]): Array<ListItem | QuickPickSeparator> {
    return items.length === 0 ? [] : [{ type: 'separator', label }, ...items];
}

/** A CLI may make a single sign its terminal's title. */
function isName(title: string | undefined): title is string {
    return title !== undefined && /\p{L}/u.test(title);
}
