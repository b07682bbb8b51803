// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { promises as fs } from 'fs';
import { parseEnv } from 'util';
import { inject, injectable } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { CompanionProblem } from '../../common/companion-problem';
import { HostEnvironment } from '../host/host-environment';
import { NoAnswer, FileAccess } from '../host/file-access';
import { FaultError } from '../host/fault-error';
import { CompanionFolder } from './companion-folder';
import { elsewhere, FolderLocation } from './secure-folder';
import { SpecifiedCli } from './specified-cli';
import {
    ALT_ENTER,
    CliSurroundings,
    DiscoveryFile,
    DiscoverySubject,
    folderIn,
    homeFolderOf,
    StaleFilePattern,
    TerminalVariables,
    Variables
} from './supported-cli';

const OWN_QWEN_HOME = elsewhere('QWEN_HOME', '$HOME/.qwen-own');

const LOCK = /^\d+\.lock$/;

/** The version of the settings of Qwen Code 0.24.4. If a file of defaults has none or a lower one, Qwen Code writes the file again. */
const SETTINGS_VERSION = 4;
const COMMON_DEFAULTS = { $version: SETTINGS_VERSION, ide: { enabled: true } };
const ASKING_FILE = 'qwen-defaults-ask.json';
const OTHER_FILE = 'qwen-defaults.json';

/** The files in our folder, by their names. No secret is in them: all backends of a user share them, and none removes them. */
const DEFAULTS: Readonly<Record<string, object>> = {
    [ASKING_FILE]: { ...COMMON_DEFAULTS, tools: { approvalMode: 'default' } },
    [OTHER_FILE]: COMMON_DEFAULTS
};
/** In our folder: a folder of each backend before 30 November 2026, whose files had a hook. Living shells name them. */
const EARLIER_FOLDERS = 'terminals';
/** Beside those of {@link DEFAULTS}: Run started Claude Code with it. */
const EARLIER_FILES: Readonly<Record<string, object>> = { ...DEFAULTS, 'claude-settings.json': {} };

/**
 * Qwen Code 0.24, as its published code and the real program show: the specification's file, and the lock file that it reads instead.
 *
 * @since 0.1
 */
@injectable()
export class QwenCodeCli extends SpecifiedCli {
    readonly id = 'qwen-code';
    readonly displayName = 'Qwen Code';
    readonly command = 'qwen';
    readonly install = 'npm install -g @qwen-code/qwen-code';
    readonly minimumVersion = '0.12.0';
    readonly trustCommand = '/trust';
    readonly newLine = ALT_ENTER;
    readonly titleMarks = { blocked: '✳', working: '◐' };
    readonly reviewTraits = { dropsEditsInTerminal: true, changedFile: 'refuses' as const };

    protected readonly names = {
        folder: 'qwen',
        files: 'qwen-code-ide-server',
        variables: {
            port: 'QWEN_CODE_IDE_SERVER_PORT',
            workspace: 'QWEN_CODE_IDE_WORKSPACE_PATH',
            removed: [
                'QWEN_CODE_IDE_PID',
                'QWEN_CODE_IDE_AUTH_TOKEN',
                'QWEN_CODE_IDE_SERVER_STDIO_COMMAND',
                'QWEN_CODE_IDE_SERVER_STDIO_ARGS'
            ],
            systemSettings: 'QWEN_CODE_SYSTEM_SETTINGS_PATH',
            systemDefaults: 'QWEN_CODE_SYSTEM_DEFAULTS_PATH',
            trustedFolders: 'QWEN_CODE_TRUSTED_FOLDERS_PATH'
        },
        trust: { asksByDefault: false },
        approval: {
            settings: ['tools.approvalMode'],
            // A model decides in it, and lets what stays in the workspace pass.
            defaultMode: 'auto',
            asksIn: (mode: string): boolean => mode === 'default' || mode === 'plan'
        },
        systemFolder: {
            linux: '/etc/qwen-code',
            darwin: '/Library/Application Support/QwenCode'
        }
    };

    @inject(CompanionFolder)
    protected readonly companionFolder: CompanionFolder;

    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;

    /** An administrator's defaults that a variable names, and that are not there. */
    protected missing: string | undefined;
    /** The paths of our own defaults as they were written last: those that ask, and those that do not. */
    protected defaults: { readonly asking: string; readonly other: string } | undefined;
    /** Once for each backend; `undefined` before, and if it failed. */
    protected replacing: Promise<void> | undefined;
    terminalProblem: CompanionProblem | undefined;

    /** Its `.env` files name the folder of the lock file. */
    get readFolder(): string {
        return this.host.homeFolder;
    }

    override async discoveryFiles(subject: DiscoverySubject): Promise<DiscoveryFile[]> {
        const lock: DiscoveryFile = {
            folder: await this.lockFolder(),
            name: `${subject.port}.lock`,
            // Qwen Code deletes the lock of a process that it cannot signal: a parent may have ended, or be root's. Ours is as
            // alive as the server.
            content: { ...this.contentFor(subject), ppid: this.host.pid, ideName: subject.identity.displayName }
        };
        return [...(await super.discoveryFiles(subject)), lock];
    }

    override async staleFilePatterns(): Promise<StaleFilePattern[]> {
        return [...(await super.staleFilePatterns()), { folder: await this.lockFolder(), name: LOCK }];
    }

