// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CompanionProblem } from '../../common/companion-problem';
import { CliConnection, CompanionStatus, StartableCli, WindowState } from '../../common/companion-protocol';
import { IdeContext } from '../../common/ide-context';
import { withoutIcons } from '../../common/plain-text';
import { problemText } from '../../common/problem-text';
import { visibleText } from '../../common/visible-text';
import { ContextFilter } from '../context/context-filter';
import { WithheldFile } from '../context/context-state';

/** In characters, in a window of 900 pixels. */
const ROOM_FOR_NAMES = 30;

export interface StatusView {
    /** For the status bar; `$(…)` is an icon. */
    text: string;
    /** Plain sentences. */
    tooltip: readonly string[];
    /** For screen readers, which read this instead of text and tooltip. */
    label: string;
    isProblem: boolean;
}

/** What CLIs may learn of the editors now. Never a text. */
export interface SharingState {
    /** CLIs may learn of files. */
    on: boolean;
    /** The user has paused sharing in this window. */
    paused: boolean;
    /** How many open files CLIs learn of. */
    files: number;
    /** Characters of the selection. */
    selected: number;
    /** Open files that CLIs do not learn of. */
    withheld: readonly WithheldFile[];
    /** What is wrong with the settings on sharing. */
    problems: readonly CompanionProblem[];
}

/** What the user calls a file or a folder. */
type Display = (path: string) => string;

export interface StatusInput {
    state: WindowState | undefined;
    /** Why the backend cannot be reached. */
    failure: string | undefined;
    /** The backend was restarted, and lets this page in only after a reload. */
    reloadNeeded?: boolean;
    sharing: SharingState;
    readonly display: Display;
}

/** What the status bar says about the companion. */
export function describeStatus(input: StatusInput): StatusView {
    const { state, failure, reloadNeeded } = input;
    if (reloadNeeded) {
        return view('warning', nls.localize('theia/cli-companion/status/reloadNeeded', 'Reload needed'), [reloadReason()], true);
    }
    if (failure !== undefined) {
        return view('warning', nls.localize('theia/cli-companion/status/unreachable', 'Companion unreachable'), [failure], true);
    }
    if (!state) {
        return view('plug', title(), [nls.localize('theia/cli-companion/status/starting', 'The companion is starting.')], false);
    }
    const problems = problemsOf(input, state).map(problemText);
    switch (state.status.state) {
        case 'disabled':
            return view(
                'circle-slash',
                nls.localize('theia/cli-companion/status/disabled', 'Companion off'),
                [offText(), ...problems],
                false
            );
        case 'failed':
            return view('warning', nls.localize('theia/cli-companion/status/failed', 'Companion failed'), problems, true);
        case 'ready':
            return view(
                iconOf(input, state),
                summaryOf(input, state),
                [
                    ...whoIsConnected(state, input.display),
                    ...problems,
                    ...whatWaits(state, input.display),
                    ...whatIsShared(input),
                    ...(state.status.strandedClis ?? []).map(strandedText)
                ],
                problems.length > 0
            );
    }
}

/** The icon of what matters most. */
function iconOf(input: StatusInput, state: WindowState): string {
    if (state.reviews.length > 0) {
        return 'git-compare';
    }
    return problemsOf(input, state).length > 0 ? 'warning' : (surprises(input, state.status)[0]?.icon ?? 'plug');
}

function problemsOf({ sharing }: StatusInput, { status }: WindowState): CompanionProblem[] {
    return [...status.problems, ...sharing.problems];
}

/** There is room for one surprise. The tooltip has all. */
function summaryOf(input: StatusInput, { reviews, keptDrafts, status }: WindowState): string {
    const { connections } = status;
    const parts = [
        connections.length > 0
            ? nls.localize('theia/cli-companion/status/connected', '{0} connected', listConnections(connections))
            : title()
    ];
    if (reviews.length > 0) {
        parts.push(
            reviews.length === 1
                ? nls.localize('theia/cli-companion/status/oneReview', '1 proposal waiting')
                : nls.localize('theia/cli-companion/status/reviews', '{0} proposals waiting', reviews.length)
        );
    }
    if (keptDrafts.length > 0) {
        parts.push(
            keptDrafts.length === 1
                ? nls.localize('theia/cli-companion/status/oneEdit', '1 edit kept')
                : nls.localize('theia/cli-companion/status/editsKept', '{0} edits kept', keptDrafts.length)
        );
    }
    return [
        ...parts,
        ...surprises(input, status)
            .slice(0, 1)
            .map(({ text }) => text)
    ].join(nls.localize('theia/cli-companion/status/comma', ', '));
}

