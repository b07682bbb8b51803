// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { BackendPreferences } from '../../common/companion-preferences';
import { CompanionProblem } from '../../common/companion-problem';
import { AgentState, MentionStyle, ReviewTraits } from '../../common/companion-protocol';
import { HostEnvironment } from '../host/host-environment';
import { isInside } from '../host/paths';
import { IdeIdentity } from './ide-identity';
import { Elsewhere, elsewhere, FolderLocation } from './secure-folder';

/** The variables of a process or a new shell. @since 0.1 */
export type Variables = Readonly<Record<string, string | null | undefined>>;

/** Where a CLI runs or would be started, and how. @since 0.1 */
export interface CliSurroundings {
    readonly variables: Variables;
    /** The working folder, a real path. */
    readonly folder: string;
    /** All arguments of the CLI's command line; empty if it does not run. */
    readonly command: readonly string[];
}

/** Whether a number that was read somewhere can be a port. */
export function isPort(port: number): boolean {
    return Number.isInteger(port) && port > 0 && port <= 65_535;
}

/** Where a server listens, and whose it is. @since 0.1 */
export interface ServerPlace {
    readonly port: number;
    /** Absolute real paths of the workspace's roots, in their order. */
    readonly roots: readonly string[];
}

/** The facts that a CLI must find out about a server. @since 0.1 */
export interface DiscoverySubject extends ServerPlace {
    /** This CLI's own token: it tells the server which CLI connects. */
    readonly token: string;
    readonly identity: IdeIdentity;
}

/** What one lock of {@link SupportedCli.lockOf} says. @since 0.1 */
export interface LockSubject {
    /** A UUID. */
    readonly id: string;
    readonly socketPath: string;
    readonly token: string;
    /** A real path. */
    readonly folder: string;
    readonly isTrusted: boolean;
    /** When the lock was made, in milliseconds since the epoch. */
    readonly since: number;
    readonly identity: IdeIdentity;
}

/** A file by which a CLI finds a server. @since 0.1 */
export interface DiscoveryFile {
    readonly folder: FolderLocation;
    /** The file's name in {@link folder}. */
    readonly name: string;
    /** The content that the CLI reads. The marker by which a later start knows the file is added to it. */
    readonly content: Record<string, unknown>;
}

/** Where discovery files of dead backends may lie. @since 0.1 */
export interface StaleFilePattern {
    readonly folder: FolderLocation;
    readonly name: RegExp;
}

/** A new shell's variables: `null` removes an inherited one. @since 0.1 */
export type TerminalVariables = Record<string, string | null>;

/** The configuration by a CLI's settings and its command line. @since 0.1 */
export interface CliConfiguration {
    /** Whether it connects to an IDE, and the settings file that says so or may say so. */
    readonly ideMode: { readonly on: boolean; readonly file: string };
    /** Whether it trusts the folder; `undefined` if the user has not decided. */
    readonly trusted: boolean | undefined;
    readonly approval: ApprovalMode;
    /** The command that starts it in a mode that asks before edits, for a shell. */
    readonly askingCommand: string;
}

/** Whether a CLI asks, and how it calls that. @since 0.1 */
export interface ApprovalMode {
    readonly name: string;
    /** Whether it asks before it edits: otherwise there is no diff. */
    readonly asks: boolean;
}

/** How the titles that a CLI gives its terminal begin, by what they say. A title that begins otherwise says that it is idle. @since 0.1 */
export type TitleMarks = Readonly<Partial<Record<AgentState, string>>>;

/** Alt+Enter, as terminals send it. */
export const ALT_ENTER = '\u001b\r';

export const SupportedCli = Symbol('SupportedCli');
/**
 * A CLI that this companion serves (contribution point): how it finds a server, how it is started and configured, and what it does with a
 * proposal. Its protocol with the server is not part of it.
 *
 * @since 0.1
 */
export interface SupportedCli {
    readonly id: string;
    readonly displayName: string;
    /**
     * If it speaks Claude Code's protocol: the name that it gives itself when it connects. All such CLIs have one listener and one token.
     * Otherwise it speaks the specification's.
     */
    readonly clientName?: string;
    /**
     * If it speaks Copilot CLI's protocol: the lock by which it finds the server in one folder. All such CLIs have one listener; a lock is
     * never rewritten while it is there.
     */
    lockOf?(subject: LockSubject): DiscoveryFile;
    /** Its command. */
    readonly command: string;
    /** The line that starts it in a terminal, where that is more than {@link command}. @param preferences of the window */
    startCommand?(preferences: BackendPreferences): string;
    /** Shell command that installs the CLI. Shown if the command is not found. */
    readonly install?: string;
    /** The first version that finds this companion. */
    readonly minimumVersion?: string;
    /** Makes a running CLI connect again, typed at its prompt. */
    readonly connectCommand?: string;
    /** Makes it trust the folder, typed at its prompt. */
    readonly trustCommand?: string;
    /** Where the CLI treats a proposal differently from the specification, so that the diff promises nothing else. */
    readonly reviewTraits?: ReviewTraits;
    /** Where it is left out, names are escaped. */
    readonly mentionStyle?: MentionStyle;
    /** What its screen has while its prompt is there and empty. Before, it drops what is pasted. */
    readonly emptyPrompt?: string;
    /** What it takes for a new line in its prompt. Shift+Enter in its terminal sends that; without it, what xterm.js sends for Enter. */
    readonly newLine?: string;
    /** Where the title of its terminal says what it does. */
    readonly titleMarks?: TitleMarks;
    /**
     * Where a file outside its workspace lies that it reads if its prompt mentions it. Without this method: anywhere. Reads as
     * {@link discoveryFiles} does.
     */
    uploadFolder?(terminal: CliSurroundings): Promise<FolderLocation>;

