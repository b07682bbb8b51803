// SPDX-License-Identifier: Apache-2.0

import { Fault } from './companion-problem';
import { Sentence, sentence, SentenceRow } from './sentences';

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
    /** What was found, where nothing is wrong. Never a token, as in {@link values}. */
    found?: string[];
    /** What the problem's sentences name, such as a path. */
    values?: Record<string, string>;
    /** Why the companion refuses a folder. */
    fault?: Fault;
    /** What mends it, for a shell or for the CLI's prompt. */
    command?: string;
    /** What the CLI says about it, which misleads. */
    quote?: string;
}

export type StepId = keyof typeof STEP_TITLES;
export type StepProblem = keyof typeof STEP_PROBLEMS;

/** What each step looks at, in the order in which a CLI comes to it. */
export const STEP_TITLES = {
    companion: sentence('theia/cli-companion/doctor/companion', 'Companion in this window'),
    program: sentence('theia/cli-companion/doctor/program', 'Program and version'),
    environment: sentence('theia/cli-companion/doctor/environment', 'Variables and umask'),
    folder: sentence('theia/cli-companion/doctor/folder', 'Discovery folder'),
    file: sentence('theia/cli-companion/doctor/file', 'Discovery file'),
    workspace: sentence('theia/cli-companion/doctor/workspace', 'Workspace'),
    host: sentence('theia/cli-companion/doctor/host', 'Container and host'),
    handshake: sentence('theia/cli-companion/doctor/handshake', 'Connection to the IDE'),
    ideMode: sentence('theia/cli-companion/doctor/ideMode', 'IDE mode'),
    approval: sentence('theia/cli-companion/doctor/approval', 'Asks before edits'),
    trust: sentence('theia/cli-companion/doctor/trust', 'Folder trust'),
    session: sentence('theia/cli-companion/doctor/session', 'Running CLI'),
    /** Any that could not be looked at. */
    step: sentence('theia/cli-companion/doctor/step', 'Step')
} as const satisfies Record<string, Sentence>;

const RUN = sentence('theia/cli-companion/doctor/run', 'Run this in the terminal, and start the CLI again.');
const CONNECT = sentence('theia/cli-companion/doctor/connect', 'Connect it from its prompt, or start it in a new terminal.');

