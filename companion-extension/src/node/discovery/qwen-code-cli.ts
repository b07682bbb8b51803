// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { promises as fs } from 'fs';
import { parseEnv } from 'util';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionConfiguration, CompanionPreferences } from '../../common/companion-preferences';
import { CompanionProblem } from '../../common/companion-problem';
import { HostEnvironment } from '../host/host-environment';
import { ProcessDetails } from '../host/process-table';
import { isInside, workspacePath } from '../host/workspace-roots';
import { approvalMode } from './approval-mode';
import { QwenSystemDefaults } from './qwen-system-defaults';
import { elsewhere, FolderLocation } from './secure-folder';
import {
    DiscoveryFile,
    DiscoverySubject,
    idePids,
    InheritedVariables,
    OWN_TMPDIR,
    specifiedContent,
    specifiedFolder,
    StaleFilePattern,
    SupportedCli,
    TerminalVariables
} from './supported-cli';

const OWN_QWEN_HOME = elsewhere('QWEN_HOME', '$HOME/.qwen-own');

/** Qwen Code: the specification's file, and the lock file that Qwen Code 0.24 reads instead of it. */
@injectable()
export class QwenCodeCli implements SupportedCli {
    readonly id = 'qwen-code';
    readonly displayName = 'Qwen Code';
    readonly command = 'qwen';
    readonly install = 'npm install -g @qwen-code/qwen-code';
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

    /** In `auto` a model decides, and lets what stays in the workspace pass. */
    async unaskedMode({ command, environment, folder }: ProcessDetails): Promise<string | undefined> {
        const variables = Object.fromEntries(environment.map(variable => variable.split(/=(.*)/s, 2)));
        const mode = await approvalMode(command, {
            name: 'tools.approvalMode',
            files: [
                path.join(path.dirname(this.defaults.administratorsFile(variables)), 'settings.json'),
                path.resolve(folder, await qwenHome(this.host), 'settings.json'),
                variables['QWEN_CODE_SYSTEM_DEFAULTS_PATH'] ?? this.defaults.administratorsFile(variables)
            ],
            workspaceFile: path.join(folder, '.qwen', 'settings.json')
        });
        return ['yolo', 'auto', 'auto-edit'].find(unasked => unasked === mode);
    }

    protected async lockFolder(): Promise<FolderLocation> {
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

/**
 * The folder that Qwen Code (0.24.4, `resolveQwenHome`) takes for its own: `QWEN_HOME`, which may stand in `~/.qwen/.env` or
 * `~/.env` and may begin with `~`, or else `~/.qwen`.
 *
 * @returns a relative path if `QWEN_HOME` is one. Qwen Code resolves it against the folder that it is started in.
 */
export async function qwenHome(host: Pick<HostEnvironment, 'variables' | 'homeFolder' | 'temporaryFolder'>): Promise<string> {
    const home = host.homeFolder || host.temporaryFolder;
    const configured = host.variables['QWEN_HOME'] ?? (await fromEnvFiles(home));
    if (!configured) {
        return path.join(home, '.qwen');
    }
    if (configured === '~') {
        return home;
    }
    if (configured.startsWith('~/') || configured.startsWith('~\\')) {
        return path.join(
            home,
            ...configured
                .slice(2)
                .split(/[/\\]+/)
                .filter(Boolean)
        );
    }
    return path.normalize(configured);
}

async function fromEnvFiles(home: string): Promise<string | undefined> {
    for (const file of [path.join(home, '.qwen', '.env'), path.join(home, '.env')]) {
        try {
            const source = (await fs.readFile(file, 'utf8'))
                .replace(/^\uFEFF/, '')
                .replace(/^(\s*(?:export\s+)?QWEN_HOME):[^\S\r\n]+/gm, '$1=');
            const configured = parseEnv(source)['QWEN_HOME'];
            if (configured) {
                return configured;
            }
        } catch {
            // Qwen Code goes on without a file that is missing or broken, too.
        }
    }
    return undefined;
}
