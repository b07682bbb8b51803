// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionConfiguration, CompanionPreferences } from '../../common/companion-preferences';
import { CompanionProblem } from '../../common/companion-protocol';
import { isInside } from '../path-containment';
import { HostEnvironment } from './host-environment';
import { qwenHome } from './qwen-home';
import { QwenSystemDefaults } from './qwen-system-defaults';
import { elsewhere, FolderLocation } from './secure-folder';
import { idePids, OWN_TMPDIR, specifiedContent, specifiedFolder } from './specified-discovery';
import { DiscoveryFile, DiscoverySubject, InheritedVariables, StaleFilePattern, SupportedCli, TerminalVariables } from './supported-cli';
import { workspacePath } from './workspace-path';

const OWN_QWEN_HOME = elsewhere('QWEN_HOME', '$HOME/.qwen-own');

/** Qwen Code: the specification's file, and the lock file that Qwen Code 0.24 reads instead of it. */
@injectable()
export class QwenCodeCli implements SupportedCli {
    readonly id = 'qwen-code';
    readonly displayName = 'Qwen Code';
    readonly command = 'qwen';
    /** Seen with Qwen Code 0.24. */
    readonly reviewTraits = { dropsEditsInTerminal: true, refusesChangedFile: true };

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    @inject(QwenSystemDefaults)
    protected readonly defaults: QwenSystemDefaults;

    @inject(CompanionPreferences)
    protected readonly preferences: Pick<CompanionConfiguration, 'companion.qwen.askBeforeEdits'>;

    /** Its `.env` files name the folder of the lock file. */
    get readFolder(): string {
        return this.host.homeFolder || this.host.temporaryFolder;
    }

    async discoveryFiles(subject: DiscoverySubject): Promise<DiscoveryFile[]> {
        const content = specifiedContent(subject);
        const specified = idePids(this.host).map(pid => ({
            folder: specifiedFolder(this.host, 'qwen'),
            name: `qwen-code-ide-server-${pid}-${subject.port}.json`,
            content
        }));
        const lock: DiscoveryFile = {
            folder: await this.lockFolder(),
            name: `${subject.port}.lock`,
            // Qwen Code deletes the lock of a process that it cannot signal: a parent may have ended, or be root's. Ours is as
            // alive as the server.
            content: { ...content, ppid: this.host.pid, ideName: subject.identity.displayName }
        };
        return [...specified, lock];
    }

    terminalVariables({ port, roots }: Pick<DiscoverySubject, 'port' | 'roots'>): TerminalVariables {
        return {
            QWEN_CODE_IDE_SERVER_PORT: String(port),
            // An empty one would not count as set when Qwen Code offers to connect, and a stale one would name another workspace.
            QWEN_CODE_IDE_WORKSPACE_PATH: workspacePath(roots) || null,
            QWEN_CODE_IDE_AUTH_TOKEN: null,
            QWEN_CODE_IDE_PID: null,
            QWEN_CODE_IDE_SERVER_STDIO_COMMAND: null,
            QWEN_CODE_IDE_SERVER_STDIO_ARGS: null
        };
    }

    terminalDefaults(inherited: InheritedVariables): TerminalVariables {
        const file = this.defaults.fileFor(this.preferences['companion.qwen.askBeforeEdits'], inherited);
        return file === undefined ? {} : { QWEN_CODE_SYSTEM_DEFAULTS_PATH: file };
    }

    prepareTerminals(): Promise<void> {
        return this.defaults.prepare();
    }

    get terminalProblem(): CompanionProblem | undefined {
        return this.defaults.problem;
    }

    async staleFilePatterns(): Promise<StaleFilePattern[]> {
        return [
            { folder: specifiedFolder(this.host, 'qwen'), name: /^qwen-code-ide-server-\d+-\d+\.json$/ },
            { folder: await this.lockFolder(), name: /^\d+\.lock$/ }
        ];
    }

    private async lockFolder(): Promise<FolderLocation> {
        const home = await qwenHome(this.host);
        const { temporaryFolder } = this.host;
        // The user's own folder may be a link; below the temporary folder everybody can plant one, at every level.
        const shared = isInside(temporaryFolder, home);
        const base = shared ? temporaryFolder : path.dirname(home);
        return {
            base,
            below: [...path.relative(base, home).split(path.sep), 'ide'].filter(Boolean),
            symlinks: shared ? 'refuse' : 'follow',
            // Above the HOME no folder of Qwen Code's is in the way, but the temporary folder that HOME lies in.
            elsewhere: refused => (shared && isInside(refused, this.host.homeFolder) ? OWN_TMPDIR : OWN_QWEN_HOME)
        };
    }
}
