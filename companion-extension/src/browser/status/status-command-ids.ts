// SPDX-License-Identifier: Apache-2.0

import { defineCommand } from '../companion-command';

export const STATUS_COMMANDS = {
    SHOW_STATUS: defineCommand('companion.showStatus', 'theia/cli-companion/commands/showStatus', 'Show Status'),
    OPEN_SETTINGS: defineCommand('companion.openSettings', 'theia/cli-companion/commands/openSettings', 'Open Settings'),
    /** Of rows of the status list: without labels, because the arguments say what they act on. */
    RELOAD: { id: 'companion.status.reload' },
    TURN_ON: { id: 'companion.status.turnOn' }
} as const;
