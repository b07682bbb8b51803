// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { approvalArgument } from '../discovery/approval-mode';
import { qwenHome } from '../discovery/qwen-code-cli';
import { HostEnvironment } from '../host/host-environment';
import { ApprovalMode, CliProfile, Search } from './cli-profile';
import { CliSettings, SettingsFiles, trustOf } from './cli-settings';
import { FoundFile, isAlive, listFiles, Lookup, readFoundFile } from './found-files';
import { homeFolderOf, temporaryFolderOf, Variables } from './terminal-facts';

/** Qwen Code 0.24, as its published code and the real program show. */
export class QwenProfile implements CliProfile {
    readonly cliId = 'qwen-code';
    readonly minimumVersion = '0.12.0';
    readonly install = 'npm install -g @qwen-code/qwen-code';
    readonly trustCommand = '/trust';
    readonly leavesContainer = false;
    readonly saysMismatch = false;
    readonly folderVariable = 'HOME';

    /** Without its cleaning up: it deletes the file of a process that it cannot signal. */
    async find({ terminal: { variables, folder: workingFolder }, host, idePid }: Search): Promise<Lookup> {
        const folder = path.join(await this.home(variables, host, workingFolder), 'ide');
        const port = variables['QWEN_CODE_IDE_SERVER_PORT'];
        const temporary = temporaryFolderOf(variables);
        const named = [
            ...(port ? [path.join(folder, `${port}.lock`)] : []),
            path.join(temporary, `qwen-code-ide-server-${idePid}.json`),
            ...(port ? [path.join(temporary, `qwen-code-ide-server-${port}.json`)] : [])
        ];
        const mismatched: FoundFile[] = [];
        for (const name of named) {
            const file = await readFoundFile(name, workingFolder);
            if (file && (file.matches || file.workspacePath === undefined)) {
                return { folder, found: file, mismatched };
            }
            mismatched.push(...(file ? [file] : []));
        }
        const read = await Promise.all((await listFiles(folder, /^\d+\.lock$/)).map(name => readFoundFile(name, workingFolder)));
        const files = read
            .filter((file): file is FoundFile => file !== undefined && (file.ppid === undefined || isAlive(file.ppid)))
            .sort((one, other) => other.modifiedAt - one.modifiedAt);
        const others = files.filter(file => !file.matches && mismatched.every(known => known.path !== file.path));
        return { folder, found: files.find(({ matches }) => matches), mismatched: [...mismatched, ...others] };
    }

    async settingsFiles(variables: Variables, host: HostEnvironment, folder: string): Promise<SettingsFiles> {
        const systemFolder = host.platform === 'darwin' ? '/Library/Application Support/QwenCode' : '/etc/qwen-code';
        const system = variables['QWEN_CODE_SYSTEM_SETTINGS_PATH'] || path.join(systemFolder, 'settings.json');
        return {
            systemDefaults: variables['QWEN_CODE_SYSTEM_DEFAULTS_PATH'] || path.join(path.dirname(system), 'system-defaults.json'),
            user: path.join(await this.home(variables, host, folder), 'settings.json'),
            workspace: path.join(folder, '.qwen', 'settings.json'),
            system
        };
    }

    approvalMode(settings: (name: string) => unknown, args: readonly string[]): ApprovalMode {
        const configured = settings('tools.approvalMode');
        const name = approvalArgument(args) ?? (typeof configured === 'string' ? configured : 'auto');
        return { name, asks: name === 'default' || name === 'plan', mend: 'qwen --approval-mode default' };
    }

    async trust(settings: CliSettings, variables: Variables, host: HostEnvironment, folder: string): Promise<boolean | undefined> {
        if (settings.get('security.folderTrust.enabled', false).value !== true) {
            return true;
        }
        const file =
            variables['QWEN_CODE_TRUSTED_FOLDERS_PATH'] || path.join(await this.home(variables, host, folder), 'trustedFolders.json');
        return trustOf(folder, file);
    }

    /** @param folder that a relative `QWEN_HOME` is resolved against */
    protected async home(variables: Variables, host: HostEnvironment, folder: string): Promise<string> {
        const known = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? undefined]));
        const home = await qwenHome({
            variables: known,
            homeFolder: homeFolderOf(variables, host),
            temporaryFolder: temporaryFolderOf(variables)
        });
        return path.resolve(folder, home);
    }
}
