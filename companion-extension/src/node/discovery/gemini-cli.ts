// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { injectable } from '@theia/core/shared/inversify';
import { applyEdits, modify, parse, ParseError } from 'jsonc-parser';
import { BackendPreferences } from '../../common/companion-preferences';
import { describeCause, FaultError } from '../host/fault-error';
import { writeAtomically } from './atomic-file';
import { CliSettings } from './cli-settings';
import { SpecifiedCli } from './specified-cli';
import { ALT_ENTER, CliSurroundings, homeFolderOf, ServerPlace, temporaryFolderOf, TerminalVariables, Variables } from './supported-cli';

/** Files by which Gemini CLI takes a process for one in a container, and then looks for the IDE on `host.docker.internal`. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv'];
/** Any of these makes it use the loopback address all the same. */
const LOOPBACK_VARIABLES = ['SSH_CONNECTION', 'VSCODE_REMOTE_CONTAINERS_SESSION', 'REMOTE_CONTAINERS'];

/** Gemini CLI 0.61, as its published code and the real program show. @since 0.1 */
@injectable()
export class GeminiCli extends SpecifiedCli {
    readonly id = 'gemini-cli';
    readonly displayName = 'Gemini CLI';
    readonly command = 'gemini';
    readonly install = 'npm install -g @google/gemini-cli';
    readonly minimumVersion = '0.30.0';
    readonly trustCommand = '/permissions';
    readonly newLine = ALT_ENTER;
    /** It decodes the path as in a URL (0.61). */
    override readonly unreadInRoots = [path.delimiter, '%'];
    /** It takes the path of a file that is there for a pattern. */
    readonly mentionStyle = { form: 'escaped' as const, unread: '[]{}*?' };
    readonly titleMarks = { blocked: '✋', working: '✦' };

    /** No file has the older name without a port: Gemini CLI takes that one without a look at the workspace. */
    protected readonly names = {
        folder: 'gemini',
        files: 'gemini-ide-server',
        variables: {
            port: 'GEMINI_CLI_IDE_SERVER_PORT',
            workspace: 'GEMINI_CLI_IDE_WORKSPACE_PATH',
            removed: ['GEMINI_CLI_IDE_AUTH_TOKEN', 'GEMINI_CLI_IDE_SERVER_STDIO_COMMAND', 'GEMINI_CLI_IDE_SERVER_STDIO_ARGS'],
            systemSettings: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
            systemDefaults: 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
            trustedFolders: 'GEMINI_CLI_TRUSTED_FOLDERS_PATH'
        },
        trust: { asksByDefault: true, variable: 'GEMINI_CLI_TRUST_WORKSPACE' },
        approval: {
            settings: ['general.defaultApprovalMode', 'tools.approvalMode'],
            defaultMode: 'default',
            neverConfigured: 'yolo',
            asksIn: (mode: string): boolean => mode !== 'yolo' && mode !== 'auto_edit'
        },
        systemFolder: {
            linux: '/etc/gemini-cli',
            darwin: '/Library/Application Support/GeminiCli'
        }
    };

    override terminalVariables(subject: ServerPlace): TerminalVariables {
        // Spares the CLI its walk through the process tree, which fails without `ps` and is led astray by tmux. Our own pid, since two
        // backends may have one parent.
        return {
            ...super.terminalVariables(subject),
            GEMINI_CLI_IDE_PID: String(this.host.pid)
        };
    }

    terminalDefaults(inherited: Variables, preferences: BackendPreferences): TerminalVariables {
        const preference = preferences['companion.container.loopback'];
        const isNeeded = preference === 'always' ? !this.hasLoopbackVariable(inherited) : this.containerMarker(inherited) !== undefined;
        return isNeeded && preference !== 'never' ? { REMOTE_CONTAINERS: 'true' } : {};
    }

    containerMarker(variables: Variables): string | undefined {
        return this.hasLoopbackVariable(variables) ? undefined : CONTAINER_FILES.find(file => this.host.exists(file));
    }

    async discoveryFolder({ variables }: CliSurroundings): Promise<string> {
        return path.join(temporaryFolderOf(variables), 'gemini', 'ide');
    }

    async ideModeOff(): Promise<string | undefined> {
        const terminal: CliSurroundings = { variables: this.host.variables, folder: this.host.homeFolder, command: [] };
        const settings = await CliSettings.read(this.settingsFiles(terminal, path.dirname(this.settingsPath)));
        const { value, file } = settings.get('ide.enabled', false);
        // The CLI looks for a relative one in the folder that it is started in, and we would write it into ours.
        const canBeSet = file !== settings.files.system && path.isAbsolute(this.settingsPath);
        return value !== true && canBeSet ? this.settingsPath : undefined;
    }

    /**
     * Switches IDE mode on, or has the CLI not ask about it. All else in the file stays, also its comments, mode, owner and symbolic link.
     * Rejects with a {@link FaultError}; nothing is changed then.
     */
    async setIdeMode(on: boolean): Promise<void> {
        const file = this.settingsPath;
        try {
            if (!path.isAbsolute(file)) {
                throw new FaultError({ code: 'settings-unreadable', file, cause: 'not an absolute path' });
            }
            await fs.promises.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
            // A link that leads nowhere is not replaced.
            const isLink = await fs.promises.lstat(file).then(
                found => found.isSymbolicLink(),
                () => false
            );
            const target = isLink ? await fs.promises.realpath(file) : file;
            const stat = await fs.promises.stat(target).catch(() => undefined);
            const text = stat && (await fs.promises.readFile(target, 'utf8'));
            const written = await writeAtomically(target, withSetting(file, text ?? '{}\n', on ? 'enabled' : 'hasSeenNudge'), {
                mode: stat && stat.mode & 0o777,
                owner: stat && stat.uid !== this.host.uid ? stat : undefined,
                mayReplace: async () => (await readIfPresent(target)) === text
            });
            if (!written) {
                throw new FaultError({ code: 'settings-changed', file });
            }
        } catch (error) {
            throw error instanceof FaultError ? error : new FaultError({ code: 'settings-unreadable', file, cause: describeCause(error) });
        }
    }

    /** The user's settings file of a new terminal. */
    protected get settingsPath(): string {
        return path.join(this.host.variables['GEMINI_CLI_HOME'] || this.host.homeFolder, '.gemini', 'settings.json');
    }

    protected async settingsHome({ variables }: CliSurroundings): Promise<string> {
        return path.join(variables['GEMINI_CLI_HOME'] || homeFolderOf(variables, this.host), '.gemini');
    }

    protected hasLoopbackVariable(variables: Variables): boolean {
        return LOOPBACK_VARIABLES.some(name => variables[name]);
    }
}

function withSetting(file: string, text: string, name: string): string {
    const errors: ParseError[] = [];
    const settings = parse(text, errors, { allowTrailingComma: false }) as { ide?: unknown } | null | undefined;
    const ide = settings?.ide ?? {};
    if (errors.length > 0) {
        throw new FaultError({ code: 'settings-not-json', file, line: text.slice(0, errors[0].offset).split('\n').length });
    }
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings) || typeof ide !== 'object') {
        throw new FaultError({ code: 'settings-no-object', file });
    }
    const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: 2, eol: text.includes('\r\n') ? '\r\n' : '\n' };
    return applyEdits(text, modify(text, ['ide', name], true, { formattingOptions }));
}

function readIfPresent(file: string): Promise<string | undefined> {
    return fs.promises.readFile(file, 'utf8').catch(() => undefined);
}
