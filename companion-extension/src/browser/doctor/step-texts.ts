// SPDX-License-Identifier: Apache-2.0

import { Localization } from '@theia/core/lib/common/i18n/localization';
import { nls } from '@theia/core/lib/common/nls';
import { DiagnosisStep, StepId, StepProblem } from '../../common/diagnosis';
import { describeFault } from '../../common/problem-text';
import { joinSentences } from '../../common/sentences';
import { visibleText } from '../../common/visible-text';

/** What a step is called, what it found, and what to do about it. Plain text. */
export interface StepText {
    readonly title: string;
    readonly text: string;
    /** What to do; absent if nothing is wrong. */
    readonly remedy?: string | undefined;
}

/** @param cli the CLI's name for people */
export function describeStep({ id, args, fault }: DiagnosisStep, cli: string): StepText {
    const visible = args.map(visibleText);
    const title = TITLES[id.split('.')[0] as StepId] ?? nls.localize('theia/cli-companion/doctor/step', 'Step');
    const [text, remedy] = PROBLEMS[id as StepProblem] ?? [visible.filter(Boolean).join(' · ')];
    const { why = '', advice } = fault ? describeFault(fault) : {};
    return {
        title: nls.localize('theia/cli-companion/doctor/stepTitle', '{0}:', title),
        text: joinSentences([Localization.format(text, visible), visibleText(why)]),
        remedy: advice ?? (remedy && Localization.format(remedy, [cli]))
    };
}

const TITLES: Readonly<Record<StepId, string>> = {
    companion: nls.localize('theia/cli-companion/doctor/companion', 'Companion in this window'),
    program: nls.localize('theia/cli-companion/doctor/program', 'Program and version'),
    environment: nls.localize('theia/cli-companion/doctor/environment', 'Variables and umask'),
    folder: nls.localize('theia/cli-companion/doctor/folder', 'Discovery folder'),
    file: nls.localize('theia/cli-companion/doctor/file', 'Discovery file'),
    workspace: nls.localize('theia/cli-companion/doctor/workspace', 'Workspace'),
    host: nls.localize('theia/cli-companion/doctor/host', 'Container and host'),
    handshake: nls.localize('theia/cli-companion/doctor/handshake', 'Connection to the IDE'),
    ideMode: nls.localize('theia/cli-companion/doctor/ideMode', 'IDE mode'),
    approval: nls.localize('theia/cli-companion/doctor/approval', 'Asks before edits'),
    trust: nls.localize('theia/cli-companion/doctor/trust', 'Folder trust'),
    session: nls.localize('theia/cli-companion/doctor/session', 'Running CLI')
};

