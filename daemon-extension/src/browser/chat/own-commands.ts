// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { visibleText } from 'theia-cli-companion/lib/common';
import { SlashCommand } from '../../common/session-events';

/**
 * Commands that the chat answers itself. The daemon's own `/clear` takes the session's id away, so that every later message fails, and `/help`
 * is for a terminal alone (Qwen Code 0.24).
 */
export namespace OwnCommands {
    export type Name = 'clear' | 'help';

    /** The command that a message is, if it is one of these. */
    export function of(text: string): Name | undefined {
        const [, name] = /^\/(\S+)\s*$/.exec(text) ?? [];
        return ['clear', 'new', 'reset'].includes(name) ? 'clear' : ['help', '?'].includes(name) ? 'help' : undefined;
    }

    /** What the daemon offers, with these as they are here. */
    export function among(commands: readonly SlashCommand[]): SlashCommand[] {
        const own: SlashCommand[] = [
            { name: 'clear', description: nls.localize('theia/qwen-daemon/commands/clear', 'Begin a new chat'), hint: '' },
            { name: 'help', description: nls.localize('theia/qwen-daemon/commands/help', 'List the commands'), hint: '' }
        ];
        return [...own, ...commands.filter(({ name }) => OwnCommands.of(`/${name}`) === undefined)];
    }

    export function help(commands: readonly SlashCommand[]): string {
        return [
            nls.localize('theia/qwen-daemon/commands/helpTitle', 'A message may begin with one of these:'),
            ...commands.map(({ name, hint, description }) =>
                visibleText(`/${[name, hint].filter(part => part).join(' ')} — ${description}`)
            )
        ].join('\n');
    }
}
