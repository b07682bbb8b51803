// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CliConnection, CompanionStatus, StartableCli, WindowState } from '../../common/companion-protocol';
import { withoutIcons } from '../../common/plain-text';
import { joinClauses, listOf, spokenLabel } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { companionName } from '../companion-name';
import type { CompanionConnection } from '../window/companion-connection';
import { SharingState, StatusRow, StatusRows } from './status-rows';

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

type Sentences = Pick<StatusRow, 'sentences'>;

/** What the page knows of its backend. */
export type ConnectionView = Pick<CompanionConnection, 'state' | 'failure' | 'connected' | 'reloadNeeded'>;

/** What the status bar says about the companion. */
export function describeStatus(connection: ConnectionView, sharing: SharingState, rows: StatusRows): StatusView {
    const { state, failure, connected, reloadNeeded } = connection;
    if (reloadNeeded) {
        return view('warning', nls.localize('theia/cli-companion/status/reloadNeeded', 'Reload needed'), [StatusRows.reload()], true);
    }
    if (!connected) {
        const stopped = nls.localize(
            'theia/cli-companion/status/stoppedReason',
            "The IDE's server has stopped, or this page cannot reach it. The page connects again by itself. Copy unsaved work if the server is gone."
        );
        const text = nls.localize('theia/cli-companion/status/stopped', 'IDE stopped or unreachable');
        return view('debug-disconnect', text, [{ sentences: [stopped] }], true);
    }
    if (failure !== undefined) {
        return view(
            'warning',
            nls.localize('theia/cli-companion/status/unreachable', 'Companion unreachable'),
            [rows.failure(failure)],
            true
        );
    }
    if (!state) {
        const starting = nls.localize('theia/cli-companion/status/starting', 'The companion is starting.');
        return view('plug', companionName(), [{ sentences: [starting] }], false);
    }
    const problems = [...state.status.problems, ...sharing.problems].map(problem => rows.problem(problem));
    const [surprise] = surprises(sharing, state.status);
    switch (state.status.state) {
        case 'disabled':
            return view(
                'circle-slash',
                nls.localize('theia/cli-companion/status/disabled', 'Companion off'),
                [StatusRows.turnOn(), ...problems],
                false
            );
        case 'failed':
            return view('warning', nls.localize('theia/cli-companion/status/failed', 'Companion failed'), problems, true);
        case 'ready':
            return view(
                state.reviews.length > 0 ? 'git-compare' : problems.length > 0 ? 'warning' : (surprise?.icon ?? 'plug'),
                // There is room for one surprise. The tooltip has all.
                joinClauses([...summaryOf(state), ...(surprise ? [surprise.text] : [])]),
                [
                    ...whoIsConnected(state, rows),
                    ...problems,
                    ...whatWaits(state, rows),
                    ...whatIsShared(sharing, rows),
                    ...(state.status.disconnectedClis ?? []).map(name => rows.disconnected(name))
                ],
                problems.length > 0
            );
    }
}

/** Who is connected, and what waits. */
function summaryOf({ reviews, keptEdits, status: { connections } }: WindowState): string[] {
    const parts = [
        connections.length > 0
            ? nls.localize('theia/cli-companion/status/connected', '{0} connected', listConnections(connections))
            : companionName()
    ];
    if (reviews.length > 0) {
        parts.push(
            reviews.length === 1
                ? nls.localize('theia/cli-companion/status/oneReview', '1 proposal waiting')
                : nls.localize('theia/cli-companion/status/reviews', '{0} proposals waiting', reviews.length)
        );
    }
    if (keptEdits.length > 0) {
        parts.push(
            keptEdits.length === 1
                ? nls.localize('theia/cli-companion/status/oneEdit', '1 edit kept')
                : nls.localize('theia/cli-companion/status/editsKept', '{0} edits kept', keptEdits.length)
        );
    }
    return parts;
}

/** What the user may not expect, the most important first. */
function surprises(sharing: SharingState, status: CompanionStatus): Array<{ icon: string; text: string }> {
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

/** Only interesting while a CLI is connected. */
function isActiveWithheld({ on, withheld }: SharingState, { connections }: CompanionStatus): boolean {
    return on && connections.length > 0 && withheld.some(({ isActive }) => isActive);
}

function whoIsConnected({ status }: WindowState, rows: StatusRows): Sentences[] {
    if (status.connections.length === 0) {
        const ready = nls.localize(
            'theia/cli-companion/status/ready',
            'Ready. Start {0} in a terminal of this window.',
            listCommands(status.clis)
        );
        return [{ sentences: [ready] }];
    }
    return status.connections.map(connection => rows.cli(connection));
}

function whatWaits({ reviews, keptEdits }: WindowState, rows: StatusRows): Sentences[] {
    const sentences: string[] = [];
    if (keptEdits.length > 0) {
        sentences.push(nls.localize('theia/cli-companion/status/droppedCount', 'Your edits that were not written: {0}', keptEdits.length));
    }
    return [...reviews.map(review => rows.review(review, Date.now())), { sentences }];
}

function whatIsShared(sharing: SharingState, rows: StatusRows): Sentences[] {
    const withheld = sharing.on ? sharing.withheld.filter(({ isActive }) => isActive) : [];
    return [rows.sharing(sharing), ...withheld.map(file => rows.withheld(file))];
}

export function copyLabel(): string {
    return nls.localize('theia/cli-companion/status/copyCommand', 'Copy Command');
}

/** `qwen or gemini` */
export function listCommands(clis: readonly StartableCli[]): string {
    return listOf(
        clis.map(({ command }) => command),
        'disjunction'
    );
}

/** `Qwen Code, Gemini CLI`, or `3 CLIs` if there is no room for the names. */
function listConnections(connections: readonly CliConnection[]): string {
    const names = listOf(connections.map(({ displayName }) => displayName));
    return names.length <= ROOM_FOR_NAMES || connections.length === 1
        ? names
        : nls.localize('theia/cli-companion/status/severalClis', '{0} CLIs', connections.length);
}

function view(icon: string, summary: string, rows: readonly Sentences[], isProblem: boolean): StatusView {
    const lines = rows.flatMap(({ sentences }) => sentences).map(visibleText);
    return {
        text: `$(${icon}) ${withoutIcons(summary)}`,
        tooltip: lines,
        label: spokenLabel([summary, ...lines]),
        isProblem
    };
}
