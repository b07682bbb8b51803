// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CliConnection, CompanionStatus } from '../../common/companion-protocol';
import { withoutIcons } from '../../common/plain-text';
import { joinClauses, listOf, spokenLabel } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { describeWaiting } from '../agents/agent-words';
import { companionName } from '../companion-name';
import { SharingState, StatusFacts, StatusSection, unconnectedText, waitingWithoutProposal } from './status-sections';

/** In characters, in a window of 900 pixels. */
const ROOM_FOR_NAMES = 30;
/** In characters. What waits and how much has changed is said first, the rest where there is room; the tooltip has all. */
const ROOM = 60;

export interface StatusView {
    /** For the status bar; `$(…)` is an icon. */
    text: string;
    /** Plain sentences. */
    tooltip: readonly string[];
    /** For screen readers, which read this instead of text and tooltip. */
    label: string;
    isProblem: boolean;
}

/** Describes the companion for the status bar. @param sections of the same facts */
export function describeStatus(facts: StatusFacts, sections: readonly StatusSection[]): StatusView {
    const { state, failure, connected, reloadNeeded } = facts.connection;
    const sentencesOf = (...ids: ReadonlyArray<StatusSection['id']>): string[] =>
        sections
            .filter(({ id }) => ids.length === 0 || ids.includes(id))
            .flatMap(({ sentence, rows }) => [...(sentence === undefined ? [] : [sentence]), ...rows.flatMap(row => row.sentences ?? [])]);
    if (reloadNeeded) {
        const text = nls.localize('theia/cli-companion/status/reloadNeeded', 'Reload needed');
        return view('warning', text, sentencesOf('reload'), true);
    }
    if (!connected) {
        const stopped = nls.localize(
            'theia/cli-companion/status/stoppedReason',
            "The IDE's server has stopped, or this page cannot reach it. The page connects again by itself. Copy unsaved work if the server is gone."
        );
        return view('debug-disconnect', nls.localize('theia/cli-companion/status/stopped', 'IDE stopped or unreachable'), [stopped], true);
    }
    if (failure !== undefined) {
        const text = nls.localize('theia/cli-companion/status/unreachable', 'Companion unreachable');
        return view('warning', text, sentencesOf('problems'), true);
    }
    if (!state) {
        const starting = nls.localize('theia/cli-companion/status/starting', 'The companion is starting.');
        return view('plug', companionName(), [starting], false);
    }
    switch (state.status.state) {
        case 'disabled':
            return view('circle-slash', nls.localize('theia/cli-companion/status/disabled', 'Companion off'), sentencesOf(), false);
        case 'failed':
            return view('warning', nls.localize('theia/cli-companion/status/failed', 'Companion failed'), sentencesOf('problems'), true);
        case 'ready': {
            const isProblem = sections.some(({ id }) => id === 'problems');
            const [surprise] = surprises(facts.sharing, state.status);
            return view(
                waitingWithoutProposal(facts).length > 0
                    ? 'bell-dot'
                    : facts.reviews.length > 0
                      ? 'git-compare'
                      : isProblem
                        ? 'warning'
                        : (surprise?.icon ?? 'plug'),
                fitting(facts, state.status, surprise?.text),
                sentencesOf(),
                isProblem
            );
        }
    }
}

/** There is room for one surprise at most. What is counted is not cut. */
function fitting(facts: StatusFacts, status: CompanionStatus, surprise: string | undefined): string {
    const summary = summaryOf(facts, status);
    const [first, ...counts] = summary;
    const texts = [surprise === undefined ? summary : [...summary, surprise], summary].map(parts => joinClauses(parts));
    const isWaiting = waitingWithoutProposal(facts).length > 0;
    const room = ROOM - joinClauses(['…', ...counts]).length + 1;
    const brief = counts.length > 0 && !isWaiting ? counts : [cut(first, room), ...counts];
    return texts.find(({ length }) => length <= ROOM) ?? cut(joinClauses(brief), ROOM);
}

function cut(text: string, length: number): string {
    return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Who is connected, and what waits. */
function summaryOf(facts: StatusFacts, { connections }: CompanionStatus): string[] {
    const { reviews, edits } = facts;
    const waiting = waitingWithoutProposal(facts);
    const parts = [
        waiting.length > 0
            ? describeWaiting(waiting)
            : connections.length > 0
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
    const { count = 0 } = facts.connection.state?.changes ?? {};
    if (count > 0) {
        parts.push(nls.localize('theia/cli-companion/status/changed', '{0} changed', count));
    }
    if (edits.length > 0) {
        parts.push(
            edits.length === 1
                ? nls.localize('theia/cli-companion/status/oneEdit', '1 edit kept')
                : nls.localize('theia/cli-companion/status/editsKept', '{0} edits kept', edits.length)
        );
    }
    return parts;
}

/** Surprises for the user, the most important first. */
function surprises(
    { on, paused, withheld }: SharingState,
    { connections, disconnectedClis = [] }: CompanionStatus
): Array<{ icon: string; text: string }> {
    const found: Array<{ icon: string; text: string }> = [];
    if (!on) {
        const whenPaused = nls.localize('theia/cli-companion/status/sharingPaused', 'sharing paused');
        const whenOff = nls.localize('theia/cli-companion/status/sharingOff', 'sharing off');
        found.push({ icon: 'debug-pause', text: paused ? whenPaused : whenOff });
    }
    const [unconnected] = disconnectedClis;
    if (unconnected) {
        found.push({ icon: 'debug-disconnect', text: unconnectedText(unconnected) });
    }
    // Only interesting while a CLI is connected.
    if (on && connections.length > 0 && withheld.some(({ isActive }) => isActive)) {
        found.push({ icon: 'eye-closed', text: nls.localize('theia/cli-companion/status/activeWithheld', 'active file withheld') });
    }
    if (connections.some(({ unaskedMode }) => unaskedMode !== undefined)) {
        found.push({ icon: 'unlock', text: nls.localize('theia/cli-companion/status/unasked', 'edits without review') });
    }
    return found;
}

/** `Qwen Code, Gemini CLI`, or `3 CLIs` if there is no room for the names. */
function listConnections(connections: readonly CliConnection[]): string {
    const names = listOf(connections.map(({ displayName }) => displayName));
    return names.length <= ROOM_FOR_NAMES || connections.length === 1
        ? names
        : nls.localize('theia/cli-companion/status/severalClis', '{0} CLIs', connections.length);
}

function view(icon: string, summary: string, sentences: readonly string[], isProblem: boolean): StatusView {
    const lines = sentences.map(visibleText);
    return {
        text: `$(${icon}) ${withoutIcons(summary)}`,
        tooltip: lines,
        label: spokenLabel([summary, ...lines]),
        isProblem
    };
}
