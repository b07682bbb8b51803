// SPDX-License-Identifier: Apache-2.0

import { Fault } from './companion-problem';
import { SentenceRow, SentenceTable } from './sentences';

/** The findings of the doctor: codes and values. The page makes sentences of them. */
export interface Diagnosis {
    /** The terminal that was examined; absent if none was selected, or nothing can be found out about it. */
    terminal?: {
        /** The shell's process id. */
        shell: number;
        /** Its working folder. */
        folder: string;
        /** A program reads the keys, not the shell. */
        runsProgram?: true;
    };
    untriedTheia?: UntriedTheia;
    /** First those that run in the terminal. */
    clis: CliDiagnosis[];
}

/** The application's Theia, where it is newer than the newest with which the companion was tried. */
export interface UntriedTheia {
    version: string;
    newestTried: string;
}

/** The findings about one CLI in the terminal. */
export interface CliDiagnosis {
    cliId: string;
    displayName: string;
    /** Whether its own messages are those of the specification's CLIs, which {@link ProblemRow.quote} has. */
    quoted: boolean;
    /** It runs in the terminal that was examined. */
    runsHere?: true;
    /** Since when it is connected to this window, in milliseconds since the epoch; absent if it is not. */
    connectedSince?: number;
    /** In the order in which the CLI takes them. */
    steps: DiagnosisStep[];
}

/**
 * - `ok`: nothing is in the way
 * - `warning`: it connects, but not as most people want it
 * - `failure`: it does not connect
 * - `unknown`: it could not be found out
 */
export type StepVerdict = 'ok' | 'warning' | 'failure' | 'unknown';

export interface DiagnosisStep {
    /** The step, and after a dot its problem. It stays the same in later versions. */
    id: StepId | StepProblem;
    verdict: StepVerdict;
    /** The facts, if nothing is wrong. Never a token, as in {@link values}. */
    found?: string[];
    /** Values in the problem's sentences, such as a path. */
    values?: Record<string, string>;
    /** Why the companion refuses a folder. */
    fault?: Fault | undefined;
    /** The fix, as a command for a shell or for the CLI's prompt. */
    command?: string | undefined;
}

export type StepId = keyof typeof STEPS;
export type StepProblem = keyof typeof PROBLEMS;

/** Titles of the steps, in the order in which a CLI takes them. */
const STEPS = {
    companion: { what: 'Companion in this window' },
    program: { what: 'Program and version' },
    environment: { what: 'Variables' },
    folder: { what: 'Discovery folder' },
    file: { what: 'Discovery file' },
    workspace: { what: 'Workspace' },
    host: { what: 'Container and host' },
    handshake: { what: 'Connection to the IDE' },
    ideMode: { what: 'IDE mode' },
    approval: { what: 'Asks before edits' },
    trust: { what: 'Folder trust' },
    session: { what: 'Running CLI' },
    /** Any that could not be looked at. */
    step: { what: 'Step' }
} as const;

export const STEP_TITLES = new SentenceTable('theia/cli-companion/doctor/', STEPS);

const RUN = 'Run this in the terminal, and start the CLI again.';
const CONNECT = 'Connect it from its prompt, or start it in a new terminal.';

const NOT_SUPPORTED = 'IDE integration is not supported in your current environment.';
const NOT_FOUND = 'Failed to connect to IDE companion extension in … To install the extension, run /ide install.';

export interface ProblemRow extends SentenceRow {
    /** `failure` if it is left out. */
    readonly verdict?: StepVerdict;
    /** The CLI's own message, which misleads. */
    readonly quote?: string;
}

const PROBLEMS = {
    'companion.off': {
        what: 'It is turned off by the preference companion.enabled.',
        advice: 'Turn it on. Then type /ide enable in CLIs that are already running.',
        quote: NOT_SUPPORTED
    },
    'companion.failed': {
        what: 'It could not be started.',
        advice: 'The list in the status bar says why. The IDE tries again every few seconds.',
        quote: NOT_SUPPORTED
    },
    'program.missing': {
        verdict: 'unknown',
        what: '{command} is not on the PATH with which {program} (process {pid}) was started: {searched}.',
        advice: 'Ignore this if the CLI starts when you type its name.'
    },
    'program.tooOld': {
        what: '{path} is {cliName} {version}, which is too old to connect. Version {minimum} is the first that can.',
        advice: RUN,
        quote: NOT_SUPPORTED
    },
    'environment.elsewhere': {
        what: 'The CLI looks in {folder}, but the IDE writes into {ideFolders}: their {variable} differs.',
        advice: RUN,
        quote: NOT_SUPPORTED
    },
    'folder.refused': {
        what: 'The companion writes nothing there.',
        quote: NOT_SUPPORTED
    },
    'file.foreign': {
        verdict: 'warning',
        what: '{path} points to {address}, which is another window or IDE. This window has {windowAddress}.',
        advice: 'Start the CLI in a new terminal of this window.'
    },
    'file.ambiguous': {
        what: '{cliName} does not connect, because more than one IDE has this folder open: {paths}.',
        advice: 'Choose this one in the CLI, or close the folder in the other IDE and start the CLI again.'
    },
    'file.missing': {
        what: 'None in {folder} is for this workspace ({others} for others).',
        advice: 'The companion writes it again by itself. Then restart the CLI: one that started without it never connects.',
        quote: NOT_SUPPORTED
    },
    'workspace.outside': {
        what: '{folder} is not in any of the open folders: {roots}.',
        advice: 'Open it in the IDE, or run this in the terminal, and start the CLI again.'
    },
    'workspace.checkout': {
        what: '{folder} is in another checkout than the open folders: {roots}.',
        advice: 'Open it in the IDE as a folder of its own, and start the CLI in a new terminal there.'
    },
    'workspace.below': {
        what: '{cliName} connects only in an open folder itself, such as {root}, and not below it.',
        advice: RUN
    },
    'host.container': {
        what: '{marker} says that this is a container. So {cliName} looks for the IDE on host.docker.internal, not here.',
        advice: RUN,
        quote: NOT_FOUND
    },
    'handshake.failed': {
        what: '{address}, which {path} names, takes no connection: {cause}',
        advice: 'Its IDE has exited, or has written another file since. Delete the file, reload the page and diagnose again.',
        quote: NOT_FOUND
    },
    'ideMode.off': {
        what: 'Off: {file} does not have "ide": { "enabled": true }.',
        advice: 'Type /ide enable in {cliName}. (Not /ide install: there is nothing to install.)'
    },
    'ideMode.manual': {
        what: 'Off: {file} has "ide": { "autoConnect": false }.',
        advice: 'Type /ide in {cliName}.'
    },
    'approval.silent': {
        verdict: 'warning',
        what: '{cliName} edits without asking (mode {mode}), so there are no diffs.',
        advice: 'Press Shift+Tab in it until it asks, or start it this way.'
    },
    'trust.missing': {
        verdict: 'warning',
        what: '{cliName} does not trust {folder}: it asks you first, or ignores the settings in it.',
        advice: 'If you trust it, say so in {cliName}.'
    },
    'session.missing': {
        what: '{cliName} is running in {folder} (process {pid}), but not connected.',
        advice: CONNECT
    },
    'step.failed': {
        verdict: 'unknown',
        what: 'This could not be checked ({what}): {cause}'
    }
} as const satisfies Record<string, ProblemRow>;

/** Problems with the values of their step, and the advice. `cliName` is the CLI's name. */
export const STEP_PROBLEMS = new SentenceTable<StepProblem, ProblemRow>('theia/cli-companion/doctor/', PROBLEMS);
