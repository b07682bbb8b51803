// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { DiagnosisStep, StepCode } from '../../common/diagnosis';
import { describeFault } from '../../common/problem-text';
import { visibleText } from '../../common/visible-text';
import { titleOf } from './step-titles';

/** What a step is called, what it found, and what to do about it. Plain text. */
export interface StepText {
    readonly title: string;
    readonly text: string;
    /** What to do; absent if nothing is wrong. */
    readonly remedy?: string;
    /** What the CLI says about it, which misleads. */
    readonly quote?: string;
}

type Args = Readonly<Record<string, string>>;
type Found = Omit<StepText, 'title'>;

const NOT_SUPPORTED = 'IDE integration is not supported in your current environment.';
const MISMATCH = 'Directory mismatch.';
const NOT_FOUND = 'Failed to connect to IDE companion extension in … To install the extension, run /ide install.';
const NO_WORKSPACE = 'To use this feature, please open a workspace folder in your IDE and try again.';
const TERMINATED = 'Disconnected: IDE connection error. The connection was lost unexpectedly.';

/** @param cli the CLI's name for people */
export function describeStep({ code, args, fault }: DiagnosisStep, cli: string): StepText {
    const { why = '', advice = '' } = fault ? describeFault(fault) : {};
    const visible = Object.fromEntries(Object.entries({ ...args, why, advice }).map(([name, value]) => [name, visibleText(value)]));
    return { title: titleOf(code), ...FOUND[code](visible, cli) };
}

