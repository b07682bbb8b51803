// SPDX-License-Identifier: Apache-2.0

import { defineCommand } from '../companion-command';

/** Those with a button in the bar of a diff. */
export const DIFF_COMMANDS = {
    ACCEPT_REVIEW: defineCommand('companion.review.accept', 'theia/cli-companion/commands/accept', 'Accept Proposal', 'check'),
    REJECT_REVIEW: defineCommand('companion.review.reject', 'theia/cli-companion/commands/reject', 'Reject Proposal', 'circle-slash'),
    REJECT_WITH_REASON: defineCommand(
        'companion.review.rejectWithReason',
        'theia/cli-companion/commands/rejectWithReason',
        'Reject Proposal with a Reason…'
    ),
    TOGGLE_WRAP: defineCommand(
        'companion.review.toggleWrap',
        'theia/cli-companion/commands/toggleWrap',
        'Wrap or Do Not Wrap the Lines of the Proposal',
        'word-wrap'
    )
} as const;
