// SPDX-License-Identifier: Apache-2.0

import { defineCommand } from '../companion-command';

export const CHANGE_COMMANDS = {
    SHOW_CHANGES: defineCommand('companion.changes.show', 'theia/cli-companion/commands/showChanges', 'Show Agent Changes', 'git-compare'),
    REVIEW_CHANGES: defineCommand('companion.changes.review', 'theia/cli-companion/commands/reviewChanges', 'Review Agent Changes'),
    REVIEW_ALL: defineCommand(
        'companion.changes.reviewAll',
        'theia/cli-companion/commands/reviewAll',
        'Review All Changes',
        'diff-multiple'
    ),
    NEXT_FILE_CHANGE: defineCommand('companion.changes.next', 'theia/cli-companion/commands/nextFileChange', 'Go to Next Agent Change'),
    PREVIOUS_FILE_CHANGE: defineCommand(
        'companion.changes.previous',
        'theia/cli-companion/commands/previousFileChange',
        'Go to Previous Agent Change'
    ),
    NEXT_CHANGED_FILE: defineCommand(
        'companion.changes.nextFile',
        'theia/cli-companion/commands/nextChangedFile',
        'Go to Next Changed File'
    ),
    KEEP_CHANGE: defineCommand('companion.changes.keep', 'theia/cli-companion/commands/keepChange', 'Keep Change', 'check'),
    UNDO_CHANGE: defineCommand('companion.changes.undo', 'theia/cli-companion/commands/undoChange', 'Undo Change', 'discard'),
    SHOW_REMOVED: defineCommand(
        'companion.changes.showRemoved',
        'theia/cli-companion/commands/showRemoved',
        'Show What the Change at the Cursor Removed'
    ),
    KEEP_FILE: defineCommand(
        'companion.changes.keepFile',
        'theia/cli-companion/commands/keepFile',
        'Keep All Changes of the File',
        'check-all'
    ),
    UNDO_FILE: defineCommand(
        'companion.changes.undoFile',
        'theia/cli-companion/commands/undoFile',
        'Undo All Changes of the File',
        'discard'
    ),
    KEEP_ALL: defineCommand('companion.changes.keepAll', 'theia/cli-companion/commands/keepAll', 'Keep All Changes', 'check-all'),
    UNDO_ALL: defineCommand('companion.changes.undoAll', 'theia/cli-companion/commands/undoAll', 'Undo All Changes', 'discard'),
    UNDO_TURN: defineCommand('companion.changes.undoTurn', 'theia/cli-companion/commands/undoTurn', 'Undo This Turn', 'discard'),
    UNDO_TO_TURN: defineCommand(
        'companion.changes.undoToTurn',
        'theia/cli-companion/commands/undoToTurn',
        'Undo to Before This Turn',
        'history'
    ),
    PUT_BACK: defineCommand('companion.changes.putBack', 'theia/cli-companion/commands/putBack', 'Put Back What Was Undone', 'redo'),
    CLEAR_UNDONE: defineCommand(
        'companion.changes.clearUndone',
        'theia/cli-companion/commands/clearUndone',
        'Clear What Was Undone',
        'clear-all'
    ),
    UNDO_ACCEPTED: defineCommand(
        'companion.review.undoAccepted',
        'theia/cli-companion/commands/undoAccepted',
        'Undo the Last Accepted Proposal'
    )
} as const;
