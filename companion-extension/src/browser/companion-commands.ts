// SPDX-License-Identifier: Apache-2.0

import { codicon } from '@theia/core/lib/browser';
import { Command } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { StartableCli } from '../common/companion-protocol';
import { companionName } from './companion-name';

const CATEGORY = companionName();

function define(id: string, key: string, label: string, icon?: string): Command {
    return { ...Command.toLocalizedCommand({ id, label, iconClass: icon && codicon(icon) }, key), category: CATEGORY };
}

/** Ids that users' key bindings, tests and embedders rely on. */
export const CompanionCommands = {
    ACCEPT_REVIEW: define('companion.review.accept', 'theia/cli-companion/commands/accept', 'Accept Proposal', 'check'),
    REJECT_REVIEW: define('companion.review.reject', 'theia/cli-companion/commands/reject', 'Reject Proposal', 'circle-slash'),
    REJECT_WITH_REASON: define(
        'companion.review.rejectWithReason',
        'theia/cli-companion/commands/rejectWithReason',
        'Reject Proposal with a Reason…'
    ),
    /** Asks the CLI of the review in its argument for a new proposal. Without a label: for the notice that accepting does nothing. */
    ASK_AGAIN: { id: 'companion.review.askAgain' },
    UNDO_ACCEPTED: define('companion.review.undoAccepted', 'theia/cli-companion/commands/undoAccepted', 'Undo the Last Accepted Proposal'),
    NEXT_REVIEW: define('companion.review.next', 'theia/cli-companion/commands/nextReview', 'Go to Next Waiting Proposal'),
    NEXT_CHANGE: define(
        'companion.review.nextChange',
        'theia/cli-companion/commands/nextChange',
        'Go to Next Change in the Proposal',
        'arrow-down'
    ),
    PREVIOUS_CHANGE: define(
        'companion.review.previousChange',
        'theia/cli-companion/commands/previousChange',
        'Go to Previous Change in the Proposal',
        'arrow-up'
    ),
    OPEN_ACCESSIBLE_VIEWER: define(
        'companion.review.openAccessibleViewer',
        'theia/cli-companion/commands/openAccessibleViewer',
        'Show Changes in the Accessible Diff Viewer'
    ),
    SHOW_CHANGES: define('companion.changes.show', 'theia/cli-companion/commands/showChanges', 'Show What Agents Changed', 'git-compare'),
    NEXT_FILE_CHANGE: define('companion.changes.next', 'theia/cli-companion/commands/nextFileChange', 'Go to Next Change of Agents'),
    PREVIOUS_FILE_CHANGE: define(
        'companion.changes.previous',
        'theia/cli-companion/commands/previousFileChange',
        'Go to Previous Change of Agents'
    ),
    NEXT_CHANGED_FILE: define('companion.changes.nextFile', 'theia/cli-companion/commands/nextChangedFile', 'Go to Next Changed File'),
    KEEP_CHANGE: define('companion.changes.keep', 'theia/cli-companion/commands/keepChange', 'Keep Change', 'check'),
    UNDO_CHANGE: define('companion.changes.undo', 'theia/cli-companion/commands/undoChange', 'Undo Change', 'discard'),
    KEEP_FILE: define('companion.changes.keepFile', 'theia/cli-companion/commands/keepFile', 'Keep All Changes of the File', 'check-all'),
    UNDO_FILE: define('companion.changes.undoFile', 'theia/cli-companion/commands/undoFile', 'Undo All Changes of the File', 'discard'),
    KEEP_ALL: define('companion.changes.keepAll', 'theia/cli-companion/commands/keepAll', 'Keep All Changes', 'check-all'),
    UNDO_ALL: define('companion.changes.undoAll', 'theia/cli-companion/commands/undoAll', 'Undo All Changes', 'discard'),
    PUT_BACK: define('companion.changes.putBack', 'theia/cli-companion/commands/putBack', 'Put Back What Was Undone', 'redo'),
    NEXT_AGENT: define('companion.agents.next', 'theia/cli-companion/commands/nextAgent', 'Go to Next Program That Waits'),
    CHECK_CONNECTION: define('companion.checkConnection', 'theia/cli-companion/commands/checkConnection', 'Diagnose CLI Connection'),
    SHOW_LOG: define('companion.showLog', 'theia/cli-companion/commands/showLog', 'Show Log'),
    /** Named as the arrow in the diff. */
    REVERT_CHANGE: {
        id: 'companion.review.revertChange',
        label: nls.localizeByDefault('Revert Block'),
        category: CATEGORY
    },
    TOGGLE_LAYOUT: define(
        'companion.review.toggleLayout',
        'theia/cli-companion/commands/toggleLayout',
        'Show the Proposal Inline or Side by Side',
        'split-horizontal'
    ),
    TOGGLE_WRAP: define(
        'companion.review.toggleWrap',
        'theia/cli-companion/commands/toggleWrap',
        'Wrap or Do Not Wrap the Lines of the Proposal',
        'word-wrap'
    ),
    APPLY_EDITS: define('companion.edits.apply', 'theia/cli-companion/commands/applyEdits', 'Apply My Kept Edits'),
    DISCARD_EDITS: define('companion.edits.discard', 'theia/cli-companion/commands/discardEdits', 'Discard My Kept Edits'),
    SHOW_STATUS: define('companion.showStatus', 'theia/cli-companion/commands/showStatus', 'Show Status'),
    OPEN_SETTINGS: define('companion.openSettings', 'theia/cli-companion/commands/openSettings', 'Open Settings'),
    ADD_SELECTION: define('companion.prompt.addSelection', 'theia/cli-companion/commands/addSelection', 'Add Selection to CLI Prompt'),
    ADD_FILE: define('companion.prompt.addFile', 'theia/cli-companion/commands/addFile', 'Add File to CLI Prompt'),
    /** For menus of trees only, so without a label: it acts on the selected rows. */
    ADD_CHOSEN: { id: 'companion.prompt.addChosen' },
    /** Types its argument into the prompt of a CLI; with the id of one as the second, into that of one that is not connected. Without a label: for pages that suggest what to ask. */
    TYPE: { id: 'companion.prompt.type' },
    /** Types that the files of its first argument were undone, for the CLI of its second. Without a label: it is offered after an undo. */
    TELL_UNDONE: { id: 'companion.prompt.tellUndone' },
    TOGGLE_SHARING: define(
        'companion.context.toggleSharing',
        'theia/cli-companion/commands/toggleSharing',
        'Pause or Resume Sharing in This Window'
    ),
    SHOW_CONTEXT: define('companion.context.show', 'theia/cli-companion/commands/showContext', 'Show What Was Last Shared with CLIs'),
    /** `companion.run.qwen-code`, `companion.run.gemini-cli`, and one for each CLI that an application contributes. */
    run: ({ id, displayName }: Pick<StartableCli, 'id' | 'displayName'>): Command => ({
        id: `companion.run.${id}`,
        label: nls.localize('theia/cli-companion/commands/run', 'Run {0}', displayName),
        category: CATEGORY
    }),
    /** Of rows of the status list. Without labels: the arguments say what they act on. */
    OPEN_REVIEW: { id: 'companion.review.open' },
    ANSWER_REVIEW: { id: 'companion.review.answer' },
    SHOW_EDIT: { id: 'companion.edits.show' },
    DISCARD_EDIT: { id: 'companion.edits.discardOne' },
    REVEAL_AGENT: { id: 'companion.agents.reveal' },
    REVEAL_CLI: { id: 'companion.cli.reveal' },
    CONNECT_CLI: { id: 'companion.cli.connect' },
    TYPE_FIX: { id: 'companion.cli.typeFix' },
    RELOAD: { id: 'companion.status.reload' },
    TURN_ON: { id: 'companion.status.turnOn' },
    TELL_PROBLEM: { id: 'companion.status.tellProblem' },
    COPY: { id: 'companion.status.copy' },
    /** Types what installs the CLI into a terminal. Without a label: for pages that say that it is missing. */
    install: ({ id }: Pick<StartableCli, 'id'>): Command => ({ id: `companion.install.${id}` })
} as const;
