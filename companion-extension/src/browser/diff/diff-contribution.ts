// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { BarButton } from './diff-bar';

export const DiffContribution = Symbol('DiffContribution');
/** What a feature adds to the diffs of all others: buttons in the bar, and lines at which "next" and "previous" stop. */
export interface DiffContribution {
    /** Fires when other buttons are to be shown. */
    readonly onDidChange?: Event<unknown>;
    /** Behind the answers. Each runs its command with the diff, as a toolbar does. */
    buttons?(diff: EditorWidget): readonly BarButton[];
    /** Lines of the right side, in any order. */
    stops?(diff: EditorWidget): readonly number[];
}

/** What a diff asks of the page around it. */
export interface DiffHost {
    readonly contributions: readonly DiffContribution[];
    /** First the key that works wherever the keyboard is. */
    keysOf(commandId: string): readonly string[];
    /** Runs the command as a toolbar does. */
    run(commandId: string, diff: EditorWidget): void;
}
