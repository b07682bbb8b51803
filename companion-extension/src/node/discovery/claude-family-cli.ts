// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { HostEnvironment } from '../host/host-environment';
import { elsewhere, FolderLocation } from './secure-folder';
import { CliSettings, optionValue } from './cli-settings';
import {
    ClaudeFamily,
    CliConfiguration,
    CliTerminal,
    DiscoveryFile,
    DiscoverySubject,
    folderIn,
    homeFolderOf,
    ServerPlace,
    StaleFilePattern,
    SupportedCli,
    TerminalVariables,
    Variables
} from './supported-cli';

export const CLAUDE_FAMILY: ClaudeFamily = {
    tokenHeader: 'X-Claude-Code-Ide-Authorization',
    folderVariable: 'CLAUDE_CONFIG_DIR',
    folder: '.claude',
    terminalVariables: {
        CLAUDE_CODE_AUTO_CONNECT_IDE: 'true',
        // It would look for the command of an IDE that it knows.
        CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: 'true',
        // Of another IDE. With one of ours OpenCode would connect without a token (1.18).
        CLAUDE_CODE_SSE_PORT: null,
        ENABLE_IDE_INTEGRATION: null
    }
};

/** The variable by which a shell, and what runs in it, is known to belong to a window: the port of the window's server. */
export const WINDOW_PORT_VARIABLE = 'THEIA_COMPANION_PORT';

const LOCK = /^\d+\.lock$/;

/** A CLI of a family that speaks Claude Code's protocol. One lock file serves all CLIs of the family. */
@injectable()
export abstract class ClaudeFamilyCli implements SupportedCli {
    abstract readonly id: string;
    abstract readonly displayName: string;
    abstract readonly command: string;
    /** As the CLI calls itself when it connects. */
    abstract readonly clientName: string;
    readonly family: ClaudeFamily = CLAUDE_FAMILY;
    readonly portVariable = WINDOW_PORT_VARIABLE;
    readonly connectCommand: string | undefined = '/ide';

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    /** @param subject with the folders of all windows: the CLI connects to none if it finds two locks for one folder (Claude Code 2.1.330) */
    async discoveryFiles({ port, roots, token, identity }: DiscoverySubject): Promise<DiscoveryFile[]> {
        if (roots.length === 0) {
            return [];
        }
        const content = {
            // Claude Code deletes the lock of a process that has ended.
            pid: this.host.pid,
            workspaceFolders: roots,
            ideName: identity.displayName,
            transport: 'ws',
            authToken: token
        };
        return [{ folder: this.lockFolder, name: `${port}.lock`, content }];
    }

    terminalVariables({ port }: Pick<ServerPlace, 'port'>): TerminalVariables {
        return { ...this.family.terminalVariables, [WINDOW_PORT_VARIABLE]: String(port) };
    }

    async staleFilePatterns(): Promise<StaleFilePattern[]> {
        return [{ folder: this.lockFolder, name: LOCK }];
    }

    async discoveryFolder({ variables }: CliTerminal): Promise<string> {
        return path.join(this.ownFolder(variables), 'ide');
    }

    protected ownFolder(variables: Variables): string {
        return variables[this.family.folderVariable] || path.join(homeFolderOf(variables, this.host), this.family.folder);
    }

    protected get lockFolder(): FolderLocation {
        return folderIn(
            this.ownFolder(this.host.variables),
            'ide',
            this.host,
            elsewhere(this.family.folderVariable, `$HOME/${this.family.folder}-own`)
        );
    }
}

const ASKING_COMMAND = 'claude --permission-mode manual';

/** Modes in which no diff opens. Without any mode the CLI is in the last one (2.1.330). */
const UNASKED_MODES = ['acceptEdits', 'bypassPermissions', 'dontAsk', 'auto'];

@injectable()
export class ClaudeCodeCli extends ClaudeFamilyCli {
    readonly id = 'claude-code';
    readonly displayName = 'Claude Code';
    readonly command = 'claude';
    readonly install = 'npm install -g @anthropic-ai/claude-code';
    readonly clientName = 'claude-code';
    /**
     * Seen with 2.1.330: after an answer in its terminal it writes its own text. Where the file has changed, an edit of a piece is made if the
     * piece is still there; an edit that does not fit any more, and a new text for a file that it has read, are not written. A file that
     * somebody else has made meanwhile is replaced.
     */
    readonly reviewTraits = { dropsEditsInTerminal: true, changedFile: 'merges' as const };

    @inject(BackendPreferences)
    protected readonly preferences: BackendPreferences;

    /** No environment variable and no file of an administrator says it for all (2.1.330). */
    get startCommand(): string {
        return this.preferences['companion.claude.askBeforeEdits'] ? ASKING_COMMAND : this.command;
    }

    async configuration(terminal: CliTerminal): Promise<CliConfiguration> {
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

/** OpenCode takes the context alone, and opens no diff (1.18). */
@injectable()
export class OpenCodeCli extends ClaudeFamilyCli {
    readonly id = 'opencode';
    readonly displayName = 'OpenCode';
    readonly command = 'opencode';
    readonly install = 'npm install -g opencode-ai';
    readonly clientName = 'opencode';
    override readonly connectCommand = undefined;
}

function modeArgument(command: readonly string[]): string | undefined {
    return command.includes('--dangerously-skip-permissions') ? 'bypassPermissions' : optionValue(command, '--permission-mode');
}
