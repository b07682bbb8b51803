// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { HostEnvironment } from '../host/host-environment';
import { elsewhere, FolderLocation } from './secure-folder';
import {
    CliSurroundings,
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

/** Has the token of the lock file. */
export const CLAUDE_TOKEN_HEADER = 'X-Claude-Code-Ide-Authorization';

/** Names the CLIs' own folder, in which `ide/PORT.lock` lies. */
const FOLDER_VARIABLE = 'CLAUDE_CONFIG_DIR';

/** The variable by which a shell, and what runs in it, is known to belong to a window: the port of the window's server. */
export const WINDOW_PORT_VARIABLE = 'THEIA_COMPANION_PORT';

const LOCK = /^\d+\.lock$/;

/**
 * A CLI that speaks Claude Code's protocol. One lock file serves all of them.
 *
 * Promised: the abstract members, and those of {@link SupportedCli}.
 * @since 0.1
 */
@injectable()
export abstract class ClaudeFamilyCli implements SupportedCli {
    abstract readonly id: string;
    abstract readonly displayName: string;
    abstract readonly command: string;
    /** The name that the CLI gives itself when it connects. */
    abstract readonly clientName: string;
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
        return {
            CLAUDE_CODE_AUTO_CONNECT_IDE: 'true',
            // It would look for the command of an IDE that it knows.
            CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: 'true',
            // Of another IDE. With one of ours OpenCode would connect without a token (1.18).
            CLAUDE_CODE_SSE_PORT: null,
            ENABLE_IDE_INTEGRATION: null,
            [WINDOW_PORT_VARIABLE]: String(port)
        };
    }

    async staleFilePatterns(): Promise<StaleFilePattern[]> {
        return [{ folder: this.lockFolder, name: LOCK }];
    }

    async discoveryFolder({ variables }: CliSurroundings): Promise<string> {
        return path.join(this.ownFolder(variables), 'ide');
    }

    protected ownFolder(variables: Variables): string {
        return variables[FOLDER_VARIABLE] || path.join(homeFolderOf(variables, this.host), '.claude');
    }

    protected get lockFolder(): FolderLocation {
        return folderIn(this.ownFolder(this.host.variables), 'ide', this.host, elsewhere(FOLDER_VARIABLE, '$HOME/.claude-own'));
    }
}
