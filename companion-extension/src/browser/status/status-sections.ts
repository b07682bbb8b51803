// SPDX-License-Identifier: Apache-2.0

import { CommonCommands } from '@theia/core/lib/browser/common-commands';
import { nls } from '@theia/core/lib/common/nls';
import { CompanionProblem } from '../../common/companion-problem';
import { AgentState, AgentStatus, CliConnection, KeptEdit, ReviewInfo, UnconnectedCli, WindowState } from '../../common/companion-protocol';
import { describeProblem, problemText } from '../../common/problem-text';
import { joinSentences, listOf } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { agentName, describeAgent, describeState } from '../agents/agent-words';
import { changesTitle, describeCount, describeTrouble } from '../changes/change-words';
import { CompanionCommands } from '../companion-commands';
import type { WithheldFile } from '../context/context-state';
import { describeKeptTime } from '../review/kept-edit-messages';
import type { CompanionConnection } from '../window/companion-connection';
import { reloadReason } from '../window/restart-watch';
import type { WorkspacePaths } from '../window/workspace-paths';
import { DiagnosedFix } from './diagnosed-fixes';
import type { StatusActions } from './status-actions';
import { copyLabel, describeAge, describeDay, describeTime, ENABLE_COMMAND, listCommands } from '../window/status-words';

/** Whichever of them the application has. */
const GETTING_STARTED = ['companion.sample.gettingStarted', 'getting.started.widget'];
const DAY_MS = 24 * 3_600_000;
/** An idle CLI is among the connected ones. */
const RUNNING: readonly AgentState[] = ['error', 'done', 'working'];
const AGENT_ICONS: Readonly<Record<AgentState, string>> = {
    blocked: 'bell-dot',
    error: 'error',
    done: 'check',
    working: 'sync',
    idle: 'terminal'
};

/** A row of the status list, with its lines of the tooltip. */
export interface StatusRow {
    readonly id: string;
    /** A codicon's name. */
    readonly icon: string;
    readonly label: string;
    readonly description?: string | undefined;
    readonly detail?: string | undefined;
    /** Plain sentences for the tooltip and for screen readers. */
    readonly sentences?: readonly string[];
    /** For screen readers, if it is not label, description and detail. */
    readonly ariaLabel?: string;
    readonly buttons?: readonly RowButton[];
    /** The review that the keys of an answer mean while the row is highlighted. */
    readonly review?: ReviewInfo;
    run(): unknown;
}

export interface RowButton {
    /** A codicon's name, unique among the buttons of one row. */
    readonly icon: string;
    readonly tooltip: string;
    run(): unknown;
}

export interface StatusSection {
    readonly id: 'reload' | 'reviews' | 'changes' | 'agents' | 'edits' | 'off' | 'clis' | 'sharing' | 'problems' | 'fixes' | 'actions';
    /** Empty for a row that needs none. */
    readonly title: string;
    /** A sentence about all rows. */
    readonly sentence?: string;
    readonly rows: readonly StatusRow[];
}

/** The extent of sharing now. Never a text. */
export interface SharingState {
    /** Files are shared with CLIs. */
    on: boolean;
    /** The user has paused sharing in this window. */
    paused: boolean;
    /** The user can pause this window. Otherwise only the settings decide. */
    canPause: boolean;
    /** The user can change what is shared. */
    canToggle: boolean;
    /** How many open files are shared. */
    files: number;
    /** Characters of the selection. */
    selected: number;
    /** Open files that are not shared. */
    withheld: readonly WithheldFile[];
}

/** Everything that the status is made of. */
export interface StatusFacts {
    readonly connection: Pick<CompanionConnection, 'state' | 'failure' | 'connected' | 'reloadNeeded'>;
    /** The oldest first. */
    readonly reviews: readonly ReviewInfo[];
    /** The changes of a review, in words; empty while no diff of it is open. */
    readonly changesOf: (reviewId: string) => string;
    /** The programs in the terminals of this page. */
    readonly agents: readonly AgentStatus[];
    readonly edits: readonly KeptEdit[];
    readonly sharing: SharingState;
    /** Problems of the page. Those of the backend are in its state. */
    readonly problems: readonly CompanionProblem[];
    readonly fixes: readonly DiagnosedFix[];
    /** In milliseconds since the epoch. */
    readonly now: number;
}

