// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { CompanionProblem } from '../../common/companion-problem';
import { CliConnection, KeptEdit, ReviewInfo } from '../../common/companion-protocol';
import { describeProblem, problemText } from '../../common/problem-text';
import { joinSentences } from '../../common/sentences';
import { WithheldFile } from '../context/context-state';
import type { WorkspacePaths } from '../window/workspace-paths';

/** What makes a running CLI connect. */
export const ENABLE_COMMAND = '/ide enable';

/** What the status says about one thing: a row of the list, and its part of the tooltip. */
export interface StatusRow {
    readonly id: string;
    /** A codicon's name. */
    readonly icon: string;
    readonly label: string;
    readonly description?: string;
    readonly detail?: string;
    /** A shell command that fixes it. */
    readonly command?: string;
    /** Plain sentences for the tooltip and for screen readers. */
    readonly sentences: readonly string[];
}

/** What may be shared about the editors now. Never a text. */
export interface SharingState {
    /** Files are shared with CLIs. */
    on: boolean;
    /** The user has paused sharing in this window. */
    paused: boolean;
    /** How many open files are shared. */
    files: number;
    /** Characters of the selection. */
    selected: number;
    /** Open files that are not shared. */
    withheld: readonly WithheldFile[];
    /** What is wrong with the settings on sharing. */
    problems: readonly CompanionProblem[];
}

/** Makes the rows that tooltip and list share, each kind in one place. */
export class StatusRows {
    constructor(protected readonly paths: Pick<WorkspacePaths, 'display' | 'name'>) {}

    static reload(): StatusRow {
        const reason = nls.localize(
            'theia/cli-companion/status/reloadReason',
            "The IDE's backend was restarted. Save or copy unsaved work, then reload this page to reconnect."
        );
        const label = nls.localize('theia/cli-companion/status/reload', 'Reload This Page');
        return { id: 'reload', icon: 'refresh', label, detail: reason, sentences: [reason] };
    }

    static turnOn(): StatusRow {
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
            ]
        };
    }

    /** @param terminal the name of the terminal that it runs in */
    cli({ displayName, folder, since, unaskedMode }: CliConnection, terminal?: string): StatusRow {
        const where = folder === undefined ? undefined : this.paths.display(folder);
        const time = describeTime(since);
        const unasked =
            unaskedMode &&
            nls.localize(
                'theia/cli-companion/status/unaskedText',
                '{0} was started in {1} mode: it writes files without asking.',
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
            description: [
                ...(where === undefined ? [] : [where]),
                nls.localize('theia/cli-companion/status/connectedSince', 'since {0}', time),
                ...(terminal === undefined ? [] : [nls.localize('theia/cli-companion/status/inTerminal', 'terminal "{0}"', terminal)])
            ].join(' · '),
            ...(unasked && { detail: unasked }),
            sentences: unasked ? [connected, unasked] : [connected]
        };
    }

    /** A CLI that runs without a connection. */
    disconnected(cliName: string): StatusRow {
        return {
            id: `disconnected ${cliName}`,
            icon: 'debug-disconnect',
            label: nls.localize('theia/cli-companion/status/strandedRow', '{0} is running but not connected', cliName),
            detail: nls.localize('theia/cli-companion/status/strandedDetail', 'Type {0} in its terminal. Enter copies it.', ENABLE_COMMAND),
            sentences: [
                nls.localize(
                    'theia/cli-companion/status/stranded',
                    '{0} is running in a terminal but is not connected. Type {1} in it to connect.',
                    cliName,
                    ENABLE_COMMAND
                )
            ]
        };
    }

    /** @param now in milliseconds since the epoch */
    review({ id, path, cliName, openedAt }: ReviewInfo, now: number): StatusRow {
        const display = this.paths.display(path);
        return {
            id,
            icon: 'git-compare',
            label: this.paths.name(path),
            description: cliName,
            detail: `${display} · ${describeAge(now - openedAt)}`,
            sentences: [nls.localize('theia/cli-companion/status/reviewOf', 'Waiting: {0} ({1})', display, cliName)]
        };
    }

    /** @param time when it was kept, for people */
    edit({ id, path, cliName, daysLeft }: KeptEdit, time: string): StatusRow {
        const lastDay = Date.now() + daysLeft * 24 * 3_600_000;
        const day = new Intl.DateTimeFormat(nls.locale ?? 'en', { dateStyle: 'medium' }).format(lastDay);
        return {
            id: `edit ${id}`,
            icon: 'edit',
            label: this.paths.name(path),
            description: `${cliName} · ${time}`,
            detail: `${this.paths.display(path)} · ${nls.localize('theia/cli-companion/edits/until', 'kept until {0}', day)}`,
            sentences: []
        };
    }

    sharing(state: SharingState): StatusRow {
        const text = this.sharingText(state);
        return { id: 'sharing', icon: state.on ? 'eye' : 'eye-closed', label: text, sentences: [text] };
    }

    withheld({ path, rule }: WithheldFile): StatusRow {
        const display = this.paths.display(path);
        const name = this.paths.name(path);
        return {
            id: `withheld ${path}`,
            icon: 'eye-closed',
            label: name,
            description: nls.localize('theia/cli-companion/status/isWithheld', 'withheld'),
            detail: rule === undefined ? display : display === name ? rule : `${display} (${rule})`,
            sentences: [
                rule === undefined
                    ? nls.localize('theia/cli-companion/status/withheld', 'Withheld: {0}', display)
                    : nls.localize('theia/cli-companion/status/withheldBy', 'Withheld: {0} ({1})', display, rule)
            ]
        };
    }

    problem(problem: CompanionProblem): StatusRow {
        const { what, why, advice, command } = describeProblem(problem);
        const line = problemText(problem);
        const detail = joinSentences([why, advice]);
        return { id: `problem ${line}`, icon: 'warning', label: what, detail, ...(command && { command }), sentences: [line] };
    }

    /** Why the backend cannot be reached. */
    failure(text: string): StatusRow {
        return { id: `problem ${text}`, icon: 'warning', label: text, sentences: [text] };
    }

    /** What is shared about the editors, in one sentence. */
    protected sharingText({ on, paused, files, selected }: SharingState): string {
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