/** What is wrong, with the values of its step, and what to do about it. `cliName` is the CLI's name. */
export const STEP_PROBLEMS = {
    'companion.off': {
        what: sentence('theia/cli-companion/doctor/companion.off', 'It is turned off by the preference companion.enabled.'),
        advice: sentence(
            'theia/cli-companion/doctor/companion.off.do',
            'Turn it on. Then type /ide enable in CLIs that are already running.'
        )
    },
    'companion.failed': {
        what: sentence('theia/cli-companion/doctor/companion.failed', 'It could not be started.'),
        advice: sentence(
            'theia/cli-companion/doctor/companion.failed.do',
            'The list in the status bar says why. The IDE tries again every few seconds.'
        )
    },
    'program.missing': {
        what: sentence(
            'theia/cli-companion/doctor/program.missing',
            '{0} is not installed: no program {1} in {2}.',
            'cliName',
            'command',
            'searched'
        ),
        advice: sentence('theia/cli-companion/doctor/program.missing.do', 'Install it, or put its folder on the PATH of the terminal.')
    },
    'program.tooOld': {
        what: sentence(
            'theia/cli-companion/doctor/version.tooOld',
            '{0} is {1} {2}, which is too old to connect. Version {3} is the first that can.',
            'path',
            'cliName',
            'version',
            'minimum'
        ),
        advice: RUN
    },
    'program.noVersion': {
        what: sentence(
            'theia/cli-companion/doctor/version.unknown',
            '{0} does not say its version. {1} is the first that can connect.',
            'path',
            'minimum'
        )
    },
    'environment.otherTmpdir': {
        what: sentence(
            'theia/cli-companion/doctor/environment.otherTmpdir',
            'The terminal has TMPDIR {0}, the IDE has {1}. So the CLI looks in {2}, where the IDE writes nothing.',
            'tmpdir',
            'ideTmpdir',
            'folder'
        ),
        advice: RUN
    },
    'environment.otherHome': {
        what: sentence(
            'theia/cli-companion/doctor/environment.otherHome',
            'The CLI looks in {0}, but the IDE writes into {1}: HOME or QWEN_HOME differ.',
            'folder',
            'ideFolders'
        ),
        advice: RUN
    },
    'environment.openUmask': {
        what: sentence(
            'theia/cli-companion/doctor/environment.openUmask',
            'With the umask {0}, every user can write to what the CLI creates. The companion refuses such folders.',
            'umask'
        ),
        advice: RUN
    },
    'folder.missing': {
        what: sentence('theia/cli-companion/doctor/folder.missing', '{0} does not exist.', 'folder'),
        advice: sentence('theia/cli-companion/doctor/folder.missing.do', 'The companion creates it. If it does not, reload the page.')
    },
    'folder.refused': {
        what: sentence('theia/cli-companion/doctor/folder.refused', 'The companion writes nothing there.')
    },
    'file.foreign': {
        what: sentence(
            'theia/cli-companion/doctor/file.foreign',
            '{0} points to 127.0.0.1:{1}, which is another window or IDE. This window has port {2}.',
            'path',
            'port',
            'windowPort'
        ),
        advice: sentence('theia/cli-companion/doctor/file.foreign.do', 'Start the CLI in a new terminal of this window.')
    },
    'file.ambiguous': {
        what: sentence(
            'theia/cli-companion/doctor/file.ambiguous',
            '{0} does not connect, because more than one IDE has this folder open: {1}.',
            'cliName',
            'paths'
        ),
        advice: sentence(
            'theia/cli-companion/doctor/file.ambiguous.do',
            'Choose this one in the CLI, or close the folder in the other IDE and start the CLI again.'
        )
    },
    'file.missing': {
        what: sentence(
            'theia/cli-companion/doctor/file.missing',
            'None in {0} is for this workspace ({1} for others).',
            'folder',
            'others'
        ),
        advice: sentence(
            'theia/cli-companion/doctor/file.missing.do',
            'The companion writes it again by itself. Then restart the CLI: one that started without it never connects.'
        )
    },
    'workspace.outside': {
        what: sentence('theia/cli-companion/doctor/workspace.outside', '{0} is not in any of the open folders: {1}.', 'folder', 'roots'),
        advice: RUN
    },
    'workspace.none': {
        what: sentence('theia/cli-companion/doctor/workspace.none', 'No folder is open in this window.'),
        advice: sentence('theia/cli-companion/doctor/workspace.none.do', 'Open the folder that the CLI works in.')
    },
    'host.container': {
        what: sentence(
            'theia/cli-companion/doctor/host.container',
            '{0} says that this is a container. So {1} looks for the IDE on host.docker.internal, not here.',
            'marker',
            'cliName'
        ),
        advice: RUN
    },
    'handshake.noTools': {
        what: sentence('theia/cli-companion/doctor/handshake.noTools', '127.0.0.1:{0} answers, but offers no diffs.', 'port'),
        advice: sentence('theia/cli-companion/doctor/handshake.noTools.do', 'Set companion.review.open to reveal, and type /ide enable.')
    },
    'handshake.refused': {
        what: sentence('theia/cli-companion/doctor/handshake.refused', '127.0.0.1:{0} refuses the token in {1}.', 'port', 'path'),
        advice: sentence('theia/cli-companion/doctor/handshake.refused.do', 'Delete that file, and type /ide enable.')
    },
    'handshake.failed': {
        what: sentence('theia/cli-companion/doctor/handshake.failed', '127.0.0.1:{0} does not answer: {1}', 'port', 'cause'),
        advice: sentence(
            'theia/cli-companion/doctor/handshake.failed.do',
            'The IDE behind it has exited. Reload the page and diagnose again.'
        )
    },
    'ideMode.off': {
        what: sentence('theia/cli-companion/doctor/ideMode.off', 'Off: {0} does not have "ide": { "enabled": true }.', 'file'),
        advice: sentence(
            'theia/cli-companion/doctor/ideMode.off.do',
            'Type /ide enable in {0}. (Not /ide install: there is nothing to install.)',
            'cliName'
        )
    },
    'approval.silent': {
        what: sentence(
            'theia/cli-companion/doctor/approval.silent',
            '{0} edits without asking (mode {1}), so there are no diffs.',
            'cliName',
            'mode'
        ),
        advice: sentence('theia/cli-companion/doctor/approval.silent.do', 'Press Shift+Tab in it until it asks, or start it this way.')
    },
    'trust.untrusted': {
        what: sentence(
            'theia/cli-companion/doctor/trust.untrusted',
            '{0} does not trust {1} and ignores the settings in it.',
            'cliName',
            'folder'
        ),
        advice: sentence('theia/cli-companion/doctor/trust.untrusted.do', 'If you trust it, type this in {0}.', 'cliName')
    },
    'trust.undecided': {
        what: sentence('theia/cli-companion/doctor/trust.undecided', '{0} will ask first whether you trust {1}.', 'cliName', 'folder'),
        advice: sentence('theia/cli-companion/doctor/trust.undecided.do', 'Answer that question in the terminal.')
    },
    'session.missing': {
        what: sentence('theia/cli-companion/doctor/session.missing', '{0} is running (process {1}) but not connected.', 'cliName', 'pid'),
        advice: CONNECT
    },
    'session.stale': {
        what: sentence(
            'theia/cli-companion/doctor/session.stale',
            '{0} (process {1}) uses port {2}, which is gone: the IDE was restarted.',
            'cliName',
            'pid',
            'port'
        ),
        advice: CONNECT
    },
    'session.outlived': {
        what: sentence(
            'theia/cli-companion/doctor/session.outlived',
            '{0} is still running in {1} (process {2}), without its IDE.',
            'cliName',
            'folder',
            'pid'
        ),
        advice: CONNECT
    },
    'step.failed': {
        what: sentence('theia/cli-companion/doctor/step.failed', 'This could not be checked ({0}): {1}', 'what', 'cause')
    }
} as const satisfies Record<string, SentenceRow>;
