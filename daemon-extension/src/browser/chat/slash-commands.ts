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

/** The part of a file's path that is typed behind `@`; `undefined` where none is. The agent's own mention is none. */
export function fileMention(before: string): string | undefined {
    const [, typed] = /(?:^|\s)@([^\s@]*)$/.exec(before) ?? [];
    return typed && 'Qwen'.startsWith(typed) ? undefined : typed;
}

/**
 * What stands in the message for a file, which also becomes a chip at the input.
 * @param path as Theia writes it
 */
export function fileReference(path: string): string {
    // Theia ends the reference at any other character; the chip then carries the file alone.
    return /^[\w\-/\\.:]+$/.test(path) ? `#file:${path} ` : `${path} `;
}
