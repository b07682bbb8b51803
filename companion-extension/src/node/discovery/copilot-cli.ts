// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { HostEnvironment } from '../host/host-environment';
import { WINDOW_PORT_VARIABLE } from './claude-family-cli';
import { CliSettings } from './cli-settings';
import { elsewhere, FolderLocation } from './secure-folder';
import {
    ALT_ENTER,
    CliConfiguration,
    CliSurroundings,
    DiscoveryFile,
    folderIn,
    homeFolderOf,
    LockSubject,
    ServerPlace,
    StaleFilePattern,
    SupportedCli,
    TerminalVariables,
    Variables
} from './supported-cli';

/** Names the CLI's own folder, in which `ide/UUID.lock` lies. */
const FOLDER_VARIABLE = 'COPILOT_HOME';

const LOCK = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.lock$/;

/** Options with which it writes files without asking (1.0.102). */
const UNASKED_OPTIONS = ['--allow-all', '--allow-all-tools', '--yolo', '--autopilot'];

/** Copilot CLI, with a lock for each open folder. @since 0.1 */
@injectable()
export class CopilotCli implements SupportedCli {
    readonly id = 'copilot';
    readonly displayName = 'Copilot CLI';
    readonly command = 'copilot';
    readonly install = 'npm install -g @github/copilot';
    readonly connectCommand = '/ide';
    readonly portVariable = WINDOW_PORT_VARIABLE;
    readonly newLine = ALT_ENTER;
    /** Seen with 1.0.102: a name ends at a blank, escaped or in quotes; others would be quoted here. */
    readonly mentionStyle = { form: 'quoted' as const, unread: ' ()[]{};|*?$`\'"#&<>!~,\\' };
    /**
     * Seen with 1.0.102: it writes its own text after each answer, so that nothing that is typed into the diff would count. That replaces a
     * file that has changed; a file that somebody else has made meanwhile stays, and the CLI says so.
     */
    readonly reviewTraits = { writesOwnText: true, createdFile: 'refuses' as const };

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    /** Each folder has a lock of its own, see {@link lockOf}. */
    async discoveryFiles(): Promise<DiscoveryFile[]> {
        return [];
    }

    lockOf({ id, socketPath, token, folder, isTrusted, since, identity }: LockSubject): DiscoveryFile {
        const content = {
            socketPath,
            scheme: 'unix',
            headers: { Authorization: `Nonce ${token}` },
            pid: this.host.pid,
            ideName: identity.displayName,
            timestamp: since,
            workspaceFolders: [folder],
            // It then asks for no trust, and runs what the folder's settings name.
            ...(isTrusted && { isTrusted })
        };
        return { folder: this.lockFolder, name: `${id}.lock`, content };
    }

    terminalVariables({ port }: Pick<ServerPlace, 'port'>): TerminalVariables {
        return { [WINDOW_PORT_VARIABLE]: String(port) };
    }

    async staleFilePatterns(): Promise<StaleFilePattern[]> {
        return [{ folder: this.lockFolder, name: LOCK }];
    }

    async discoveryFolder({ variables }: CliSurroundings): Promise<string> {
        return path.join(this.ownFolder(variables), 'ide');
    }

    async configuration({ variables, command }: CliSurroundings): Promise<CliConfiguration> {
        const file = path.join(this.ownFolder(variables), 'settings.json');
        const settings = ((await CliSettings.readFile(file)) ?? {}) as { ide?: { autoConnect?: unknown; openDiffOnEdit?: unknown } };
        const { autoConnect = true, openDiffOnEdit = true } = settings.ide ?? {};
        const unasked = UNASKED_OPTIONS.find(option => command.includes(option)) ?? (openDiffOnEdit ? undefined : 'ide.openDiffOnEdit');
        return {
            ideMode: { on: autoConnect !== false, file },
            // It takes the trust of the IDE, or asks before it starts.
            trusted: true,
            approval: { name: unasked ?? 'interactive', asks: unasked === undefined },
            askingCommand: this.command
        };
    }

    protected ownFolder(variables: Variables): string {
        return variables[FOLDER_VARIABLE] || path.join(homeFolderOf(variables, this.host), '.copilot');
    }

    protected get lockFolder(): FolderLocation {
        return folderIn(this.ownFolder(this.host.variables), 'ide', this.host, elsewhere(FOLDER_VARIABLE, '$HOME/.copilot-own'));
    }
}