    /** An administrator's own defaults count instead of ours. */
    terminalDefaults(inherited: Variables, preferences: BackendPreferences): TerminalVariables {
        const { systemSettings, systemDefaults } = this.names.variables;
        const administrators = this.administratorsDefaults(inherited);
        const isFree = inherited[systemSettings] ? administrators === this.missing : !this.host.exists(administrators);
        const file = this.defaultsFile(preferences['companion.qwen.askBeforeEdits']);
        return isFree && file !== undefined && !inherited[systemDefaults] ? { [systemDefaults]: file } : {};
    }

    async prepareTerminals(): Promise<void> {
        this.replacing ??= this.fileAccess
            .run(this.companionFolder.place, () => this.replaceEarlier())
            .catch(() => (this.replacing = undefined));
        await Promise.all([this.prepareDefaults(), this.lookForAdministrator()]);
    }

    /**
     * Defaults that a person's own settings override: IDE mode, and asking before edits, which Qwen Code 0.24 does not do by itself (its
     * `auto` mode writes without a diff). One file with asking and one without, so that a terminal keeps what it began with.
     *
     * @returns for `QWEN_CODE_SYSTEM_DEFAULTS_PATH`; `undefined` as long as it is not written
     */
    defaultsFile(ask: boolean): string | undefined {
        return ask ? this.defaults?.asking : this.defaults?.other;
    }

    /** While the file system does not answer, terminals start with those of before. */
    protected async prepareDefaults(): Promise<void> {
        try {
            this.defaults = await this.fileAccess.run(this.companionFolder.place, () => this.writeDefaults());
            this.terminalProblem = undefined;
        } catch (error) {
            this.defaults = error instanceof NoAnswer ? this.defaults : undefined;
            this.terminalProblem = { code: 'no-defaults', cliName: this.displayName, fault: FaultError.faultOf(error) };
        }
    }

    protected async writeDefaults(): Promise<{ asking: string; other: string }> {
        const write = (name: string): Promise<string> => this.companionFolder.write(name, textOf(DEFAULTS[name]));
        return { asking: await write(ASKING_FILE), other: await write(OTHER_FILE) };
    }

    /**
     * Takes the hooks out of the files that earlier versions wrote. Each gets the text that belongs to its name, whatever stands in it: with
     * an empty or broken file in the place of the one that asks, Qwen Code would write unasked.
     */
    protected async replaceEarlier(): Promise<void> {
        const parent = path.join(await this.companionFolder.make(), EARLIER_FOLDERS);
        for (const folder of await fs.readdir(parent).catch(() => [])) {
            const names = await fs.readdir(path.join(parent, folder)).catch(() => []);
            for (const name of names.filter(entry => entry in EARLIER_FILES)) {
                await this.companionFolder.write(path.join(EARLIER_FOLDERS, folder, name), textOf(EARLIER_FILES[name]));
            }
        }
    }

    /** A new shell must not wait for a folder that a variable names. While it does not answer, what was known before counts. */
    protected async lookForAdministrator(): Promise<void> {
        if (this.host.variables[this.names.variables.systemSettings]) {
            const file = this.administratorsDefaults(this.host.variables);
            const folder = path.dirname(file);
            await this.fileAccess
                .run(folder, () => fs.access(file))
                .then(() => (this.missing = undefined))
                .catch(error => (this.missing = error instanceof NoAnswer ? this.missing : file));
        }
    }

    protected administratorsDefaults(variables: Variables): string {
        return this.settingsFiles({ variables, folder: '', command: [] }, '').systemDefaults;
    }

    /** It silently skips other files outside the workspace that are mentioned (0.24.4). */
    async uploadFolder(terminal: CliSurroundings): Promise<FolderLocation> {
        const { below, ...location } = folderIn(await this.settingsHome(terminal), 'tmp', this.host, OWN_QWEN_HOME);
        return { ...location, below: [...below, 'theia-cli-companion'] };
    }

    async discoveryFolder(terminal: CliSurroundings): Promise<string> {
        return path.join(await this.settingsHome(terminal), 'ide');
    }

    protected async settingsHome({ variables, folder }: CliSurroundings): Promise<string> {
        const known = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? undefined]));
        const home = await qwenHome({ variables: known, homeFolder: homeFolderOf(variables, this.host) });
        return path.resolve(folder, home);
    }

    protected async lockFolder(): Promise<FolderLocation> {
        return folderIn(await qwenHome(this.host), 'ide', this.host, OWN_QWEN_HOME);
    }
}

/**
 * The folder that Qwen Code (0.24.4, `resolveQwenHome`) takes for its own: `QWEN_HOME`, which may be set in `~/.qwen/.env` or
 * `~/.env` and may begin with `~`, or else `~/.qwen`.
 *
 * @returns a relative path if `QWEN_HOME` is one. Qwen Code resolves it against the folder that it is started in.
 */
async function qwenHome(host: Pick<HostEnvironment, 'variables' | 'homeFolder'>): Promise<string> {
    const home = host.homeFolder;
    const configured = host.variables['QWEN_HOME'] ?? (await fromEnvFiles(home));
    if (!configured) {
        return path.join(home, '.qwen');
    }
    return /^~([/\\]|$)/.test(configured) ? path.join(home, ...configured.slice(2).split(/[/\\]+/)) : path.normalize(configured);
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

function textOf(settings: object): string {
    return JSON.stringify(settings, undefined, 4) + '\n';
}
