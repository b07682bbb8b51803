// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { COMMAND_CATEGORY, defineCommand } from '../companion-command';

export const REVIEW_COMMANDS = {
    NEXT_REVIEW: defineCommand('companion.review.next', 'theia/cli-companion/commands/nextReview', 'Go to Next Waiting Proposal'),
    NEXT_CHANGE: defineCommand(
        'companion.review.nextChange',
        'theia/cli-companion/commands/nextChange',
        'Go to Next Change in the Proposal',
        'arrow-down'
    ),
    PREVIOUS_CHANGE: defineCommand(
        'companion.review.previousChange',
        'theia/cli-companion/commands/previousChange',
        'Go to Previous Change in the Proposal',
        'arrow-up'
    ),
    OPEN_ACCESSIBLE_VIEWER: defineCommand(
        'companion.review.openAccessibleViewer',
        'theia/cli-companion/commands/openAccessibleViewer',
        'Show Changes in the Accessible Diff Viewer'
    ),
    /** Named as the arrow in the diff. */
    REVERT_CHANGE: {
        id: 'companion.review.revertChange',
        label: nls.localizeByDefault('Revert Block'),
        category: COMMAND_CATEGORY
    },
    TOGGLE_LAYOUT: defineCommand(
        'companion.review.toggleLayout',
        'theia/cli-companion/commands/toggleLayout',
        'Show the Proposal Inline or Side by Side',
        'split-horizontal'
    ),
    APPLY_EDITS: defineCommand('companion.edits.apply', 'theia/cli-companion/commands/applyEdits', 'Apply My Kept Edits'),
    DISCARD_EDITS: defineCommand('companion.edits.discard', 'theia/cli-companion/commands/discardEdits', 'Discard My Kept Edits'),
    /** Of rows of the status list: without labels, because the arguments say what they act on. */
    OPEN_REVIEW: { id: 'companion.review.open' },
    ANSWER_REVIEW: { id: 'companion.review.answer' },
    SHOW_EDIT: { id: 'companion.edits.show' },
    DISCARD_EDIT: { id: 'companion.edits.discardOne' },
    OPEN_STRANDED: { id: 'companion.edits.openStranded' },
    FORGET_STRANDED: { id: 'companion.edits.forgetStranded' }
} as const;
