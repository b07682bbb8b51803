// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionConfiguration, CompanionPreferences } from '../../common/companion-preferences';
import { IdeModeOffer } from '../../common/companion-protocol';
import { HostEnvironment } from '../host/host-environment';
import { ProcessDetails } from '../host/process-table';
import { workspacePath } from '../host/workspace-roots';
import { approvalMode } from './approval-mode';
import { GeminiSettings } from './gemini-settings';
import {
    DiscoveryFile,
    DiscoverySubject,
    idePids,
    InheritedVariables,
    specifiedContent,
    specifiedFolder,
    StaleFilePattern,
    SupportedCli,
    TerminalVariables
} from './supported-cli';

/** By these Gemini CLI takes a process for one in a container, and then looks for the IDE on a host named `host.docker.internal`. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv'];
/** Any of these makes it use the loopback address all the same. */
const LOOPBACK_VARIABLES = ['SSH_CONNECTION', 'VSCODE_REMOTE_CONTAINERS_SESSION', 'REMOTE_CONTAINERS'];

/** Gemini CLI, which reads the specification's file. */
@injectable()
export class GeminiCli implements SupportedCli {
    readonly id = 'gemini-cli';
    readonly displayName = 'Gemini CLI';
    readonly command = 'gemini';
    readonly install = 'npm install -g @google/gemini-cli';

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(GeminiSettings)
    protected readonly settings: GeminiSettings;

    @inject(CompanionPreferences)
    protected readonly preferences: Pick<CompanionConfiguration, 'companion.container.loopback'>;

    /** Never under the older name without a port: Gemini CLI takes that file without a look at the workspace. */
    async discoveryFiles(subject: DiscoverySubject): Promise<DiscoveryFile[]> {
        return idePids(this.host).map(pid => ({
            folder: specifiedFolder(this.host, 'gemini'),
            name: `gemini-ide-server-${pid}-${subject.port}.json`,
            content: specifiedContent(subject)
        }));
    }

    terminalVariables({ port, roots }: Pick<DiscoverySubject, 'port' | 'roots'>): TerminalVariables {
        return {
            GEMINI_CLI_IDE_SERVER_PORT: String(port),
            GEMINI_CLI_IDE_WORKSPACE_PATH: workspacePath(roots) || null,
            // Spares the CLI its walk through the process tree, which fails without `ps` and is led astray by tmux. Our own pid,
            // since two backends may have one parent.
            GEMINI_CLI_IDE_PID: String(this.host.pid),
            GEMINI_CLI_IDE_AUTH_TOKEN: null,
            GEMINI_CLI_IDE_SERVER_STDIO_COMMAND: null,
            GEMINI_CLI_IDE_SERVER_STDIO_ARGS: null
        };
    }

    terminalDefaults(inherited: InheritedVariables): TerminalVariables {
        return this.needsLoopback(inherited) ? { REMOTE_CONTAINERS: 'true' } : {};
    }

    async staleFilePatterns(): Promise<StaleFilePattern[]> {
        return [{ folder: specifiedFolder(this.host, 'gemini'), name: /^gemini-ide-server-\d+-\d+\.json$/ }];
    }

    /** It takes `yolo` from its command line only. */
    async unaskedMode({ command, folder }: ProcessDetails): Promise<string | undefined> {
        const mode = await approvalMode(command, {
            name: 'general.defaultApprovalMode',
            files: [this.settings.path],
            workspaceFile: path.join(folder, '.gemini', 'settings.json')
        });
        return ['yolo', 'auto_edit'].find(unasked => unasked === mode);
    }

    async ideModeOffer(): Promise<IdeModeOffer | undefined> {
        const offer = await this.settings.offer();
        return offer && { cliId: this.id, displayName: this.displayName, ...offer };
    }

    acceptIdeModeOffer(): Promise<void> {
        return this.settings.enableIdeMode();
    }

    protected needsLoopback(inherited: InheritedVariables): boolean {
        if (LOOPBACK_VARIABLES.some(name => inherited[name])) {
            return false;
        }
        switch (this.preferences['companion.container.loopback']) {
            case 'always':
                return true;
            case 'never':
                return false;
            default:
                return CONTAINER_FILES.some(file => this.host.exists(file));
        }
    }
}