    /** What it does not understand in the path of a root. Such a root is not listed for it. */
    readonly unreadInRoots?: readonly string[];
    /** The folder that {@link discoveryFiles} and {@link staleFilePatterns} read, if they read one. */
    readonly readFolder?: string;
    /** May read {@link readFolder}, which may never answer: the caller sets a limit. */
    discoveryFiles(subject: DiscoverySubject): Promise<DiscoveryFile[]>;
    /** Reads as {@link discoveryFiles} does. */
    staleFilePatterns(): Promise<StaleFilePattern[]>;

    /** Never a token: whatever a model runs may print the environment. */
    terminalVariables(subject: ServerPlace): TerminalVariables;
    /** Which of {@link terminalVariables} has the port. By it a CLI that lost its server is known. */
    readonly portVariable?: string;
    /** Further variables of a shell, such as one that names a file of defaults. */
    terminalDefaults?(inherited: Variables, preferences: BackendPreferences): TerminalVariables;
    /** Makes what {@link terminalDefaults} names, and again if it has gone. Called often. Never rejects, and ends soon. */
    prepareTerminals?(): Promise<void>;
    /** The problem of new shells because {@link prepareTerminals} failed. */
    readonly terminalProblem?: CompanionProblem;

    /** The folder in which the CLI looks for discovery files. Without this method, it is taken to be the one of its first published file. */
    discoveryFolder?(terminal: CliSurroundings): Promise<string>;
    /** The file by which it takes a process with these variables for one in a container, and so looks for the IDE on another host. */
    containerMarker?(variables: Variables): string | undefined;
    /** How it is configured for this terminal, now: a user may have changed a running one since it was started. */
    configuration?(terminal: CliSurroundings): Promise<CliConfiguration>;
    /** @returns the user's settings file where IDE mode can be switched on; `undefined` if it is on */
    ideModeOff?(): Promise<string | undefined>;
    /** Switches IDE mode on in that file, or has the CLI not ask about it. All else stays. Rejects with what went wrong. */
    setIdeMode?(on: boolean): Promise<void>;
}

/** The folder for temporary files, as Node computes it for a process with these variables. */
export function temporaryFolderOf(variables: Variables): string {
    const folder = variables['TMPDIR'] || variables['TMP'] || variables['TEMP'] || '/tmp';
    return folder.length > 1 ? folder.replace(/\/+$/, '') : folder;
}

/** The HOME, as Node computes it for a process with these variables. */
export function homeFolderOf(variables: Variables, host: HostEnvironment): string {
    return variables['HOME'] || host.homeFolder;
}

export const OWN_TMPDIR = elsewhere('TMPDIR', '$HOME/.tmp');

/** `os.tmpdir()/NAME/ide`, where the specification of September 2025 has the discovery files. @since 0.1 */
export function specifiedFolder(host: HostEnvironment, name: string): FolderLocation {
    return { base: host.temporaryFolder, below: [name, 'ide'], symlinks: 'refuse', elsewhere: () => OWN_TMPDIR };
}

/**
 * A folder in a CLI's own one. That may be a link in the user's HOME; below the temporary folder everybody can plant one, at every level.
 *
 * @param moved how the user moves the CLI's own folder
 */
export function folderIn(own: string, name: string, { temporaryFolder, homeFolder }: HostEnvironment, moved: Elsewhere): FolderLocation {
    const shared = isInside(temporaryFolder, own);
    const base = shared ? temporaryFolder : path.dirname(own);
    return {
        base,
        below: [...path.relative(base, own).split(path.sep), name].filter(Boolean),
        symlinks: shared ? 'refuse' : 'follow',
        // Above the HOME no folder of the CLI's is in the way, but the temporary folder that HOME lies in.
        elsewhere: refused => (shared && isInside(refused, homeFolder) ? OWN_TMPDIR : moved)
    };
}

/** What the specification (section I.3) has in a discovery file. @since 0.1 */
export function specifiedContent({ port, roots, token, identity }: DiscoverySubject): Record<string, unknown> {
    return {
        port,
        workspacePath: roots.join(path.delimiter),
        authToken: token,
        ideInfo: { name: identity.name, displayName: identity.displayName }
    };
}
