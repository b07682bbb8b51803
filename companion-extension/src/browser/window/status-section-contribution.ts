// SPDX-License-Identifier: Apache-2.0

import { CommandRegistry } from '@theia/core/lib/common/command';
import { Event } from '@theia/core/lib/common/event';
import { CompanionProblem } from '../../common/companion-problem';
import { ReviewInfo } from '../../common/companion-protocol';
import { describeProblem, problemText } from '../../common/problem-text';
import { joinSentences, listOf } from '../../common/sentences';
import { SHARED_COMMANDS } from './shared-command-ids';
import { copyLabel } from './status-words';

export const StatusSectionContribution = Symbol('StatusSectionContribution');
/** What a feature says in the status: rows of its list, with their lines of the tooltip, and a few words in the status bar. @since 0.1 */
export interface StatusSectionContribution {
    /** Fires when the sections change and the window's state does not. */
    readonly onDidChange?: Event<unknown>;
    /** @param now in milliseconds since the epoch */
    sections(now: number): StatusSection[];
}

/** Sections with the same id are shown as one. @since 0.1 */
export interface StatusSection {
    readonly id: string;
    /** The lowest comes first. Ours have 0 to 91: waiting proposals 10, changes 20, agents 30, CLIs 50, actions 91. */
    readonly order: number;
    /** Left out for a row that needs none, and for rows in the section of another feature. */
    readonly title?: string;
    /** A sentence about all rows. With one, the title is shown also if there are no rows. */
    readonly sentence?: string | undefined;
    readonly rows: readonly StatusRow[];
    readonly briefs?: readonly StatusBrief[];
}

/** A command that a row or a button runs. @since 0.1 */
export interface StatusAction {
    /** The command's id. */
    readonly command: string;
    readonly args?: readonly unknown[];
}

/** A row of the status list, with its lines of the tooltip. Enter runs its command. @since 0.1 */
export interface StatusRow extends StatusAction {
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
}

/** A button of a row. @since 0.1 */
export interface RowButton extends StatusAction {
    /** A codicon's name, unique among the buttons of one row. */
    readonly icon: string;
    readonly tooltip: string;
}

/** A few words for the status bar. @since 0.1 */
export interface StatusBrief {
    /** The status bar has one lead, then all counts, then one surprise if there is room. */
    readonly kind: 'lead' | 'count' | 'surprise';
    /** The lowest comes first, and its icon counts. A lead that comes after a count gives way to it. */
    readonly rank: number;
    readonly text: string;
    /** A codicon's name. */
    readonly icon?: string;
}

/** The section of what waits for the user, which has a colour of its own in the status bar. */
export const WAITING = 'waiting';

/** The section that makes the status bar warn if it has rows. */
export const PROBLEMS = 'problems';

/** A row cuts long sentences: Enter shows them whole, with the fix. */
export function problemRow(problem: CompanionProblem): StatusRow {
    const { what, why, advice, command } = describeProblem(problem);
    const line = problemText(problem);
    return {
        id: `problem ${line}`,
        icon: 'warning',
        label: what,
        detail: joinSentences([why, advice]),
        sentences: [line],
        ariaLabel: line,
        ...(command !== undefined && {
            buttons: [{ icon: 'copy', tooltip: copyLabel(), command: SHARED_COMMANDS.COPY.id, args: [command] }]
        }),
        command: SHARED_COMMANDS.TELL_PROBLEM.id,
        args: [line, command]
    };
}

/** @returns `undefined` if the application has no such command */
export function commandRow(commands: Pick<CommandRegistry, 'getCommand'>, id: string, icon: string): StatusRow | undefined {
    const command = commands.getCommand(id);
    return command && { id: `command ${id}`, icon, label: command.label ?? id, command: id };
}

/** The row's texts for a screen reader. */
export function spokenRow({ ariaLabel, label, description, detail }: StatusRow): string {
    return ariaLabel ?? listOf([label, description, detail].flatMap(text => text || []));
}
