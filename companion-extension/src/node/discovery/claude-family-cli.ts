// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { HostEnvironment } from '../host/host-environment';
import { elsewhere, FolderLocation } from './secure-folder';
import {
    ClaudeFamily,
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
    /** The name that the CLI gives itself when it connects. */
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
