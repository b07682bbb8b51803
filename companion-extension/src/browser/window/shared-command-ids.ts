// SPDX-License-Identifier: Apache-2.0

import { Command } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { StartableCli } from '../../common/companion-protocol';
import { COMMAND_CATEGORY, defineCommand } from '../companion-command';

/** Commands that one feature has and another one runs, or shows. So neither has to import the other. */
export const SHARED_COMMANDS = {
    /** These have a button in the bar of a diff. */
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
    ),
    ADD_COMMENT: defineCommand('companion.comments.add', 'theia/cli-companion/commands/addComment', 'Add Comment on Lines'),
    CHECK_CONNECTION: defineCommand('companion.checkConnection', 'theia/cli-companion/commands/checkConnection', 'Diagnose CLI Connection'),
    SHOW_LOG: defineCommand('companion.showLog', 'theia/cli-companion/commands/showLog', 'Show Log'),
    /** `companion.run.qwen-code`, `companion.run.gemini-cli`, and one for each CLI that an application contributes. */
    run: ({ id, displayName }: Pick<StartableCli, 'id' | 'displayName'>): Command => ({
        id: `companion.run.${id}`,
        label: nls.localize('theia/cli-companion/commands/run', 'Run {0}', displayName),
        category: COMMAND_CATEGORY
    }),
    /** Starts the one that the user chooses. */
    RUN_CLI: defineCommand('companion.run.choose', 'theia/cli-companion/commands/runCli', 'Run a CLI…'),
    /** Asks the CLI of the review in its argument for a new proposal. Without a label: for the notice that accepting does nothing. */
    ASK_AGAIN: { id: 'companion.review.askAgain' },
    /** Types that the files of its first argument were undone, for the CLI of its second. Without a label: it is offered after an undo. */
    TELL_UNDONE: { id: 'companion.prompt.tellUndone' },
    /** Of rows of the status list: without labels, because the arguments say what they act on. */
    TYPE_FIX: { id: 'companion.cli.typeFix' },
    TELL_PROBLEM: { id: 'companion.status.tellProblem' },
    COPY: { id: 'companion.status.copy' }
} as const;
