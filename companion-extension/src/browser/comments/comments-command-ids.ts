// SPDX-License-Identifier: Apache-2.0

import { defineCommand } from '../companion-command';

export const COMMENT_COMMANDS = {
    NEXT_COMMENT: defineCommand('companion.comments.next', 'theia/cli-companion/commands/nextComment', 'Go to Next Comment'),
    PREVIOUS_COMMENT: defineCommand(
        'companion.comments.previous',
        'theia/cli-companion/commands/previousComment',
        'Go to Previous Comment'
    ),
    SEND_COMMENTS: defineCommand('companion.comments.send', 'theia/cli-companion/commands/sendComments', 'Add Comments to CLI Prompt'),
    /** Of its argument; without one, of the lines at the cursor. */
    DISCARD_COMMENT: defineCommand('companion.comments.discard', 'theia/cli-companion/commands/discardComment', 'Discard Comment'),
    REJECT_COMMENTED: defineCommand(
        'companion.comments.reject',
        'theia/cli-companion/commands/rejectCommented',
        'Reject Proposal with Comments'
    ),
    /** Of rows of the status list: without a label, because the argument says which one. */
    OPEN_COMMENT: { id: 'companion.comments.open' }
} as const;
