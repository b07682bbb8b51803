// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CliConnection, StartableCli, WindowState } from '../../common/companion-protocol';
import { problemText } from '../../common/problem-text';
import { visibleText } from '../../common/visible-text';

export interface StatusView {
    /** For the status bar; `$(…)` is an icon. */
    text: string;
    /** Plain sentences, one to a line. */
    tooltip: string;
    /** For screen readers. */
    label: string;
    isProblem: boolean;
}

export interface StatusInput {
    state: WindowState | undefined;
    /** Why the backend cannot be reached. */
    failure: string | undefined;
    /** The backend was restarted, and lets this page in only after a reload. */
    reloadNeeded?: boolean;
    sharing: boolean;
    /** Names of the CLIs whose IDE mode could be turned on. */
    offers: readonly string[];
}

/** What the status bar says about the companion. */
export function describeStatus({ state, failure, reloadNeeded, sharing, offers }: StatusInput): StatusView {
    const title = nls.localize('companion/status/title', 'Companion');
    if (reloadNeeded) {
        return view('$(warning)', nls.localize('companion/status/reloadNeeded', 'Reload needed'), [reloadReason()], true);
    }
    if (failure !== undefined) {
        return view('$(warning)', nls.localize('companion/status/unreachable', 'Companion not reachable'), [failure], true);
    }
    if (!state) {
        return view('$(plug)', title, [nls.localize('companion/status/starting', 'The companion is starting.')], false);
    }
    const { status, reviews } = state;
    const problems = status.problems.map(problemText);
    if (status.state === 'disabled') {
        const off = nls.localize(
            'companion/status/disabledHint',
            'CLIs cannot connect to this window. Turn the preference {0} on.',
            'companion.enabled'
        );
        return view('$(circle-slash)', nls.localize('companion/status/disabled', 'Companion off'), [off, ...problems], false);
    }
    if (status.state === 'failed') {
        return view('$(warning)', nls.localize('companion/status/failed', 'Companion failed'), problems, true);
    }
    const details = [...problems];
    let summary = title;
    if (status.connections.length > 0) {
        summary = nls.localize('companion/status/connected', '{0} connected', listConnections(status.connections));
        details.unshift(`${summary}.`);
    } else {
        details.unshift(
            nls.localize('companion/status/ready', 'Ready. Start {0} in a terminal of this window.', listCommands(status.clis))
        );
    }
    if (reviews.length > 0) {
        const waiting =
            reviews.length === 1
                ? nls.localize('companion/status/oneReview', '1 review waiting')
                : nls.localize('companion/status/reviews', '{0} reviews waiting', reviews.length);
        summary = `${summary}, ${waiting}`;
        details.push(...reviews.map(({ cliName, path }) => nls.localize('companion/status/reviewOf', 'Waiting: {0} ({1})', path, cliName)));
    }
    if (state.reviewsElsewhere.length > 0) {
        details.push(nls.localize('companion/status/elsewhereCount', 'Waiting in other windows: {0}', state.reviewsElsewhere.length));
    }
    if (state.droppedEdits.length > 0) {
        details.push(nls.localize('companion/status/droppedCount', 'Edits of yours that no CLI took: {0}', state.droppedEdits.length));
    }
    if (!sharing) {
        details.push(nls.localize('companion/status/notSharing', 'Open files and selection are not shared.'));
    }
    details.push(...(status.strandedClis ?? []).map(strandedText));
    details.push(...offers.map(name => nls.localize('companion/status/offer', "{0}'s IDE mode is not turned on yet.", name)));
    const icon = reviews.length > 0 ? '$(git-compare)' : problems.length > 0 ? '$(warning)' : '$(plug)';
    return view(icon, summary, details, problems.length > 0);
}

/** What to do about a CLI that lost its server. */
export function strandedText(cliName: string): string {
    return nls.localize(
        'companion/status/stranded',
        '{0} still runs in a terminal whose connection is gone. Type {1} in it to connect it again.',
        cliName,
        '/ide enable'
    );
}

/** Why the page has to be reloaded. */
export function reloadReason(): string {
    return nls.localize(
        'companion/status/reloadReason',
        "The IDE's backend was restarted. Save or copy what is unsaved, then reload this page to connect again."
    );
}

/** `qwen or gemini` */
export function listCommands(clis: readonly StartableCli[]): string {
    return new Intl.ListFormat(nls.locale ?? 'en', { type: 'disjunction' }).format(clis.map(({ command }) => command));
}

/** `Qwen Code ×2, Gemini CLI` */
export function listConnections(connections: readonly CliConnection[]): string {
    const counts = new Map<string, number>();
    connections.forEach(({ displayName }) => counts.set(displayName, (counts.get(displayName) ?? 0) + 1));
    return Array.from(counts, ([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(', ');
}

/** @param age in milliseconds */
export function describeAge(age: number): string {
    const seconds = Math.max(0, Math.round(age / 1000));
    const format = new Intl.RelativeTimeFormat(nls.locale ?? 'en', { numeric: 'auto', style: 'short' });
    if (seconds < 60) {
        return format.format(-seconds, 'second');
    }
    return seconds < 3600 ? format.format(-Math.floor(seconds / 60), 'minute') : format.format(-Math.floor(seconds / 3600), 'hour');
}

function view(icon: string, summary: string, details: readonly string[], isProblem: boolean): StatusView {
    const lines = details.map(visibleText);
    return {
        text: `${icon} ${summary}`,
        tooltip: lines.join('\n'),
        label: [summary, ...lines].map(line => line.replace(/\.$/, '')).join('. '),
        isProblem
    };
}