/** What is wrong, with the step's arguments, and what to do about it, with the CLI's name. */
const PROBLEMS: Readonly<Record<StepProblem, readonly [text: string, remedy?: string]>> = {
    'companion.off': [
        nls.localize('theia/cli-companion/doctor/companion.off', 'It is turned off by the preference companion.enabled.'),
        nls.localize('theia/cli-companion/doctor/companion.off.do', 'Turn it on. Then type /ide enable in CLIs that are already running.')
    ],
    'companion.failed': [
        nls.localize('theia/cli-companion/doctor/companion.failed', 'It could not be started.'),
        nls.localize(
            'theia/cli-companion/doctor/companion.failed.do',
            'The list in the status bar says why. The IDE tries again every few seconds.'
        )
    ],
    'program.missing': [
        nls.localize('theia/cli-companion/doctor/program.missing', '{0} is not installed: no program {1} in {2}.'),
        nls.localize('theia/cli-companion/doctor/program.missing.do', 'Install it, or put its folder on the PATH of the terminal.')
    ],
    'program.tooOld': [
        nls.localize(
            'theia/cli-companion/doctor/version.tooOld',
            '{0} is {1} {2}, which is too old to connect. Version {3} is the first that can.'
        ),
        nls.localize('theia/cli-companion/doctor/version.tooOld.do', 'Update it and start it again.')
    ],
    'program.noVersion': [
        nls.localize('theia/cli-companion/doctor/version.unknown', '{0} does not say its version. {1} is the first that can connect.')
    ],
    'environment.otherTmpdir': [
        nls.localize(
            'theia/cli-companion/doctor/environment.otherTmpdir',
            'The terminal has TMPDIR {0}, the IDE has {1}. So the CLI looks in {2}, where the IDE writes nothing.'
        ),
        nls.localize('theia/cli-companion/doctor/environment.otherTmpdir.do', 'Give the terminal the same TMPDIR, and start the CLI again.')
    ],
    'environment.otherHome': [
        nls.localize(
            'theia/cli-companion/doctor/environment.otherHome',
            'The CLI looks in {0}, but the IDE writes into {1}: HOME or QWEN_HOME differ.'
        ),
        nls.localize(
            'theia/cli-companion/doctor/environment.otherHome.do',
            'Give the terminal the HOME and the QWEN_HOME of the IDE, and start the CLI again.'
        )
    ],
    'environment.openUmask': [
        nls.localize(
            'theia/cli-companion/doctor/environment.openUmask',
            'With the umask {0}, every user can write to what the CLI creates. The companion refuses such folders.'
        ),
        nls.localize('theia/cli-companion/doctor/environment.openUmask.do', 'Set another umask before you start the CLI.')
    ],
    'folder.missing': [
        nls.localize('theia/cli-companion/doctor/folder.missing', '{0} does not exist.'),
        nls.localize('theia/cli-companion/doctor/folder.missing.do', 'The companion creates it. If it does not, reload the page.')
    ],
    'folder.refused': [nls.localize('theia/cli-companion/doctor/folder.refused', 'The companion writes nothing there.')],
    'file.foreign': [
        nls.localize(
            'theia/cli-companion/doctor/file.foreign',
            '{0} points to 127.0.0.1:{1}, which is another window or IDE. This window has port {2}.'
        ),
        nls.localize('theia/cli-companion/doctor/file.foreign.do', 'Start the CLI in a new terminal of this window.')
    ],
    'file.ambiguous': [
        nls.localize(
            'theia/cli-companion/doctor/file.ambiguous',
            '{0} does not connect, because more than one IDE has this folder open: {1}.'
        ),
        nls.localize(
            'theia/cli-companion/doctor/file.ambiguous.do',
            'Choose this one in the CLI, or close the folder in the other IDE and start the CLI again.'
        )
    ],
    'file.missing': [
        nls.localize('theia/cli-companion/doctor/file.missing', 'None in {0} is for this workspace ({1} for others).'),
        nls.localize(
            'theia/cli-companion/doctor/file.missing.do',
            'The companion writes it again by itself. Then restart the CLI: one that started without it never connects.'
        )
    ],
    'workspace.outside': [
        nls.localize('theia/cli-companion/doctor/workspace.outside', '{0} is not in any of the open folders: {1}.'),
        nls.localize('theia/cli-companion/doctor/workspace.outside.do', 'Change to an open folder and start the CLI there.')
    ],
    'workspace.none': [
        nls.localize('theia/cli-companion/doctor/workspace.none', 'No folder is open in this window.'),
        nls.localize('theia/cli-companion/doctor/workspace.none.do', 'Open the folder that the CLI works in.')
    ],
    'host.container': [
        nls.localize(
            'theia/cli-companion/doctor/host.container',
            '{0} says that this is a container. So {1} looks for the IDE on host.docker.internal, not here.'
        ),
        nls.localize(
            'theia/cli-companion/doctor/host.container.do',
            'Use a new terminal, which has the variable. Or set it here and start the CLI again.'
        )
    ],
    'handshake.noTools': [
        nls.localize('theia/cli-companion/doctor/handshake.noTools', '127.0.0.1:{0} answers, but offers no diffs.'),
        nls.localize('theia/cli-companion/doctor/handshake.noTools.do', 'Set companion.review.open to reveal, and type /ide enable.')
    ],
    'handshake.refused': [
        nls.localize('theia/cli-companion/doctor/handshake.refused', '127.0.0.1:{0} refuses the token in {1}.'),
        nls.localize('theia/cli-companion/doctor/handshake.refused.do', 'Delete that file, and type /ide enable.')
    ],
    'handshake.failed': [
        nls.localize('theia/cli-companion/doctor/handshake.failed', '127.0.0.1:{0} does not answer: {1}'),
        nls.localize('theia/cli-companion/doctor/handshake.failed.do', 'The IDE behind it has exited. Reload the page and diagnose again.')
    ],
    'ideMode.off': [
        nls.localize('theia/cli-companion/doctor/ideMode.off', 'Off: {0} does not have "ide": { "enabled": true }.'),
        nls.localize(
            'theia/cli-companion/doctor/ideMode.off.do',
            'Type /ide enable in {0}. (Not /ide install: there is nothing to install.)'
        )
    ],
    'approval.silent': [
        nls.localize('theia/cli-companion/doctor/approval.silent', '{0} edits without asking (mode {1}), so there are no diffs.'),
        nls.localize('theia/cli-companion/doctor/approval.silent.do', 'Press Shift+Tab in it until it asks, or start it this way.')
    ],
    'trust.untrusted': [
        nls.localize('theia/cli-companion/doctor/trust.untrusted', '{0} does not trust {1} and ignores the settings in it.'),
        nls.localize('theia/cli-companion/doctor/trust.untrusted.do', 'If you trust it, type this in {0}.')
    ],
    'trust.undecided': [
        nls.localize('theia/cli-companion/doctor/trust.undecided', '{0} will ask first whether you trust {1}.'),
        nls.localize('theia/cli-companion/doctor/trust.undecided.do', 'Answer that question in the terminal.')
    ],
    'session.missing': [
        nls.localize('theia/cli-companion/doctor/session.missing', '{0} is running (process {1}) but not connected.'),
        nls.localize('theia/cli-companion/doctor/session.missing.do', 'Type /ide enable in it. If that fails, start it again.')
    ],
    'session.stale': [
        nls.localize('theia/cli-companion/doctor/session.stale', '{0} (process {1}) uses port {2}, which is gone: the IDE was restarted.'),
        nls.localize('theia/cli-companion/doctor/session.stale.do', 'Type /ide enable in it, or start it in a new terminal.')
    ],
    'session.outlived': [
        nls.localize('theia/cli-companion/doctor/session.outlived', '{0} is still running in {1} (process {2}), without its IDE.'),
        nls.localize('theia/cli-companion/doctor/session.outlived.do', 'Type /ide enable in its terminal.')
    ],
    'step.failed': [nls.localize('theia/cli-companion/doctor/step.failed', 'This could not be checked ({0}): {1}')]
};