/** What the user may not expect, the most important first. */
function surprises({ sharing }: StatusInput, status: CompanionStatus): Array<{ icon: string; text: string }> {
    const found: Array<{ icon: string; text: string }> = [];
    if (!sharing.on) {
        const paused = nls.localize('theia/cli-companion/status/sharingPaused', 'sharing paused');
        const off = nls.localize('theia/cli-companion/status/sharingOff', 'sharing off');
        found.push({ icon: 'debug-pause', text: sharing.paused ? paused : off });
    }
    if (isActiveWithheld(sharing, status)) {
        found.push({ icon: 'eye-closed', text: nls.localize('theia/cli-companion/status/activeWithheld', 'active file withheld') });
    }
    if (status.connections.some(({ unaskedMode }) => unaskedMode !== undefined)) {
        found.push({ icon: 'unlock', text: nls.localize('theia/cli-companion/status/unasked', 'edits without review') });
    }
    return found;
}

/** Of interest only while somebody is there to learn of it. */
function isActiveWithheld({ on, withheld }: SharingState, { connections }: CompanionStatus): boolean {
    return on && connections.length > 0 && withheld.some(({ isActive }) => isActive);
}

function whoIsConnected({ status }: WindowState, display: Display): string[] {
    if (status.connections.length === 0) {
        return [
            nls.localize('theia/cli-companion/status/ready', 'Ready. Start {0} in a terminal of this window.', listCommands(status.clis))
        ];
    }
    return status.connections.flatMap(({ displayName, folder, since, unaskedMode }) => [
        folder === undefined
            ? nls.localize('theia/cli-companion/status/since', '{0}: since {1}.', displayName, describeTime(since))
            : nls.localize(
                  'theia/cli-companion/status/sinceIn',
                  '{0}: in {1}, since {2}.',
                  displayName,
                  display(folder),
                  describeTime(since)
              ),
        ...(unaskedMode === undefined ? [] : [unaskedText(displayName, unaskedMode)])
    ]);
}

function whatWaits({ reviews, reviewsElsewhere, keptDrafts }: WindowState, display: Display): string[] {
    const lines = reviews.map(({ cliName, path }) =>
        nls.localize('theia/cli-companion/status/reviewOf', 'Waiting: {0} ({1})', display(path), cliName)
    );
    if (reviewsElsewhere.length > 0) {
        lines.push(nls.localize('theia/cli-companion/status/elsewhereCount', 'Waiting in other windows: {0}', reviewsElsewhere.length));
    }
    if (keptDrafts.length > 0) {
        lines.push(nls.localize('theia/cli-companion/status/droppedCount', 'Your edits that were not written: {0}', keptDrafts.length));
    }
    return lines;
}

function whatIsShared({ sharing, display }: StatusInput): string[] {
    const withheld = sharing.on ? sharing.withheld.filter(({ isActive }) => isActive) : [];
    return [sharingText(sharing), ...withheld.map(file => withheldText(file, display))];
}

/** @param shared what CLIs may learn now */
export function sharingState(
    filter: Pick<ContextFilter, 'sharing' | 'paused' | 'problems'>,
    shared: IdeContext,
    withheld: readonly WithheldFile[]
): SharingState {
    const files = shared.workspaceState?.openFiles ?? [];
    const selected = files.find(({ isActive }) => isActive)?.selectedText?.length ?? 0;
    const { sharing: on, paused = false, problems = [] } = filter;
    return { on, paused, files: files.length, selected, withheld, problems };
}

