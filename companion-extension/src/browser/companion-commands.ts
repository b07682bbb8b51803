// SPDX-License-Identifier: Apache-2.0

import { codicon } from '@theia/core/lib/browser';
import { Command } from '@theia/core/lib/common/command';
import { nls } from '@theia/core/lib/common/nls';
import { StartableCli } from '../common/companion-protocol';

const CATEGORY = 'Companion';
const CATEGORY_KEY = 'theia/cli-companion/category';

function define(id: string, label: string, key: string, icon?: string): Command {
    return Command.toLocalizedCommand({ id, label, category: CATEGORY, iconClass: icon && codicon(icon) }, key, CATEGORY_KEY);
}

/** On buttons. Not the texts of VS Code: those are English without its language pack. */
export function acceptWord(): string {
    return nls.localize('theia/cli-companion/review/accept', 'Accept');
}

export function rejectWord(): string {
    return nls.localize('theia/cli-companion/review/reject', 'Reject');
}

/** Ids that users' key bindings, tests and embedders rely on. */
export const CompanionCommands = {
    ACCEPT_REVIEW: define('companion.review.accept', 'Accept Proposal', 'theia/cli-companion/commands/accept', 'check'),
    REJECT_REVIEW: define('companion.review.reject', 'Reject Proposal', 'theia/cli-companion/commands/reject', 'circle-slash'),
    NEXT_REVIEW: define('companion.review.next', 'Go to Next Waiting Proposal', 'theia/cli-companion/commands/nextReview'),
    NEXT_CHANGE: define(
        'companion.review.nextChange',
        'Go to Next Change in the Proposal',
        'theia/cli-companion/commands/nextChange',
        'arrow-down'
    ),
    PREVIOUS_CHANGE: define(
        'companion.review.previousChange',
        'Go to Previous Change in the Proposal',
        'theia/cli-companion/commands/previousChange',
        'arrow-up'
    ),
    CHECK_CONNECTION: define('companion.checkConnection', 'Diagnose CLI Connection', 'theia/cli-companion/commands/checkConnection'),
    SHOW_LOG: define('companion.showLog', 'Show Log', 'theia/cli-companion/commands/showLog'),
    /** Named as the arrow in the diff. */
    REVERT_CHANGE: {
        id: 'companion.review.revertChange',
        label: nls.localizeByDefault('Revert Block'),
        category: nls.localize(CATEGORY_KEY, CATEGORY)
    },
    TOGGLE_LAYOUT: define(
        'companion.review.toggleLayout',
        'Show the Proposal Inline or Side by Side',
        'theia/cli-companion/commands/toggleLayout',
        'split-horizontal'
    ),
    SHOW_OTHER: define('companion.review.showOther', 'Show the Other Version of the Proposal', 'theia/cli-companion/commands/showOther'),
    SHOW_STATUS: define('companion.showStatus', 'Show Status', 'theia/cli-companion/commands/showStatus'),
    ADD_SELECTION: define('companion.prompt.addSelection', 'Add Selection to CLI Prompt', 'theia/cli-companion/commands/addSelection'),
    ADD_FILE: define('companion.prompt.addFile', 'Add File to CLI Prompt', 'theia/cli-companion/commands/addFile'),
    /** For menus of trees only, so without a label: it acts on the selected rows. */
    ADD_CHOSEN: { id: 'companion.prompt.addChosen' },
    TOGGLE_SHARING: define(
        'companion.context.toggleSharing',
        'Pause or Resume Sharing in This Window',
        'theia/cli-companion/commands/toggleSharing'
    ),
    SHOW_CONTEXT: define('companion.context.show', 'Show What Was Last Shared with CLIs', 'theia/cli-companion/commands/showContext'),
    /** `companion.run.qwen-code`, `companion.run.gemini-cli`, and one for each CLI that an application contributes. */
    run: ({ id, displayName }: Pick<StartableCli, 'id' | 'displayName'>): Command => ({
        id: `companion.run.${id}`,
        label: nls.localize('theia/cli-companion/commands/run', 'Run {0}', displayName),
        category: nls.localize(CATEGORY_KEY, CATEGORY)
    })
} as const;