/** Makes the rows of the status: of reviews, kept edits, CLIs, sharing, problems and actions. The list and the tooltip show the same ones. */
export class StatusSections {
    constructor(
        protected readonly paths: Pick<WorkspacePaths, 'display' | 'name'>,
        protected readonly actions: Pick<StatusActions, keyof StatusActions>
    ) {}

    of(facts: StatusFacts): StatusSection[] {
        const { connection, reviews, agents, edits, sharing, now } = facts;
        const { state, reloadNeeded } = connection;
        const isOff = state?.status.state === 'disabled';
        const sections: StatusSection[] = [
            // The browser asks about unsaved text first.
            { id: 'reload', title: '', rows: reloadNeeded ? [this.reload()] : [] },
            {
                id: 'reviews',
                title: nls.localize('theia/cli-companion/status/waiting', 'Waiting for you'),
                rows: [
                    ...reviews.map(review => this.review(review, facts)),
                    ...waitingWithoutProposal(facts).map(agent => this.agent(agent, now))
                ]
            },
            { id: 'changes', title: changesTitle(), rows: this.changes(state, agents.length > 0) },
            {
                id: 'agents',
                title: nls.localize('theia/cli-companion/status/agents', 'Working and finished'),
                rows: agents.filter(agent => this.isListed(agent, state)).map(agent => this.agent(agent, now))
            },
            this.edits(edits, now),
            isOff
                ? { id: 'off', title: nls.localize('theia/cli-companion/status/disabled', 'Companion off'), rows: [this.turnOn()] }
                : this.clis(state),
            {
                id: 'sharing',
                title: nls.localize('theia/cli-companion/status/sharing', 'Sharing'),
                rows: isOff ? [] : this.sharing(sharing)
            },
            {
                id: 'problems',
                title: nls.localize('theia/cli-companion/status/problems', 'Problems'),
                rows: this.problems(facts)
            },
            {
                id: 'fixes',
                title: nls.localize('theia/cli-companion/status/fixes', 'Fixes that the diagnosis found'),
                rows: facts.fixes.map(fix => this.fix(fix))
            },
            {
                id: 'actions',
                title: nls.localize('theia/cli-companion/status/actions', 'Actions'),
                rows: this.lastRows(state)
            }
        ];
        return sections.filter(({ rows, sentence }) => rows.length > 0 || sentence !== undefined);
    }

    protected reload(): StatusRow {
        const reason = reloadReason();
        const label = nls.localize('theia/cli-companion/status/reload', 'Reload This Page');
        return { id: 'reload', icon: 'refresh', label, detail: reason, sentences: [reason], run: () => this.actions.reloadPage() };
    }

    protected turnOn(): StatusRow {
        return {
            id: 'turnOn',
            icon: 'plug',
            label: nls.localize('theia/cli-companion/status/turnOn', 'Turn On the Companion'),
            detail: nls.localize(
                'theia/cli-companion/status/turnOnDetail',
                'Then type {0} in CLIs that are already running.',
                ENABLE_COMMAND
            ),
            sentences: [
                nls.localize(
                    'theia/cli-companion/status/disabledHint',
                    'CLIs cannot connect to this window. Turn on the preference {0}.',
                    'companion.enabled'
                )
            ],
            run: () => this.actions.turnOn()
        };
    }

    protected review(review: ReviewInfo, { now, changesOf }: StatusFacts): StatusRow {
        const { id, path, cliName, openedAt } = review;
        const display = this.paths.display(path);
        const label = this.paths.name(path);
        const age = describeAge(now - openedAt);
        return {
            id,
            icon: 'git-compare',
            label,
            description: cliName,
            detail: [display, changesOf(id), age].filter(Boolean).join(' · '),
            sentences: [nls.localize('theia/cli-companion/status/reviewOf', 'Waiting: {0} ({1})', display, cliName)],
            ariaLabel: nls.localize(
                'theia/cli-companion/status/reviewItem',
                '{0}, proposed by {1}, {2}, {3}',
                label,
                cliName,
                age,
                display
            ),
            buttons: [
                { icon: 'check', tooltip: CompanionCommands.ACCEPT_REVIEW.label ?? '', run: () => this.actions.acceptReview(review) },
                { icon: 'circle-slash', tooltip: CompanionCommands.REJECT_REVIEW.label ?? '', run: () => this.actions.rejectReview(review) }
            ],
            review,
            run: () => this.actions.openReview(review)
        };
    }

