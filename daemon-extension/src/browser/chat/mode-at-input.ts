// SPDX-License-Identifier: Apache-2.0

import { isLooser } from '../../common/approval-modes';

/** What the approval mode that is selected at the chat's input means for a session that is open. */
export class ModeAtInput {
    protected before: string | undefined;
    protected chosenByCommand = false;

    /** The mode was chosen in this page other than at the chat's input. */
    commandChose(): void {
        this.chosenByCommand = true;
    }

    /**
     * The mode to change to, where the selected one was changed since the last request. It is not simply what counts: meanwhile the
     * user may have chosen another one by command, or allowed all edits. Theia does not restore the selection after a reload and shows
     * its default; so the first of a page counts only where it is stricter than what the session has.
     */
    newMode(modeId: string | undefined, session: { chosenModeId: string }): string | undefined {
        const { before } = this;
        this.before = modeId;
        if (modeId === undefined || modeId === before) {
            return undefined;
        }
        const isFirst = before === undefined;
        return isFirst && (this.chosenByCommand || !isLooser(session.chosenModeId, modeId)) ? undefined : modeId;
    }
}
