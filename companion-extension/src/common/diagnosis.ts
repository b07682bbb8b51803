// SPDX-License-Identifier: Apache-2.0

import { Fault } from './companion-problem';

/** What the doctor found out: codes and values. The page makes sentences of them. */
export interface Diagnosis {
    /** The terminal whose surroundings were looked at; absent if none was selected, or nothing can be known of it. */
    terminal?: TerminalSummary;
    clis: CliDiagnosis[];
}

export interface TerminalSummary {
    /** The shell's process id. */
    shell: number;
    /** Its working folder. */
    folder: string;
}

/** What one CLI would do in the terminal. */
export interface CliDiagnosis {
    cliId: string;
    displayName: string;
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
    /** What was looked at, and after a dot what is wrong. It stays the same in later versions. */
    id: StepId | StepProblem;
    verdict: StepVerdict;
    /** What the sentence names, in its order, such as a path. Never a token. */
    args: string[];
    /** Why the companion refuses a folder. */
    fault?: Fault;
    /** What mends it, for a shell or for the CLI's prompt. */
    command?: string;
    /** What the CLI says about it, which misleads. */
    quote?: string;
}

export type StepId =
    | 'companion'
    | 'program'
    | 'environment'
    | 'folder'
    | 'file'
    | 'workspace'
    | 'host'
    | 'handshake'
    | 'ideMode'
    | 'approval'
    | 'trust'
    | 'session';

export type StepProblem =
    | 'companion.off'
    | 'companion.failed'
    | 'program.missing'
    | 'program.tooOld'
    | 'program.noVersion'
    | 'environment.otherTmpdir'
    | 'environment.otherHome'
    | 'environment.openUmask'
    | 'folder.missing'
    | 'folder.refused'
    | 'file.foreign'
    | 'file.ambiguous'
    | 'file.missing'
    | 'workspace.outside'
    | 'workspace.none'
    | 'host.container'
    | 'handshake.noTools'
    | 'handshake.refused'
    | 'handshake.failed'
    | 'ideMode.off'
    | 'approval.silent'
    | 'trust.untrusted'
    | 'trust.undecided'
    | 'session.missing'
    | 'session.stale'
    | 'session.outlived'
    | 'step.failed';
