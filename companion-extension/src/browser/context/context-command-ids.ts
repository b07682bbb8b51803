// SPDX-License-Identifier: Apache-2.0

import { defineCommand } from '../companion-command';

export const CONTEXT_COMMANDS = {
    TOGGLE_SHARING: defineCommand(
        'companion.context.toggleSharing',
        'theia/cli-companion/commands/toggleSharing',
        'Pause or Resume Sharing in This Window'
    ),
    SHOW_CONTEXT: defineCommand('companion.context.show', 'theia/cli-companion/commands/showContext', 'Show What Was Last Shared with CLIs')
} as const;
