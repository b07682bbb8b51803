// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { inject, injectable } from '@theia/core/shared/inversify';
import { HostEnvironment } from '../host/host-environment';
import { isInside } from '../host/paths';
import { CliSettings, optionValue, SettingsFiles } from './cli-settings';
import {
    ApprovalMode,
    CliConfiguration,
    CliSurroundings,
    DiscoveryFile,
    DiscoverySubject,
    ServerPlace,
    specifiedContent,
    specifiedFolder,
    StaleFilePattern,
    SupportedCli,
    TerminalVariables
} from './supported-cli';

/** The names of one CLI of the family. @since 0.1 */
export interface SpecifiedNames {
    /** Of its folder in the temporary folder, and with a dot in the HOME and in a workspace. */
    readonly folder: string;
    /** What the names of its discovery files begin with. */
    readonly files: string;
    readonly variables: {
        readonly port: string;
        readonly workspace: string;
        /** Those by which it would find another IDE, or the same one in another way. */
        readonly removed: readonly string[];
        readonly systemSettings: string;
        readonly systemDefaults: string;
        readonly trustedFolders: string;
    };
    readonly trust: {
        /** Whether it asks about a folder unless a setting says that it does not, or only if a setting says that it does. */
        readonly asksByDefault: boolean;
        /** Decides for all folders if it is `true` or `false`. */
        readonly variable?: string;
    };
    readonly approval: {
        /** The settings that name the mode; the first one that is set counts. */
        readonly settings: readonly string[];
        readonly defaultMode: string;
        /** A mode that counts on the command line only. */
        readonly neverConfigured?: string;
        /** Whether it asks before it edits in this mode. */
        readonly asksIn: (mode: string) => boolean;
    };
    /** The folder of an administrator's settings. */
    readonly systemFolder: Partial<Record<NodeJS.Platform, string>> & { readonly linux: string };
}

/**
 * A CLI that looks for its IDE as the specification of September 2025 says. The family differs in names, settings, and what it adds.
 *
 * Promised: the abstract members, and those of {@link SupportedCli}.
 * @since 0.1
 */
@injectable()
export abstract class SpecifiedCli implements SupportedCli {
    abstract readonly id: string;
    abstract readonly displayName: string;
    abstract readonly command: string;
    abstract readonly install: string;
    abstract readonly minimumVersion: string;
    abstract readonly trustCommand: string;
    readonly connectCommand = '/ide enable';
    readonly emptyPrompt = 'Type your message';
    /** It splits the path of the workspace there. */
    readonly unreadInRoots: readonly string[] = [path.delimiter];

    protected abstract readonly names: SpecifiedNames;

    @inject(HostEnvironment)
    protected readonly host: HostEnvironment;

    get portVariable(): string {
        return this.names.variables.port;
    }

    /** Named after the processes that a CLI may take for the IDE, and the port. */
    async discoveryFiles(subject: DiscoverySubject): Promise<DiscoveryFile[]> {
        return this.idePids().map(pid => ({
            folder: specifiedFolder(this.host, this.names.folder),
            name: `${this.names.files}-${pid}-${subject.port}.json`,
            content: this.contentFor(subject)
        }));
    }

    async staleFilePatterns(): Promise<StaleFilePattern[]> {
        return [{ folder: specifiedFolder(this.host, this.names.folder), name: new RegExp(`^${this.names.files}-\\d+-\\d+\\.json$`) }];
    }

    terminalVariables(place: ServerPlace): TerminalVariables {
        const { variables } = this.names;
        return {
            [variables.port]: String(place.port),
            // An empty one would not count as set when Qwen Code offers to connect, and a stale one would name another workspace.
            [variables.workspace]: this.readRoots(place).join(path.delimiter) || null,
            ...Object.fromEntries(variables.removed.map(name => [name, null]))
        };
    }

    protected contentFor(subject: DiscoverySubject): Record<string, unknown> {
        return specifiedContent({ ...subject, roots: this.readRoots(subject) });
    }

    /** Of another root it would read other folders, and take those for part of the workspace. */
    protected readRoots({ roots }: ServerPlace): string[] {
        return roots.filter(root => !this.unreadInRoots.some(text => root.includes(text)));
    }

    abstract discoveryFolder(terminal: CliSurroundings): Promise<string>;

