// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { listOf } from 'theia-cli-companion/lib/common';
import { DaemonProblem, DaemonProblemText, ProblemOf } from './daemon-problem';

/** The message, and what the user can do: in two lines, or apart. */
type Sentences = string | readonly [message: string, nextStep?: string];

/** By code; the page makes them. */
const sentences: { [Code in DaemonProblem['code']]: (problem: ProblemOf<Code>) => Sentences } = {
    off: () =>
        nls.localize(
            'theia/qwen-daemon/problem/off',
            'The Qwen Code daemon is not enabled.\nSet qwen-code.experimentalDaemon.enabled in the user settings.'
        ),
    'switched-off': () => [
        nls.localize('theia/qwen-daemon/problem/switchedOff', 'The Qwen daemon was switched off; this turn is no longer shown.')
    ],
    'no-workspace': () =>
        nls.localize('theia/qwen-daemon/problem/noWorkspace', 'The daemon needs a folder to work in, and none is open.\nOpen a folder.'),
    untrusted: () =>
        nls.localize(
            'theia/qwen-daemon/problem/untrusted',
            'Qwen does not run here, because this workspace is not trusted: a folder can make Qwen run its code before Qwen asks anything.\nIf you trust who wrote the files, say so with the command "Manage Workspace Trust".'
        ),
    'ai-off': () =>
        nls.localize(
            'theia/qwen-daemon/problem/aiOff',
            'Qwen does not run here, because AI features are turned off.\nTurn them on in the settings.'
        ),
    'token-in-preferences': () =>
        nls.localize(
            'theia/qwen-daemon/problem/tokenInPreferences',
            'The token is in the settings, which every page of this IDE can read. It is not used.\nRemove qwen-code.experimentalDaemon.token and give the daemon a new token. Set it as QWEN_SERVER_TOKEN in the environment of the IDE backend, or name a file that only you can read in qwen-code.experimentalDaemon.tokenFile.'
        ),
    'bad-url': problem =>
        nls.localize(
            'theia/qwen-daemon/problem/badUrl',
            'The value of {0} is not an http or https address, or has more than a host, a port and a path.\nCorrect it, e.g. http://127.0.0.1:4170, or remove it.',
            problem.source
        ),
    'remote-host': problem =>
        nls.localize(
            'theia/qwen-daemon/problem/remoteHost',
            'The address in {0} is on another host ({1}).\nUse a daemon on 127.0.0.1, or set qwen-code.experimentalDaemon.allowRemoteHosts in the user settings.',
            problem.source,
            problem.hostname
        ),
    'bad-token-file': ({ openToOthers }) =>
        openToOthers
            ? [
                  nls.localize('theia/qwen-daemon/problem/tokenFileOpen', 'The token file can be read or written by others.'),
                  nls.localize('theia/qwen-daemon/problem/tokenFileOpenNext', 'As its owner, run: {0}', `chmod 600 "${openToOthers}"`)
              ]
            : nls.localize(
                  'theia/qwen-daemon/problem/noTokenFile',
                  'The token file cannot be read, or contains no token.\nIn qwen-code.experimentalDaemon.tokenFile, write the full path of a small file with the token and nothing else.'
              ),
    'no-cli': problem => [
        problem.configured
            ? nls.localize(
                  'theia/qwen-daemon/problem/badCommand',
                  'The command in qwen-code.experimentalDaemon.command is not an executable file with an absolute path.'
              )
            : nls.localize(
                  'theia/qwen-daemon/problem/noCommand',
                  'Qwen Code is not installed where the IDE backend runs: there is no "qwen" on its PATH.'
              ),
        nls.localize(
            'theia/qwen-daemon/problem/noCommandNext',
            'Install it with: npm install -g @qwen-code/qwen-code, or set qwen-code.experimentalDaemon.url to a running daemon.'
        )
    ],
    'not-running': problem =>
        nls.localize(
            'theia/qwen-daemon/problem/notRunning',
            'No daemon answers at {0}.\nStart it with "qwen serve" in the workspace folder and connect again.',
            problem.host
        ),
    starting: () => nls.localize('theia/qwen-daemon/problem/starting', 'The daemon is still starting.\nWait a moment and connect again.'),
    'start-failed': problem =>
        nls.localize(
            'theia/qwen-daemon/problem/startFailed',
            'The daemon could not be started. {0}\nMake sure that "qwen serve" works in a terminal in the workspace folder, and connect again.',
            problem.cause || nls.localize('theia/qwen-daemon/problem/startSilent', 'It did not say where it listens.')
        ),
    'wrong-token': problem => [
        problem.hasToken
            ? nls.localize('theia/qwen-daemon/problem/wrongToken', 'The daemon does not accept the token.')
            : nls.localize('theia/qwen-daemon/problem/noToken', 'The daemon requires a token, and none is set.'),
        nls.localize(
            'theia/qwen-daemon/problem/wrongTokenNext',
            'Give the IDE backend the token that the daemon was started with: QWEN_SERVER_TOKEN in its environment, or a file that only ' +
                'you can read, named in qwen-code.experimentalDaemon.tokenFile.'
        )
    ],
    'workspace-mismatch': problem => [
        nls.localize(
            'theia/qwen-daemon/problem/workspaceMismatch',
            'The daemon works in {0}, not in this workspace, {1}.',
            listOf(problem.offered) || nls.localize('theia/qwen-daemon/problem/noFolder', 'no folder'),
            problem.requested
        ),
        nls.localize(
            'theia/qwen-daemon/problem/workspaceMismatchNext',
            'Start the daemon with --workspace "{0}", or open its folder here.',
            problem.requested
        )
    ],
    incompatible: problem =>
        nls.localize(
            'theia/qwen-daemon/problem/incompatible',
            'This daemon cannot be used: version {0} lacks {1}.\nUpdate Qwen Code, or this extension.',
            problem.version ?? '?',
            listOf(problem.missing)
        ),
    'no-credentials': () =>
        nls.localize(
            'theia/qwen-daemon/problem/noCredentials',
            'Qwen Code has no credentials for a model where the daemon runs.\nRun "qwen" in a terminal on that host, sign in or set a provider\'s key there, and try again.'
        ),
    'session-limit': () =>
        nls.localize(
            'theia/qwen-daemon/problem/sessionLimit',
            'The daemon has reached its limit of live sessions.\nClose chats that are not needed; idle sessions end by themselves after half an hour.'
        ),
    'prompt-limit': () =>
        nls.localize(
            'theia/qwen-daemon/problem/promptLimit',
            'Too many prompts are waiting in this session.\nWait until one is done, or take one out of the queue.'
        ),
    'session-gone': () =>
        nls.localize(
            'theia/qwen-daemon/problem/sessionGone',
            'The daemon no longer knows this session.\nStart a new chat, or open another session.'
        ),
    'session-closed': () =>
        nls.localize('theia/qwen-daemon/problem/sessionClosed', 'The session was closed.\nThe next prompt opens it again.'),
    'session-died': () =>
        nls.localize(
            'theia/qwen-daemon/problem/sessionDied',
            "The daemon's agent process ended.\nReconnect: the session is loaded again from the daemon's disk."
        ),
    'turn-runs': () => nls.localize('theia/qwen-daemon/problem/turnRuns', 'Nothing can be undone while Qwen is working.\nStop it first.'),
    'no-undo': () =>
        nls.localize(
            'theia/qwen-daemon/problem/noUndo',
            "Qwen's session does not know this turn any more, so nothing was undone. Perhaps it was undone elsewhere.\nCompare the files in the list of changes with what they were before, or use your version control."
        ),
    'daemon-lost': () => [
        nls.localize('theia/qwen-daemon/problem/daemonLost', 'The connection to the daemon was lost and could not be restored.'),
        reconnect()
    ],
    'other-daemon': () => [nls.localize('theia/qwen-daemon/problem/otherDaemon', 'Another daemon was configured.'), reconnect()],
    'turn-lost': () =>
        nls.localize(
            'theia/qwen-daemon/problem/turnLost',
            'The daemon ended in the middle of this turn. What it had not saved is gone.\nCheck what was done, and ask again.'
        ),
    'model-failed': ({ cause }) => [cause || nls.localize('theia/qwen-daemon/turn/failed', 'The turn failed.')],
    invalid: () => [nls.localize('theia/qwen-daemon/problem/invalid', 'This session does not allow that, or no longer does.')],
    'no-answer': () =>
        nls.localize(
            'theia/qwen-daemon/problem/noAnswer',
            'The daemon did not answer. The request may or may not have arrived.\nCheck what the session is doing before you try again.'
        ),
    'call-failed': problem =>
        nls.localize(
            'theia/qwen-daemon/problem/callFailed',
            "The daemon could not do this (it answered {0}).\nTry again in a moment. If it keeps failing, see .qwen/debug/daemon/daemon.log in the home folder on the daemon's host.",
            [problem.status, problem.daemonCode].filter(part => part).join(', ')
        ),
    'bad-image': ({ name }) => [
        name === undefined
            ? nls.localize('theia/qwen-daemon/image/total', 'Too many images: at most 20 MiB go with a message.')
            : nls.localize(
                  'theia/qwen-daemon/image/bad',
                  'The image {0} could not be read, or is none that Qwen takes: PNG, JPEG, GIF, WebP or BMP of at most 8 MiB.',
                  name
              ),
        nls.localize('theia/qwen-daemon/image/badNext', 'The message was not sent. Edit it above, or send another one.')
    ],
    'not-sent': () =>
        nls.localize('theia/qwen-daemon/problem/notSent', 'The daemon could not be reached in time. The prompt was not sent.\nAsk again.'),
    stopping: () => [nls.localize('theia/qwen-daemon/problem/stopping', 'The IDE backend is stopping.')],
    failed: problem => [problem.cause]
};

/** As one text for people. The page localises it. A backend has no localisation, so that its log is in English. */
export function problemText(problem: DaemonProblem): string {
    return joinedText(describeProblem(problem));
}

export function joinedText({ message, nextStep }: DaemonProblemText): string {
    return nextStep ? `${message}\n${nextStep}` : message;
}

export function describeProblem(problem: DaemonProblem): DaemonProblemText {
    const ofCode = sentences[problem.code] as (problem: DaemonProblem) => Sentences;
    const told = ofCode(problem);
    const [message, nextStep] = typeof told === 'string' ? told.split('\n') : told;
    return nextStep === undefined ? { message } : { message, nextStep };
}

function reconnect(): string {
    return nls.localize('theia/qwen-daemon/problem/reconnect', 'Make sure that it is running, and reconnect.');
}