    /** That the user wants no list is said only while it would have something. */
    protected changes(state: WindowState | undefined, hasAgent: boolean): StatusRow[] {
        const count = state?.changes.count ?? 0;
        const label = describeCount(count);
        const run = (): void => this.actions.runCommand(CompanionCommands.SHOW_CHANGES.id);
        const known = state?.changes.trouble;
        const trouble = known && (known.code !== 'off' || hasAgent) ? describeTrouble(known) : undefined;
        const line = trouble && visibleText(joinSentences([trouble.what, trouble.advice]));
        return [
            ...(count > 0 ? [{ id: 'changes', icon: 'git-pull-request-draft', label, sentences: [label], run }] : []),
            ...(trouble && line
                ? [{ id: 'changes trouble', icon: 'info', label: trouble.what, detail: trouble.advice, sentences: [line], run }]
                : [])
        ];
    }

    /** One that says nothing runs, and may be among the connected ones. */
    protected isListed({ state, isSilent, name }: AgentStatus, window: WindowState | undefined): boolean {
        return (
            RUNNING.includes(state) || (isSilent === true && !window?.status.connections.some(({ displayName }) => displayName === name))
        );
    }

    protected agent(agent: AgentStatus, now: number): StatusRow {
        const { shell, state, message, since } = agent;
        return {
            id: `agent ${shell}`,
            icon: AGENT_ICONS[state],
            label: agentName(agent),
            description: `${describeState(agent)} · ${describeAge(now - since)}`,
            detail: message,
            sentences: [describeAgent(agent)],
            run: () => this.actions.openAgent(agent)
        };
    }

    protected edits(edits: readonly KeptEdit[], now: number): StatusSection {
        return {
            id: 'edits',
            title: nls.localize('theia/cli-companion/status/keptEdits', 'Your edits that were not written'),
            ...(edits.length > 0 && {
                sentence: nls.localize('theia/cli-companion/status/droppedCount', 'Your edits that were not written: {0}', edits.length)
            }),
            rows: edits.map(edit => {
                const until = describeDay(now + edit.daysLeft * DAY_MS);
                return {
                    id: `edit ${edit.id}`,
                    icon: 'edit',
                    label: this.paths.name(edit.path),
                    description: `${edit.cliName} · ${describeKeptTime(edit)}`,
                    detail: `${this.paths.display(edit.path)} · ${nls.localize('theia/cli-companion/edits/until', 'kept until {0}', until)}`,
                    buttons: [
                        {
                            icon: 'trash',
                            tooltip: nls.localize('theia/cli-companion/edits/discard', 'Discard'),
                            run: () => this.actions.discardEdit(edit)
                        }
                    ],
                    run: () => this.actions.showEdit(edit)
                };
            })
        };
    }

    /** Where no CLI is connected, the rows that start one. */
    protected clis(state: WindowState | undefined): StatusSection {
        const { connections = [], disconnectedClis = [], clis = [] } = state?.status ?? {};
        const rows = [...connections.map(connection => this.cli(connection)), ...disconnectedClis.map(cli => this.unconnectedCli(cli))];
        if (connections.length > 0) {
            return { id: 'clis', title: nls.localize('theia/cli-companion/status/connectedClis', 'Connected CLIs'), rows };
        }
        return {
            id: 'clis',
            title: nls.localize('theia/cli-companion/status/noConnections', 'No CLI is connected to this window'),
            ...(state && {
                sentence: nls.localize(
                    'theia/cli-companion/status/ready',
                    'Ready. Start {0} in a terminal of this window.',
                    listCommands(clis)
                )
            }),
            rows: [...rows, ...this.runs(state)]
        };
    }