    async configuration(terminal: CliSurroundings): Promise<CliConfiguration> {
        const home = await this.settingsHome(terminal);
        const settings = await CliSettings.read(this.settingsFiles(terminal, home));
        const trusted = await this.isTrusted(settings, terminal, home);
        const ideMode = settings.get('ide.enabled', trusted === true);
        // A folder that is not trusted has it ask, whatever was configured.
        const approval: ApprovalMode =
            trusted === false ? { name: 'default', asks: true } : this.approvalMode(settings, trusted === true, terminal.command);
        return {
            ideMode: { on: ideMode.value === true, file: ideMode.file ?? settings.files.user },
            trusted,
            approval,
            askingCommand: `${this.command} --approval-mode default`
        };
    }

    /** The folder of the user's settings for the CLI. */
    protected abstract settingsHome(terminal: CliSurroundings): Promise<string>;

    /** Whether it trusts the folder; `undefined` if the user has not decided. @param home as {@link settingsHome} */
    protected async isTrusted(settings: CliSettings, terminal: CliSurroundings, home: string): Promise<boolean | undefined> {
        const { asksByDefault, variable } = this.names.trust;
        const forced = variable && terminal.variables[variable];
        if (forced === 'true' || forced === 'false') {
            return forced === 'true';
        }
        const { value } = settings.get('security.folderTrust.enabled', false);
        const asks = asksByDefault ? value !== false : value === true;
        return asks ? this.trustRule(terminal, home) : true;
    }

    /** @param trusted whether the settings of the workspace count */
    protected approvalMode(settings: CliSettings, trusted: boolean, command: readonly string[]): ApprovalMode {
        const { settings: names, defaultMode, neverConfigured, asksIn } = this.names.approval;
        const configured = names.map(name => settings.get(name, trusted).value).find(value => value !== undefined);
        const isMode = typeof configured === 'string' && configured !== neverConfigured;
        const name = approvalArgument(command) ?? (isMode ? configured : defaultMode);
        return { name, asks: asksIn(name) };
    }

    /** What the file of trusted folders says: the rule with the longest path that holds the folder. `undefined` if there is no such rule. */
    protected async trustRule({ variables, folder }: CliSurroundings, home: string): Promise<boolean | undefined> {
        const file = variables[this.names.variables.trustedFolders] || path.join(home, 'trustedFolders.json');
        const rules = Object.entries((await CliSettings.readFile(file)) ?? {});
        const real = (name: string): Promise<string> => fs.realpath(name).catch(() => name);
        const inside = await real(folder);
        let longest: { length: number; trusted: boolean } | undefined;
        for (const [rule, level] of rules) {
            const root = await real(level === 'TRUST_PARENT' ? path.dirname(rule) : rule);
            if (isInside(root, inside) && rule.length >= (longest?.length ?? 0)) {
                longest = { length: rule.length, trusted: level !== 'DO_NOT_TRUST' };
            }
        }
        return longest?.trusted;
    }

    /**
     * The processes that a CLI may take for the IDE: the parent of the first shell above it, or that one's parent if it is not init. So the
     * backend itself, or what started it, or the backend again if the CLI runs in a shell within a shell.
     */
    protected idePids(): number[] {
        const { pid, parentPid } = this.host;
        return parentPid > 1 ? [pid, parentPid] : [pid];
    }

    protected settingsFiles({ variables, folder }: CliSurroundings, home: string): SettingsFiles {
        const { systemFolder, variables: names } = this.names;
        const defaultFolder = systemFolder[this.host.platform] ?? systemFolder.linux;
        const system = variables[names.systemSettings] || path.join(defaultFolder, 'settings.json');
        return {
            systemDefaults: variables[names.systemDefaults] || path.join(path.dirname(system), 'system-defaults.json'),
            user: path.join(home, 'settings.json'),
            workspace: path.join(folder, `.${this.names.folder}`, 'settings.json'),
            system
        };
    }
}

/** The value of `--approval-mode`, or `yolo` for its own flags; `undefined` if the command line says nothing. */
function approvalArgument(command: readonly string[]): string | undefined {
    const end = command.indexOf('--');
    const options = end === -1 ? command : command.slice(0, end);
    const isYolo = options.includes('--yolo') || options.includes('-y');
    return optionValue(options, '--approval-mode') ?? (isYolo ? 'yolo' : undefined);
}