/** What CLIs learn of the editors, in one sentence. */
export function sharingText({ on, paused, files, selected }: SharingState): string {
    if (!on) {
        return paused
            ? nls.localize('theia/cli-companion/status/notSharingHere', 'Sharing is paused in this window: CLIs see no files.')
            : nls.localize('theia/cli-companion/status/notSharing', 'Open files and selection are not shared.');
    }
    if (files === 0) {
        return nls.localize('theia/cli-companion/status/sharedNothing', 'Shared: no open files.');
    }
    const count =
        files === 1
            ? nls.localize('theia/cli-companion/status/sharedFile', '1 open file')
            : nls.localize('theia/cli-companion/status/sharedFiles', '{0} open files', files);
    if (selected === 1) {
        return nls.localize('theia/cli-companion/status/sharedCharacter', 'Shared: {0}, 1 character selected.', count);
    }
    return selected === 0
        ? nls.localize('theia/cli-companion/status/shared', 'Shared: {0}, nothing selected.', count)
        : nls.localize('theia/cli-companion/status/sharedSelection', 'Shared: {0}, {1} characters selected.', count, selected);
}

/** That a file is withheld, and by which rule. */
export function withheldText({ path, rule }: WithheldFile, display: Display): string {
    const name = display(path);
    return rule === undefined
        ? nls.localize('theia/cli-companion/status/withheld', 'Withheld: {0}', name)
        : nls.localize('theia/cli-companion/status/withheldBy', 'Withheld: {0} ({1})', name, rule);
}

export function unaskedText(cliName: string, mode: string): string {
    return nls.localize(
        'theia/cli-companion/status/unaskedText',
        '{0} was started in {1} mode: it writes files without asking.',
        cliName,
        mode
    );
}

export function offText(): string {
    return nls.localize(
        'theia/cli-companion/status/disabledHint',
        'CLIs cannot connect to this window. Turn on the preference {0}.',
        'companion.enabled'
    );
}

function title(): string {
    return nls.localize('theia/cli-companion/status/title', 'Companion');
}

/** What to do about a CLI that runs without a connection. */
export function strandedText(cliName: string): string {
    return nls.localize(
        'theia/cli-companion/status/stranded',
        '{0} is running in a terminal but is not connected. Type {1} in it to connect.',
        cliName,
        '/ide enable'
    );
}

/** Why the page has to be reloaded. */
export function reloadReason(): string {
    return nls.localize(
        'theia/cli-companion/status/reloadReason',
        "The IDE's backend was restarted. Save or copy unsaved work, then reload this page to reconnect."
    );
}

export function reloadLabel(): string {
    return nls.localize('theia/cli-companion/status/reload', 'Reload This Page');
}

export function copyLabel(): string {
    return nls.localize('theia/cli-companion/status/copyCommand', 'Copy Command');
}

/** `qwen or gemini` */
export function listCommands(clis: readonly StartableCli[]): string {
    return new Intl.ListFormat(nls.locale ?? 'en', { type: 'disjunction' }).format(clis.map(({ command }) => command));
}

/** `Qwen Code, Gemini CLI`, or `3 CLIs` if there is no room for the names. */
export function listConnections(connections: readonly CliConnection[]): string {
    const names = connections.map(({ displayName }) => displayName).join(', ');
    return names.length <= ROOM_FOR_NAMES || connections.length === 1
        ? names
        : nls.localize('theia/cli-companion/status/severalClis', '{0} CLIs', connections.length);
}

/** @param time in milliseconds since the epoch */
export function describeTime(time: number): string {
    return new Intl.DateTimeFormat(nls.locale ?? 'en', { timeStyle: 'short' }).format(time);
}

/** @param age in milliseconds */
export function describeAge(age: number): string {
    const seconds = Math.round(age / 1000);
    if (seconds < 1) {
        return nls.localize('theia/cli-companion/status/now', 'now');
    }
    if (seconds < 60) {
        return nls.localize('theia/cli-companion/status/secondsAgo', '{0} s ago', seconds);
    }
    return seconds < 3600
        ? nls.localize('theia/cli-companion/status/minutesAgo', '{0} min ago', Math.floor(seconds / 60))
        : nls.localize('theia/cli-companion/status/hoursAgo', '{0} h ago', Math.floor(seconds / 3600));
}

function view(icon: string, summary: string, details: readonly string[], isProblem: boolean): StatusView {
    const lines = details.map(visibleText);
    return {
        text: `$(${icon}) ${withoutIcons(summary)}`,
        tooltip: lines,
        label: [summary, ...lines].map(line => line.replace(/[.。]$/, '')).join('. '),
        isProblem
    };
}