    protected cli({ displayName, folder, since, unaskedMode }: CliConnection): StatusRow {
        const where = folder === undefined ? undefined : this.paths.display(folder);
        const time = describeTime(since);
        const unasked =
            unaskedMode &&
            nls.localize(
                'theia/cli-companion/status/unaskedText',
                '{0} is in {1} mode: it writes files without asking.',
                displayName,
                unaskedMode
            );
        const connected =
            where === undefined
                ? nls.localize('theia/cli-companion/status/since', '{0}: since {1}.', displayName, time)
                : nls.localize('theia/cli-companion/status/sinceIn', '{0}: in {1}, since {2}.', displayName, where, time);
        return {
            id: `cli ${displayName}`,
            icon: unasked ? 'unlock' : 'terminal',
            label: displayName,
            description: [where, nls.localize('theia/cli-companion/status/connectedSince', 'since {0}', time)].filter(Boolean).join(' · '),
            detail: unasked,
            sentences: unasked ? [connected, unasked] : [connected],
            run: () => this.actions.revealTerminal(displayName)
        };
    }

    /** A CLI that runs without a connection. */
    protected unconnectedCli(cli: UnconnectedCli): StatusRow {
        const { cliId, connectCommand, folder } = cli;
        const label = unconnectedText(cli);
        const detail =
            folder !== undefined
                ? nls.localize('theia/cli-companion/status/openItsFolder', 'Start it again in an open folder. Or Enter opens that one.')
                : connectCommand === undefined
                  ? nls.localize('theia/cli-companion/status/startAgain', 'Start it again in a new terminal.')
                  : nls.localize('theia/cli-companion/status/typesConnect', 'Enter types {0} into its prompt.', connectCommand);
        return {
            id: `disconnected ${cliId}`,
            icon: 'debug-disconnect',
            label,
            detail,
            sentences: [joinSentences([label, detail])],
            run: () => (folder === undefined ? this.actions.connectCli(cli) : this.actions.openFolder(folder))
        };
    }

    protected sharing(state: SharingState): StatusRow[] {
        const text = sharingText(state);
        const report = this.commandRow(CompanionCommands.SHOW_CONTEXT.id, state.on ? 'eye' : 'eye-closed', text);
        const row = report && { ...report, sentences: [text] };
        const toggle = state.canToggle ? this.toggle(state, row ? undefined : text) : undefined;
        const withheld = state.on ? state.withheld : [];
        return [row, ...withheld.map(file => this.withheld(file)), toggle].filter(each => each !== undefined);
    }

    protected withheld({ path, rule, isActive }: WithheldFile): StatusRow {
        const display = this.paths.display(path);
        const label = this.paths.name(path);
        const sentence =
            rule === undefined
                ? nls.localize('theia/cli-companion/status/withheld', 'Withheld: {0}', display)
                : nls.localize('theia/cli-companion/status/withheldBy', 'Withheld: {0} ({1})', display, rule);
        return {
            id: `withheld ${path}`,
            icon: 'eye-closed',
            label,
            description: nls.localize('theia/cli-companion/status/isWithheld', 'withheld'),
            detail: rule === undefined ? display : display === label ? rule : `${display} (${rule})`,
            sentences: isActive ? [sentence] : [],
            run: () => this.actions.showRule(rule)
        };
    }

