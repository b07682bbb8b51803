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
    /** What starts it in a terminal. */
    command: string;
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
    code: StepCode;
    verdict: StepVerdict;
    /** What the sentence names, such as a path. Never a token. */
    args: Record<string, string>;
    /** Why the companion refuses a folder. */
    fault?: Fault;
    /** What mends it, for a shell or for the CLI's prompt. */
    command?: string;
}

/** What a step found, after the name of the step. */
export type StepCode =
    | 'companion.on'
    | 'companion.off'
    | 'companion.failed'
    | 'terminal.shell'
    | 'terminal.cli'
    | 'terminal.new'
    | 'program.found'
    | 'program.missing'
    | 'version.supported'
    | 'version.tooOld'
    | 'version.unknown'
    | 'process.given'
    | 'process.computed'
    | 'process.other'
    | 'process.noPs'
    | 'environment.same'
    | 'environment.otherTmpdir'
    | 'environment.otherHome'
    | 'environment.openUmask'
    | 'folder.good'
    | 'folder.missing'
    | 'folder.refused'
    | 'file.found'
    | 'file.foreign'
    | 'file.missing'
    | 'workspace.inside'
    | 'workspace.outside'
    | 'workspace.none'
    | 'host.loopback'
    | 'host.container'
    | 'handshake.done'
    | 'handshake.noTools'
    | 'handshake.refused'
    | 'handshake.failed'
    | 'handshake.skipped'
    | 'ideMode.on'
    | 'ideMode.off'
    | 'approval.asks'
    | 'approval.silent'
    | 'trust.trusted'
    | 'trust.untrusted'
    | 'trust.undecided'
    | 'session.connected'
    | 'session.missing'
    | 'session.stale'
    | 'session.outlived'
    | 'session.notRunning'
    | 'step.failed';
