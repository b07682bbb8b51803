// SPDX-License-Identifier: Apache-2.0

import { isLooser } from '../../common/approval-modes';

/** Decides whether the mode that is selected at the chat's input was chosen by the user. */
export class ModeAtInput {
    /** With the last request. */
    protected last: string | undefined;
    protected chosenByCommand = false;

    noteCommand(): void {
        this.chosenByCommand = true;
    }

    /**
     * The mode to change to, if the selection at the chat's input changed since the last request. The selection alone does not decide:
     * meanwhile the user may have chosen another mode by command, or allowed all edits. Theia does not restore the selection after a
     * reload and shows its default. So the first selection on a page counts only if it is stricter than the session's mode.
     */
    change(modeId: string | undefined, session: { chosenModeId: string }): string | undefined {
        const before = this.last;
        this.last = modeId;
        if (modeId === undefined || modeId === before) {
            return undefined;
        }
        const isFirst = before === undefined;
        return isFirst && (this.chosenByCommand || !isLooser(session.chosenModeId, modeId)) ? undefined : modeId;
    }
}
