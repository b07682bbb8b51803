// SPDX-License-Identifier: Apache-2.0

import { SlashCommand } from '../../common/session-events';

export interface SlashCompletion {
    /** How many characters before the cursor the name begins; the slash stays. */
    typed: number;
    commands: readonly SlashCommand[];
}

/**
 * What can be completed at the cursor. The daemon takes a command only at the beginning of a message.
 * @param before the message up to the cursor
 */
export function slashCompletion(before: string, commands: readonly SlashCommand[]): SlashCompletion | undefined {
    const [, typed] = /^\s*(?:@Qwen\s+)?\/([\w-]*)$/.exec(before) ?? [];
    return typed === undefined || !commands.length ? undefined : { typed: typed.length, commands };
}
