// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { IdeModeOffer, ReviewTraits, StartableCli } from '../../common/companion-protocol';
import { HostEnvironment } from '../host/host-environment';
import { ProcessDetails } from '../host/process-table';
import { workspacePath } from '../host/workspace-roots';
import { IdeIdentity } from './ide-identity';
import { elsewhere, FolderLocation } from './secure-folder';

/** What a CLI must find out about a server. */
export interface DiscoverySubject {
    readonly port: number;
    /** This CLI's own token: it tells the server which CLI connects. */
    readonly token: string;
    /** Absolute real paths of the workspace's roots that the CLIs can express, in their order. */
    readonly roots: readonly string[];
    readonly identity: IdeIdentity;
}

export interface DiscoveryFile {
    readonly folder: FolderLocation;
    /** The file's name in {@link folder}. */
    readonly name: string;
    /** What the CLI reads. The marker by which a later start knows the file is added to it. */
    readonly content: Record<string, unknown>;
}

/** Where discovery files of dead backends may lie. */
export interface StaleFilePattern {
    readonly folder: FolderLocation;
    readonly name: RegExp;
}

/** A new shell's variables: `null` removes an inherited one. */
export type TerminalVariables = Record<string, string | null>;

/** The variables that a new shell has otherwise. */
export type InheritedVariables = Readonly<Record<string, string | null | undefined>>;

export const SupportedCli = Symbol('SupportedCli');
/** A CLI that this companion serves (contribution point): one more CLI is one more of these. */
export interface SupportedCli {
    readonly id: string;
    readonly displayName: string;
    /** The command that starts it in a terminal. */
    readonly command: string;
    /** What installs it, for a shell, as a message tells where the command is missing. */
    readonly install?: string;
    /** Where the CLI treats a proposal differently from the specification, so that the diff promises nothing else. */
    readonly reviewTraits?: ReviewTraits;
    /** The folder that {@link discoveryFiles} and {@link staleFilePatterns} read, if they read one. */
    readonly readFolder?: string;
    /** May read {@link readFolder}, which may never answer: the caller sets a limit. */
    discoveryFiles(subject: DiscoverySubject): Promise<DiscoveryFile[]>;
    /** Never a token: whatever a model runs may print the environment. */
    terminalVariables(subject: Pick<DiscoverySubject, 'port' | 'roots'>): TerminalVariables;
    /** What a shell needs besides, such as a variable that names a file of defaults. */
    terminalDefaults?(inherited: InheritedVariables): TerminalVariables;
    /** Makes what {@link terminalDefaults} names, and again if it has gone. Called often. Never rejects, and ends soon. */
    prepareTerminals?(): Promise<void>;
    /** What new shells lack because {@link prepareTerminals} failed. */
    readonly terminalProblem?: CompanionProblem;
    /** As {@link discoveryFiles}. */
    staleFilePatterns(): Promise<StaleFilePattern[]>;
    /**
     * The mode, such as `yolo`, in which this process of the CLI was started, if the CLI then writes files without a diff. `undefined` if it
     * asks, or if that is not known.
     */
    unaskedMode?(process: ProcessDetails): Promise<string | undefined>;
    /** `undefined` if IDE mode is on or was decided against. */
    ideModeOffer?(): Promise<IdeModeOffer | undefined>;
    /** Writes what {@link ideModeOffer} shows, keeping all else in the file. Rejects with what went wrong. */
    acceptIdeModeOffer?(): Promise<void>;
}

export const OWN_TMPDIR = elsewhere('TMPDIR', '$HOME/.tmp');

/** `os.tmpdir()/NAME/ide`, where the specification of September 2025 has the discovery files. */
export function specifiedFolder(host: HostEnvironment, name: string): FolderLocation {
    return { base: host.temporaryFolder, below: [name, 'ide'], symlinks: 'refuse', elsewhere: () => OWN_TMPDIR };
}

/**
 * A CLI takes the parent of the first shell above it for the IDE, or that one's parent if it is not init: so the backend
 * itself, or what started it, or the backend again if the CLI runs in a shell within a shell.
 */
export function idePids(host: HostEnvironment): number[] {
    return host.parentPid > 1 ? [host.pid, host.parentPid] : [host.pid];
}

/** What the specification (section I.3) has in a discovery file. */
export function specifiedContent({ port, roots, token, identity }: DiscoverySubject): Record<string, unknown> {
    return {
        port,
        workspacePath: workspacePath(roots),
        authToken: token,
        ideInfo: { name: identity.name, displayName: identity.displayName }
    };
}

/** The CLIs that are contributed, by their ids. */
@injectable()
export class SupportedClis {
    @inject(ContributionProvider)
    @named(SupportedCli)
    protected readonly clis: ContributionProvider<SupportedCli>;

    /** Those that can be started in a terminal. */
    get startable(): readonly StartableCli[] {
        return this.clis.getContributions().map(({ id, displayName, command, install }) => ({ id, displayName, command, install }));
    }

    /** A CLI's name for people. */
    nameOf(cliId: string): string {
        return this.get(cliId)?.displayName ?? cliId;
    }

    /** What a CLI does with proposals, where CLIs differ. */
    traitsOf(cliId: string): ReviewTraits {
        return this.get(cliId)?.reviewTraits ?? {};
    }

    protected get(cliId: string): SupportedCli | undefined {
        return this.clis.getContributions().find(({ id }) => id === cliId);
    }
}
