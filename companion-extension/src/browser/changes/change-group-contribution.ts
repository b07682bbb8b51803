// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { RowButton, StatusAction } from '../window/status-section-contribution';

export const ChangeGroupContribution = Symbol('ChangeGroupContribution');
/** What a feature lists in the view of the changes: groups of its own, behind all others. They count in no number. */
export interface ChangeGroupContribution {
    /** Fires when the groups change. */
    readonly onDidChange: Event<unknown>;
    groups(): readonly RowGroup[];
}

export interface RowGroup {
    /** Unique, and the same as long as the group is. */
    readonly id: string;
    readonly label: string;
    readonly startsClosed?: boolean;
    readonly rows: readonly FileRow[];
    readonly buttons?: readonly RowButton[];
}

/** A row about a file. Enter and a click run its command. */
export interface FileRow extends StatusAction {
    /** Unique in its group. */
    readonly id: string;
    readonly uri: string;
    /** In the place of the folder: plain text. */
    readonly description?: string;
    readonly buttons?: readonly RowButton[];
}
