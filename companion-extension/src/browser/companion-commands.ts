// SPDX-License-Identifier: Apache-2.0

import { AGENT_COMMANDS } from './agents/agents-command-ids';
import { CHANGE_COMMANDS } from './changes/changes-command-ids';
import { CONTEXT_COMMANDS } from './context/context-command-ids';
import { REVIEW_COMMANDS } from './review/review-command-ids';
import { STATUS_COMMANDS } from './status/status-command-ids';
import { PROMPT_COMMANDS } from './terminal/prompt-command-ids';
import { SHARED_COMMANDS } from './window/shared-command-ids';

/** All commands, for embedders. Users' key bindings and tests rely on their ids, too. @since 0.1 */
export const CompanionCommands = {
    ...AGENT_COMMANDS,
    ...CHANGE_COMMANDS,
    ...CONTEXT_COMMANDS,
    ...REVIEW_COMMANDS,
    ...STATUS_COMMANDS,
    ...PROMPT_COMMANDS,
    ...SHARED_COMMANDS
} as const;
