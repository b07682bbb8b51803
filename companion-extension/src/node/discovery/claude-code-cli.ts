// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { injectable } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { ClaudeFamilyCli } from './claude-family-cli';
import { CliSettings, optionValue } from './cli-settings';
import { ALT_ENTER, CliConfiguration, CliSurroundings } from './supported-cli';

const ASKING_COMMAND = 'claude --permission-mode manual';

/** Modes in which no diff opens. Without any mode the CLI is in the last one (2.1.330). */
const UNASKED_MODES = ['acceptEdits', 'bypassPermissions', 'dontAsk', 'auto'];

/** Claude Code, with its lock file. @since 0.1 */
@injectable()
export class ClaudeCodeCli extends ClaudeFamilyCli {
    readonly id = 'claude-code';
    readonly displayName = 'Claude Code';
    readonly command = 'claude';
    readonly install = 'npm install -g @anthropic-ai/claude-code';
    readonly clientName = 'claude-code';
    readonly newLine = ALT_ENTER;
    /** Seen with 2.1.332: for `a#b` it would read `a`. */
    readonly mentionStyle = { form: 'quoted' as const, unread: '"#' };
    /**
     * Seen with 2.1.330: after an answer in its terminal it writes its own text. Where the file has changed, an edit of a piece is made if the
     * piece is still there; an edit that does not fit any more, and a new text for a file that it has read, are not written. A file that
     * somebody else has made meanwhile is replaced.
     */
    readonly reviewTraits = { dropsEditsInTerminal: true, changedFile: 'merges' as const };

    /** No environment variable and no file of an administrator says it for all (2.1.330). */
    startCommand(preferences: BackendPreferences): string {
        return preferences['companion.claude.askBeforeEdits'] ? ASKING_COMMAND : this.command;
    }

    async configuration(terminal: CliSurroundings): Promise<CliConfiguration> {
        const own = this.ownFolder(terminal.variables);
        const name = modeArgument(terminal.command) ?? (await this.modeSetting(terminal.folder, own)) ?? 'auto';
        return {
            // The terminal's variable says it for each CLI in it.
            ideMode: { on: true, file: path.join(own, 'settings.json') },
            // It asks before it starts.
            trusted: true,
            approval: { name, asks: !UNASKED_MODES.includes(name) },
            askingCommand: ASKING_COMMAND
        };
    }

    /** The one that counts most first. */
    protected async modeSetting(folder: string, own: string): Promise<string | undefined> {
        const files = [
            path.join(folder, '.claude', 'settings.local.json'),
            path.join(folder, '.claude', 'settings.json'),
            path.join(own, 'settings.json')
        ];
        for (const file of files) {
            const settings = (await CliSettings.readFile(file)) as { permissions?: { defaultMode?: unknown } } | undefined;
            if (typeof settings?.permissions?.defaultMode === 'string') {
                return settings.permissions.defaultMode;
            }
        }
        return undefined;
    }
}

function modeArgument(command: readonly string[]): string | undefined {
    return command.includes('--dangerously-skip-permissions') ? 'bypassPermissions' : optionValue(command, '--permission-mode');
}
