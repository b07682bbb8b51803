// SPDX-License-Identifier: Apache-2.0

import { defineCommand } from '../companion-command';

export const AGENT_COMMANDS = {
    NEXT_AGENT: defineCommand('companion.agents.next', 'theia/cli-companion/commands/nextAgent', 'Go to Next Program That Waits'),
    /** Of a row of the status list: without a label, because the argument says which agent. */
    REVEAL_AGENT: { id: 'companion.agents.reveal' }
} as const;
