// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { approvalArgument } from '../discovery/approval-mode';
import { HostEnvironment } from '../host/host-environment';
import { ApprovalMode, CliProfile, Search } from './cli-profile';
import { CliSettings, SettingsFiles, trustOf } from './cli-settings';
import { FoundFile, isAlive, listFiles, Lookup, readFoundFile } from './found-files';
import { homeFolderOf, temporaryFolderOf, Variables } from './terminal-facts';

const FILE = /^gemini-ide-server-(\d+)-\d+\.json$/;

/** Gemini CLI 0.61, as its published code and the real program show. */
export class GeminiProfile implements CliProfile {
    readonly cliId = 'gemini-cli';
    readonly minimumVersion = '0.30.0';
    readonly install = 'npm install -g @google/gemini-cli';
    readonly trustCommand = '/permissions';
    readonly pidVariable = 'GEMINI_CLI_IDE_PID';
    readonly leavesContainer = true;
    readonly saysMismatch = true;
    readonly folderVariable = 'TMPDIR';

    async find({ terminal: { variables, folder: workingFolder }, host, idePid }: Search): Promise<Lookup> {
        const folder = path.join(temporaryFolderOf(variables), 'gemini', 'ide');
        const legacy = path.join(folder, `gemini-ide-server-${idePid}.json`);
        const legacyFile = await readFoundFile(legacy, workingFolder);
        if (legacyFile) {
            // Taken without a look at the workspace.
            return { folder, found: legacyFile, mismatched: legacyFile.matches ? [] : [legacyFile] };
        }
        const read = await Promise.all((await listFiles(folder, FILE)).map(file => readFoundFile(file, workingFolder)));
        const files = read.filter((file): file is FoundFile => file !== undefined && (host.uid === undefined || file.uid === host.uid));
        const pidIn = ({ path: file }: FoundFile): number => Number(FILE.exec(path.basename(file))?.[1]);
        const rank = (file: FoundFile): number => (pidIn(file) === idePid ? 2 : isAlive(pidIn(file)) ? 1 : 0);
        files.sort((one, other) => rank(other) - rank(one) || pidIn(other) - pidIn(one));
        const matching = files.filter(({ matches }) => matches);
        const port = variables['GEMINI_CLI_IDE_SERVER_PORT'];
        const found = matching.find(file => String(file.port) === port) ?? matching[0];
        return { folder, found, mismatched: files.filter(({ matches }) => !matches) };
    }

    async settingsFiles(variables: Variables, host: HostEnvironment, folder: string): Promise<SettingsFiles> {
        const systemFolder = host.platform === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli';
        const system = variables['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || path.join(systemFolder, 'settings.json');
        return {
            systemDefaults: variables['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] || path.join(path.dirname(system), 'system-defaults.json'),
            user: path.join(this.home(variables, host), 'settings.json'),
            workspace: path.join(folder, '.gemini', 'settings.json'),
            system
        };
    }

    approvalMode(settings: (name: string) => unknown, args: readonly string[]): ApprovalMode {
        const configured = settings('general.defaultApprovalMode') ?? settings('tools.approvalMode');
        // It does not take this one from its settings.
        const name = approvalArgument(args) ?? (typeof configured === 'string' && configured !== 'yolo' ? configured : 'default');
        return { name, asks: name !== 'yolo' && name !== 'auto_edit', mend: 'gemini --approval-mode default' };
    }

    async trust(settings: CliSettings, variables: Variables, host: HostEnvironment, folder: string): Promise<boolean | undefined> {
        const forced = variables['GEMINI_CLI_TRUST_WORKSPACE'];
        if (forced === 'true' || forced === 'false') {
            return forced === 'true';
        }
        if (settings.get('security.folderTrust.enabled', false).value === false) {
            return true;
        }
        const file = variables['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || path.join(this.home(variables, host), 'trustedFolders.json');
        return trustOf(folder, file);
    }

    protected home(variables: Variables, host: HostEnvironment): string {
        return path.join(variables['GEMINI_CLI_HOME'] || homeFolderOf(variables, host), '.gemini');
    }
}