    /** @param detail what is shared, if no other row says it */
    protected toggle({ on, paused, canPause }: SharingState, detail: string | undefined): StatusRow {
        const stop = canPause
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
            sentences: detail === undefined ? [] : [detail],
            run: () => this.actions.runCommand(CompanionCommands.TOGGLE_SHARING.id)
        };
    }

    /** A row cuts long sentences: Enter shows them whole, with the fix. */
    protected problems({ connection: { failure, state }, problems: ofPage }: StatusFacts): StatusRow[] {
        const problems = [...(state?.status.problems ?? []), ...ofPage].map(problem => {
            const { what, why, advice, command } = describeProblem(problem);
            return { what, detail: joinSentences([why, advice]), line: problemText(problem), command };
        });
        const failures = failure === undefined ? [] : [{ what: failure, detail: undefined, line: failure, command: undefined }];
        return [...failures, ...problems].map(({ what, detail, line, command }) => ({
            id: `problem ${line}`,
            icon: 'warning',
            label: what,
            detail,
            sentences: [line],
            ariaLabel: line,
            ...(command !== undefined && { buttons: [{ icon: 'copy', tooltip: copyLabel(), run: () => this.actions.copy(command) }] }),
            run: () => this.actions.tellProblem(line, command)
        }));
    }

    protected fix(fix: DiagnosedFix): StatusRow {
        const { cliId, displayName, command } = fix;
        return {
            id: `fix ${cliId} ${command}`,
            icon: 'wrench',
            label: visibleText(command),
            description: displayName,
            detail: nls.localize('theia/cli-companion/status/typesFix', 'Enter types it into the terminal that was examined.'),
            run: () => this.actions.typeFix(fix)
        };
    }

    protected lastRows(state: WindowState | undefined): StatusRow[] {
        const { connections = [], state: stateOf } = state?.status ?? {};
        return [
            ...(connections.length > 0 || stateOf === 'disabled' ? this.runs(state) : []),
            this.commandRow(CompanionCommands.CHECK_CONNECTION.id, 'pulse'),
            this.commandRow(CompanionCommands.SHOW_LOG.id, 'output'),
            this.actions.labelOf(CommonCommands.OPEN_PREFERENCES.id) && this.commandRow(CompanionCommands.OPEN_SETTINGS.id, 'gear'),
            GETTING_STARTED.map(id => this.commandRow(id, 'book')).find(row => row !== undefined)
        ].filter(row => typeof row === 'object');
    }

    protected runs(state: WindowState | undefined): StatusRow[] {
        return (state?.status.clis ?? []).flatMap(cli => this.commandRow(CompanionCommands.run(cli).id, 'play') ?? []);
    }

    /** @returns `undefined` if the application has no such command */
    protected commandRow(id: string, icon: string, label?: string, ...parameters: unknown[]): StatusRow | undefined {
        const ownLabel = this.actions.labelOf(id);
        return ownLabel === undefined
            ? undefined
            : { id: `command ${id}`, icon, label: label ?? ownLabel, run: () => this.actions.runCommand(id, ...parameters) };
    }
}

/** Those that wait, and whose proposal no row of its own has. */
export function waitingWithoutProposal({ agents, reviews }: Pick<StatusFacts, 'agents' | 'reviews'>): AgentStatus[] {
    return agents.filter(({ state, reviewId }) => state === 'blocked' && !reviews.some(({ id }) => id === reviewId));
}

/** For the status bar, too. */
export function unconnectedText({ displayName, folder }: UnconnectedCli): string {
    return folder === undefined
        ? nls.localize('theia/cli-companion/status/runsHere', '{0} runs here, not connected', displayName)
        : nls.localize('theia/cli-companion/status/runsElsewhere', '{0} runs in {1}, which is not an open folder', displayName, folder);
}

/** The extent of sharing in one sentence. */
function sharingText({ on, paused, files, selected }: SharingState): string {
    if (!on) {
        return paused
            ? nls.localize('theia/cli-companion/status/notSharingHere', 'Sharing is paused in this window: CLIs see no files.')
            : nls.localize('theia/cli-companion/status/notSharing', 'Open files and selection are not shared.');
    }
    const count =
        files === 1
            ? nls.localize('theia/cli-companion/status/sharedFile', '1 open file')
            : nls.localize('theia/cli-companion/status/sharedFiles', '{0} open files', files);
    return selected === 0
        ? nls.localize('theia/cli-companion/status/shared', 'Shared: {0}, nothing selected.', count)
        : nls.localize('theia/cli-companion/status/sharedSelection', 'Shared: {0}, characters selected: {1}.', count, selected);
}

/** The row's texts for a screen reader. */
export function spokenRow({ ariaLabel, label, description, detail }: StatusRow): string {
    return ariaLabel ?? listOf([label, description, detail].flatMap(text => text || []));
}