const FOUND: Readonly<Record<StepCode, (args: Args, cli: string) => Found>> = {
    'companion.on': ({ port }) => ({
        text: nls.localize('theia/cli-companion/doctor/companion.on', 'It is on, and listens on 127.0.0.1:{0}.', port)
    }),
    'companion.off': () => ({
        text: nls.localize('theia/cli-companion/doctor/companion.off', 'It is turned off by the preference companion.enabled.'),
        remedy: nls.localize('theia/cli-companion/doctor/companion.off.do', 'Turn it on. Then type /ide enable in CLIs that run already.'),
        quote: NOT_SUPPORTED
    }),
    'companion.failed': () => ({
        text: nls.localize('theia/cli-companion/doctor/companion.failed', 'It could not be started.'),
        remedy: nls.localize(
            'theia/cli-companion/doctor/companion.failed.do',
            'The list in the status bar says why. The IDE tries again every few seconds.'
        ),
        quote: NOT_SUPPORTED
    }),
    'terminal.shell': ({ pid, folder }) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/terminal.shell',
            'Shell {0} in {1}, with the variables it was started with.',
            pid,
            folder
        )
    }),
    'terminal.cli': ({ pid, folder }, cli) => ({
        text: nls.localize('theia/cli-companion/doctor/terminal.cli', '{0} runs there as process {1} in {2}.', cli, pid, folder)
    }),
    'terminal.new': ({ folder }) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/terminal.new',
            'No terminal was checked. This is what a new one in {0} would have.',
            folder
        )
    }),
    'program.found': ({ path }) => ({ text: path }),
    'program.missing': ({ command, searched }, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/program.missing',
            '{0} is not installed: no program {1} in {2}.',
            cli,
            command,
            searched
        ),
        remedy: nls.localize('theia/cli-companion/doctor/program.missing.do', 'Install it, or put its folder on the PATH of the terminal.'),
        quote: `${command}: command not found`
    }),
    'version.supported': ({ path, version }) => ({
        text: nls.localize('theia/cli-companion/doctor/version.supported', '{0}, version {1}.', path, version)
    }),
    'version.tooOld': ({ path, version, minimum }, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/version.tooOld',
            '{0} is {1} {2}, which is too old to connect. Version {3} is the first that can.',
            path,
            cli,
            version,
            minimum
        ),
        remedy: nls.localize('theia/cli-companion/doctor/version.tooOld.do', 'Update it and start it again.'),
        quote: NOT_SUPPORTED
    }),
    'version.unknown': ({ path, minimum }) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/version.unknown',
            '{0} does not say its version. {1} is the first that can connect.',
            path,
            minimum
        )
    }),
    'process.given': ({ pid, variable }) => ({
        text: nls.localize('theia/cli-companion/doctor/process.given', '{0}, according to {1}.', pid, variable)
    }),
    'process.computed': ({ pid, walk, own }) => ({
        text: walk
            ? nls.localize(
                  'theia/cli-companion/doctor/process.computed',
                  '{0}, found among the parent processes: {1}. The discovery files name {2}.',
                  pid,
                  walk,
                  own
              )
            : nls.localize('theia/cli-companion/doctor/process.unknown', 'Not known on this system. The discovery files name {0}.', own)
    }),
    'process.other': ({ pid, walk, own }, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/process.other',
            '{0} takes process {1} for the IDE ({2}), but the discovery files name {3}. So the workspace decides.',
            cli,
            pid,
            walk,
            own
        )
    }),
    'process.noPs': (_args, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/process.noPs',
            'There is no ps command, so {0} cannot find it. The workspace decides instead.',
            cli
        )
    }),
    'environment.same': args => ({ text: listVariables(args) }),
    'environment.otherTmpdir': args => ({
        text: nls.localize(
            'theia/cli-companion/doctor/environment.otherTmpdir',
            'The terminal has TMPDIR {0}, the IDE has {1}. So the CLI looks in {2}, where the IDE writes nothing.',
            args.tmpdir,
            args.ownTmpdir,
            args.looked
        ),
        remedy: nls.localize(
            'theia/cli-companion/doctor/environment.otherTmpdir.do',
            'Give the terminal the same TMPDIR, and start the CLI again.'
        ),
        quote: NOT_SUPPORTED
    }),
    'environment.otherHome': args => ({
        text: nls.localize(
            'theia/cli-companion/doctor/environment.otherHome',
            'The CLI looks in {0}, but the IDE writes into {1}: HOME or QWEN_HOME differ.',
            args.looked,
            args.published
        ),
        remedy: nls.localize(
            'theia/cli-companion/doctor/environment.otherHome.do',
            'Give the terminal the HOME {0} and the QWEN_HOME of the IDE, and start the CLI again.',
            args.ownHome
        ),
        quote: NOT_SUPPORTED
    }),
    'environment.openUmask': args => ({
        text: nls.localize(
            'theia/cli-companion/doctor/environment.openUmask',
            'With the umask {0}, every user may write to what the CLI creates. The companion refuses such folders.',
            args.umask
        ),
        remedy: nls.localize('theia/cli-companion/doctor/environment.openUmask.do', 'Set another umask before you start the CLI.')
    }),
    'folder.good': ({ folder, owner, mode }) => ({
        text: nls.localize('theia/cli-companion/doctor/folder.good', '{0} (owner {1}, mode {2})', folder, owner, mode)
    }),
    'folder.missing': ({ folder }) => ({
        text: nls.localize('theia/cli-companion/doctor/folder.missing', '{0} does not exist.', folder),
        remedy: nls.localize('theia/cli-companion/doctor/folder.missing.do', 'The companion creates it. If it does not, reload the page.'),
        quote: NOT_SUPPORTED
    }),
    'folder.refused': ({ why, advice }) => ({
        text: nls.localize('theia/cli-companion/doctor/folder.refused', 'The companion writes nothing there. {0}', why),
        remedy: advice,
        quote: NOT_SUPPORTED
    }),
    'file.found': ({ path, owner, mode }) => ({
        text: nls.localize('theia/cli-companion/doctor/file.found', '{0} (owner {1}, mode {2}), written by this window.', path, owner, mode)
    }),
    'file.foreign': ({ path, port, own }) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/file.foreign',
            '{0} points to 127.0.0.1:{1}, which is another window or IDE. This window has port {2}.',
            path,
            port,
            own || '–'
        ),
        remedy: nls.localize('theia/cli-companion/doctor/file.foreign.do', 'Start the CLI in a new terminal of this window.')
    }),
    'file.missing': ({ folder, others }) => ({
        text:
            others === '0'
                ? nls.localize('theia/cli-companion/doctor/file.missing', 'There is none in {0}.', folder)
                : nls.localize(
                      'theia/cli-companion/doctor/file.missingHere',
                      'None in {0} is for this workspace ({1} for others).',
                      folder,
                      others
                  ),
        remedy: nls.localize(
            'theia/cli-companion/doctor/file.missing.do',
            'The companion writes it again by itself. Then restart the CLI: one that started without it never connects.'
        ),
        quote: NOT_SUPPORTED
    }),
    'workspace.inside': ({ folder, roots }) => ({
        text: nls.localize('theia/cli-companion/doctor/workspace.inside', '{0} is in {1}.', folder, roots)
    }),
    'workspace.outside': ({ folder, roots, said }) => ({
        text: nls.localize('theia/cli-companion/doctor/workspace.outside', '{0} is not in any of the open folders: {1}.', folder, roots),
        remedy: nls.localize('theia/cli-companion/doctor/workspace.outside.do', 'Change to an open folder and start the CLI there.'),
        quote: said ? MISMATCH : NOT_SUPPORTED
    }),
    'workspace.none': ({ said }) => ({
        text: nls.localize('theia/cli-companion/doctor/workspace.none', 'No folder is open in this window.'),
        remedy: nls.localize('theia/cli-companion/doctor/workspace.none.do', 'Open the folder that the CLI works in.'),
        quote: said ? NO_WORKSPACE : NOT_SUPPORTED
    }),
    'host.loopback': () => ({ text: nls.localize('theia/cli-companion/doctor/host.loopback', 'The CLI uses 127.0.0.1.') }),
    'host.container': ({ marker }, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/host.container',
            '{0} says that this is a container. So {1} looks for the IDE on host.docker.internal, not here.',
            marker,
            cli
        ),
        remedy: nls.localize(
            'theia/cli-companion/doctor/host.container.do',
            'Use a new terminal, which has the variable. Or set it here and start the CLI again.'
        ),
        quote: NOT_FOUND
    }),
    'handshake.done': ({ port, tools }) => ({
        text: nls.localize('theia/cli-companion/doctor/handshake.done', '127.0.0.1:{0} answers and offers {1}.', port, tools)
    }),
    'handshake.noTools': ({ port }) => ({
        text: nls.localize('theia/cli-companion/doctor/handshake.noTools', '127.0.0.1:{0} answers, but offers no diffs.', port),
        remedy: nls.localize(
            'theia/cli-companion/doctor/handshake.noTools.do',
            'Set companion.review.open to reveal, and type /ide enable.'
        )
    }),
    'handshake.refused': ({ port, path }) => ({
        text: nls.localize('theia/cli-companion/doctor/handshake.refused', '127.0.0.1:{0} refuses the token in {1}.', port, path),
        remedy: nls.localize('theia/cli-companion/doctor/handshake.refused.do', 'Delete that file, and type /ide enable.'),
        quote: NOT_FOUND
    }),
    'handshake.failed': ({ port, reason }) => ({
        text: nls.localize('theia/cli-companion/doctor/handshake.failed', '127.0.0.1:{0} does not answer: {1}', port, reason),
        remedy: nls.localize(
            'theia/cli-companion/doctor/handshake.failed.do',
            'The IDE behind it has ended. Reload the page and look again.'
        ),
        quote: NOT_FOUND
    }),
    'handshake.skipped': () => ({
        text: nls.localize('theia/cli-companion/doctor/handshake.skipped', 'Not tried: without a discovery file, there is no address.')
    }),
    'ideMode.on': ({ path }) => ({ text: nls.localize('theia/cli-companion/doctor/ideMode.on', 'On, set in {0}.', path) }),
    'ideMode.off': ({ path }, cli) => ({
        text: nls.localize('theia/cli-companion/doctor/ideMode.off', 'Off: {0} does not have "ide": { "enabled": true }.', path),
        remedy: nls.localize(
            'theia/cli-companion/doctor/ideMode.off.do',
            'Type /ide enable in {0}. (Not /ide install: there is nothing to install.)',
            cli
        )
    }),
    'approval.asks': ({ mode }, cli) => ({
        text: nls.localize('theia/cli-companion/doctor/approval.asks', '{0} asks before it edits (mode {1}).', cli, mode)
    }),
    'approval.silent': ({ mode }, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/approval.silent',
            '{0} edits without asking (mode {1}), so there are no diffs.',
            cli,
            mode
        ),
        remedy: nls.localize('theia/cli-companion/doctor/approval.silent.do', 'Press Shift+Tab in it until it asks, or start it this way.')
    }),
    'trust.trusted': ({ folder }) => ({ text: nls.localize('theia/cli-companion/doctor/trust.trusted', '{0} is trusted.', folder) }),
    'trust.untrusted': ({ folder }, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/trust.untrusted',
            '{0} does not trust {1} and ignores the settings in it.',
            cli,
            folder
        ),
        remedy: nls.localize('theia/cli-companion/doctor/trust.untrusted.do', 'If you trust it, type this in {0}.', cli)
    }),
    'trust.undecided': ({ folder }, cli) => ({
        text: nls.localize('theia/cli-companion/doctor/trust.undecided', '{0} will ask first whether you trust {1}.', cli, folder),
        remedy: nls.localize('theia/cli-companion/doctor/trust.undecided.do', 'Answer that question in the terminal.')
    }),
    'session.connected': ({ pid }) => ({
        text: nls.localize('theia/cli-companion/doctor/session.connected', 'Process {0} is connected.', pid)
    }),
    'session.missing': ({ pid }, cli) => ({
        text: nls.localize('theia/cli-companion/doctor/session.missing', '{0} is running (process {1}) but not connected.', cli, pid),
        remedy: nls.localize('theia/cli-companion/doctor/session.missing.do', 'Type /ide enable in it. If that fails, start it again.'),
        quote: TERMINATED
    }),
    'session.stale': ({ pid, port }, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/session.stale',
            '{0} (process {1}) uses port {2}, which is gone: the IDE was restarted.',
            cli,
            pid,
            port
        ),
        remedy: nls.localize('theia/cli-companion/doctor/session.stale.do', 'Type /ide enable in it, or start it in a new terminal.'),
        quote: TERMINATED
    }),
    'session.outlived': ({ pid, folder }, cli) => ({
        text: nls.localize(
            'theia/cli-companion/doctor/session.outlived',
            '{0} still runs in {1} (process {2}), without its IDE.',
            cli,
            folder,
            pid
        ),
        remedy: nls.localize('theia/cli-companion/doctor/session.outlived.do', 'Type /ide enable in its terminal.'),
        quote: TERMINATED
    }),
    'session.notRunning': ({ command }) => ({
        text: nls.localize('theia/cli-companion/doctor/session.notRunning', 'None in this terminal. Type {0} to start it.', command)
    }),
    'step.failed': ({ check, reason }) => ({
        text: nls.localize('theia/cli-companion/doctor/step.failed', 'This could not be checked ({0}): {1}', check, reason)
    })
};

function listVariables({ tmpdir, home, qwenHome, umask }: Args): string {
    return [`TMPDIR ${tmpdir}`, `HOME ${home}`, ...(qwenHome ? [`QWEN_HOME ${qwenHome}`] : []), ...(umask ? [`umask ${umask}`] : [])].join(
        ', '
    );
}
