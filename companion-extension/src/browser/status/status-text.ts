// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { withoutIcons } from '../../common/plain-text';
import { asSentence, joinClauses, spokenLabel } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';
import { companionName } from '../companion-name';
import type { CompanionConnection } from '../window/companion-connection';
import { PROBLEMS, StatusBrief, StatusSection, WAITING } from '../window/status-section-contribution';
import { RELOAD } from './companion-sections';

/** What waits comes before the icon of a problem, everything else after it. */
const PROBLEM_RANK = 30;
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
    /** A proposal or a program waits for the user. */
    isWaiting: boolean;
}

/** Describes the companion for the status bar. @param sections in their order */
export function describeStatus(
    { state, failure, connected, reloadNeeded }: Pick<CompanionConnection, 'state' | 'failure' | 'connected' | 'reloadNeeded'>,
    sections: readonly StatusSection[]
): StatusView {
    const sentencesOf = (only?: string): string[] =>
        sections
            .filter(({ id }) => only === undefined || id === only)
            .flatMap(({ id, sentence, rows }) => {
                const sentences = [...(sentence === undefined ? [] : [sentence]), ...rows.flatMap(row => row.sentences ?? [])];
                // At the end of a problem there may be a command.
                return id === PROBLEMS ? sentences : sentences.map(asSentence);
            });
    if (reloadNeeded) {
        const text = nls.localize('theia/cli-companion/status/reloadNeeded', 'Reload needed');
        return view('warning', text, sentencesOf(RELOAD), true);
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
        return view('warning', text, sentencesOf(PROBLEMS), true);
    }
    if (!state) {
        const starting = nls.localize('theia/cli-companion/status/starting', 'The companion is starting.');
        return view('plug', companionName(), [starting], false);
    }
    switch (state.status.state) {
        case 'disabled':
            return view('circle-slash', nls.localize('theia/cli-companion/status/disabled', 'Companion off'), sentencesOf(), false);
        case 'failed':
            return view('warning', nls.localize('theia/cli-companion/status/failed', 'Companion failed'), sentencesOf(PROBLEMS), true);
        case 'ready': {
            const isProblem = sections.some(({ id, rows }) => id === PROBLEMS && rows.length > 0);
            const nobody: StatusBrief = { kind: 'lead', rank: Infinity, text: companionName(), icon: 'plug' };
            const briefs = [...sections.flatMap(section => section.briefs ?? []), nobody].sort((one, other) => one.rank - other.rank);
            const sign = briefs.find(({ rank, icon }) => icon !== undefined && !(isProblem && rank > PROBLEM_RANK));
            const isWaiting = sections.some(({ id, rows }) => id === WAITING && rows.length > 0);
            return view(sign?.icon ?? 'warning', fitting(briefs), sentencesOf(), isProblem, isWaiting);
        }
    }
}

/** There is room for one surprise at most. What is counted is not cut. @param briefs the lowest rank first */
function fitting(briefs: readonly StatusBrief[]): string {
    const [[lead], counts, [surprise]] = (['lead', 'count', 'surprise'] as const).map(kind => briefs.filter(brief => brief.kind === kind));
    const counted = counts.map(({ text }) => text);
    const summary = [lead.text, ...counted];
    const texts = [surprise === undefined ? summary : [...summary, surprise.text], summary].map(parts => joinClauses(parts));
    const room = ROOM - joinClauses(['…', ...counted]).length + 1;
    const brief = counts.length > 0 && counts[0].rank < lead.rank ? counted : [cut(lead.text, room), ...counted];
    return texts.find(({ length }) => length <= ROOM) ?? cut(joinClauses(brief), ROOM);
}

/** In their order; those with the same id as one. */
export function inOrder(sections: readonly StatusSection[]): StatusSection[] {
    const merged = new Map<string, StatusSection>();
    for (const section of [...sections].sort((one, other) => one.order - other.order)) {
        const before = merged.get(section.id);
        merged.set(section.id, {
            ...section,
            ...before,
            rows: [...(before?.rows ?? []), ...section.rows],
            briefs: [...(before?.briefs ?? []), ...(section.briefs ?? [])]
        });
    }
    return [...merged.values()];
}

function cut(text: string, length: number): string {
    return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function view(icon: string, summary: string, sentences: readonly string[], isProblem: boolean, isWaiting = false): StatusView {
    const lines = sentences.map(visibleText);
    return {
        text: `$(${icon}) ${withoutIcons(summary)}`,
        tooltip: lines,
        label: spokenLabel([summary, ...lines]),
        isProblem,
        isWaiting
    };
}
