// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { callText, invalidText } from './daemon-call-text';
import { badImage, noImages } from './daemon-image-text';
import { DaemonEnd, DaemonProblem, DaemonProblemText, ProblemOf, StartFault } from './daemon-problem';
import { badTokenFile, badUrl, notAllowed } from './daemon-settings-text';

/** As one text for people. The page localises it. A backend has no localisation, so that its log is in English. */
export function problemText(problem: DaemonProblem, separator = '\n'): string {
    return joinedText(describeProblem(problem), separator);
}

export function joinedText({ message, nextStep }: DaemonProblemText, separator = '\n'): string {
    return nextStep ? `${message}${separator}${nextStep}` : message;
}

export function describeProblem(problem: DaemonProblem): DaemonProblemText {
    switch (problem.code) {
        case 'off':
            return {
                message: nls.localize('theia/qwen-daemon/problem/off', 'The Qwen Code daemon is not enabled.'),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/offNext',
                    'Set qwen-code.experimentalDaemon.enabled in the user settings.'
                )
            };
        case 'switched-off':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/switchedOff',
                    'The Qwen daemon was switched off in the preferences; this turn is no longer shown.'
                )
            };
        case 'no-workspace':
            return {
                message: nls.localize('theia/qwen-daemon/problem/noWorkspace', 'The daemon needs a folder to work in, and none is open.'),
                nextStep: nls.localize('theia/qwen-daemon/problem/noWorkspaceNext', 'Open a folder.')
            };
        case 'untrusted':
        case 'ai-off':
            return notAllowed(problem.code);
        case 'token-in-preferences':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/tokenInPreferences',
                    'The token is in the settings, which every page of this IDE can read. It is not used.'
                ),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/tokenInPreferencesNext',
                    'Remove qwen-code.experimentalDaemon.token and give the daemon a new token. Set it as QWEN_SERVER_TOKEN in the environment ' +
                        'of the IDE backend, or name a file that only you can read in qwen-code.experimentalDaemon.tokenFile.'
                )
            };
        case 'bad-url':
            return {
                message: badUrl(problem),
                nextStep: nls.localize('theia/qwen-daemon/problem/badUrlNext', 'Correct it, e.g. http://127.0.0.1:4170, or remove it.')
            };
        case 'remote-host':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/remoteHost',
                    'The address in {0} is on another host ({1}).',
                    problem.source,
                    problem.hostname
                ),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/remoteHostNext',
                    'Use a daemon on 127.0.0.1, or set qwen-code.experimentalDaemon.allowRemoteHosts in the user settings.'
                )
            };
        case 'bad-token-file':
            return badTokenFile(problem);
        case 'no-cli':
            return {
                message: problem.configured
                    ? nls.localize(
                          'theia/qwen-daemon/problem/badCommand',
                          'The command in qwen-code.experimentalDaemon.command is not an executable file with an absolute path.'
                      )
                    : nls.localize(
                          'theia/qwen-daemon/problem/noCommand',
                          'Qwen Code is not installed where the IDE backend runs: there is no "qwen" on its PATH.'
                      ),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/noCommandNext',
                    'Install it with: npm install -g @qwen-code/qwen-code, or set qwen-code.experimentalDaemon.url to a running daemon.'
                )
            };
        case 'not-running':
            return {
                message: nls.localize('theia/qwen-daemon/problem/notRunning', 'No daemon answers at {0}.', problem.host),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/notRunningNext',
                    'Start it with "qwen serve" in the workspace folder and connect again.'
                )
            };
        case 'starting':
            return {
                message: nls.localize('theia/qwen-daemon/problem/starting', 'The daemon is still starting.'),
                nextStep: nls.localize('theia/qwen-daemon/problem/startingNext', 'Wait a moment and connect again.')
            };
        case 'start-failed':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/startFailed',
                    'The daemon could not be started. {0}',
                    startFaultText(problem.fault)
                ),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/startFailedNext',
                    'Make sure that "qwen serve" works in a terminal in the workspace folder, and connect again.'
                )
            };
        case 'wrong-token':
            return {
                message: problem.hasToken
                    ? nls.localize('theia/qwen-daemon/problem/wrongToken', 'The daemon does not accept the token.')
                    : nls.localize('theia/qwen-daemon/problem/noToken', 'The daemon requires a token, and none is set.'),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/wrongTokenNext',
                    'Give the IDE backend the token that the daemon was started with: QWEN_SERVER_TOKEN in its environment, or a file that only ' +
                        'you can read, named in qwen-code.experimentalDaemon.tokenFile.'
                )
            };
        case 'workspace-mismatch':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/workspaceMismatch',
                    'The daemon works in {0}, not in this workspace, {1}.',
                    problem.offered.join(', ') || nls.localize('theia/qwen-daemon/problem/noFolder', 'no folder'),
                    problem.requested
                ),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/workspaceMismatchNext',
                    'Start the daemon with --workspace "{0}", or open its folder here.',
                    problem.requested
                )
            };
        case 'incompatible':
            return {
                message: incompatible(problem),
                nextStep: nls.localize('theia/qwen-daemon/problem/incompatibleNext', 'Update Qwen Code, or this extension.')
            };
        case 'no-credentials':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/noCredentials',
                    'Qwen Code has no credentials for a model where the daemon runs.'
                ),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/noCredentialsNext',
                    'Run "qwen" in a terminal on that host, sign in or set a provider\'s key there, and try again.'
                )
            };
        case 'session-limit':
            return {
                message: nls.localize('theia/qwen-daemon/problem/sessionLimit', 'The daemon has reached its limit of live sessions.'),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/sessionLimitNext',
                    'Close chats that are not needed; idle sessions end by themselves after half an hour.'
                )
            };
        case 'prompt-limit':
            return {
                message: nls.localize('theia/qwen-daemon/problem/promptLimit', 'Too many prompts are waiting in this session.'),
                nextStep: nls.localize('theia/qwen-daemon/problem/promptLimitNext', 'Wait until one is done, or take one out of the queue.')
            };
        case 'session-gone':
            return {
                message: nls.localize('theia/qwen-daemon/problem/sessionGone', 'The daemon no longer knows this session.'),
                nextStep: nls.localize('theia/qwen-daemon/problem/sessionGoneNext', 'Start a new chat, or open another session.')
            };
        case 'session-closed':
            return {
                message: nls.localize('theia/qwen-daemon/problem/sessionClosed', 'The session was closed.'),
                nextStep: nls.localize('theia/qwen-daemon/problem/sessionClosedNext', 'The next prompt opens it again.')
            };
        case 'session-died':
            return {
                message: problem.reason
                    ? nls.localize('theia/qwen-daemon/problem/sessionDiedOf', "The daemon's agent process ended ({0}).", problem.reason)
                    : nls.localize('theia/qwen-daemon/problem/sessionDied', "The daemon's agent process ended."),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/sessionDiedNext',
                    "Reconnect: the session is loaded again from the daemon's disk."
                )
            };
        case 'turn-runs':
            return {
                message: nls.localize('theia/qwen-daemon/problem/turnRuns', 'Nothing can be undone while Qwen is working.'),
                nextStep: nls.localize('theia/qwen-daemon/problem/turnRunsNext', 'Stop it first.')
            };
        case 'no-undo':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/noUndo',
                    "Qwen's session does not know this turn any more, so nothing was undone. Perhaps it was undone elsewhere."
                ),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/noUndoNext',
                    'Compare the files in the list of changes with what they were before, or use your version control.'
                )
            };
        case 'daemon-lost':
            return {
                message: problem.host
                    ? nls.localize(
                          'theia/qwen-daemon/problem/daemonAtLost',
                          'The connection to the daemon at {0} was lost and could not be restored.',
                          problem.host
                      )
                    : nls.localize(
                          'theia/qwen-daemon/problem/daemonLost',
                          'The connection to the daemon was lost and could not be restored.'
                      ),
                nextStep: reconnect()
            };
        case 'other-daemon':
            return {
                message: nls.localize('theia/qwen-daemon/problem/otherDaemon', 'Another daemon was configured.'),
                nextStep: reconnect()
            };
        case 'turn-lost':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/turnLost',
                    'The daemon ended in the middle of this turn. What it had not saved is gone.'
                ),
                nextStep: nls.localize('theia/qwen-daemon/problem/turnLostNext', 'Check what was done, and ask again.')
            };
        case 'model-failed':
            return { message: problem.cause || modelFailed(problem) };
        case 'invalid':
            return { message: invalidText(problem.flaw) };
        case 'no-answer':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/noAnswer',
                    '{0}: the daemon did not answer. It is not known whether it got the request.',
                    callText(problem.call)
                ),
                nextStep: nls.localize('theia/qwen-daemon/problem/noAnswerNext', 'Check what the session is doing before you try again.')
            };
        case 'call-failed':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/callFailed',
                    '{0} (the daemon answered {1}).',
                    callText(problem.call),
                    [problem.status, problem.daemonCode].filter(part => part).join(', ')
                ),
                nextStep: nls.localize(
                    'theia/qwen-daemon/problem/callFailedNext',
                    "Try again in a moment. If it keeps failing, look into .qwen/debug/daemon/daemon.log in the home folder on the daemon's host."
                )
            };
        case 'bad-image':
            return badImage(problem);
        case 'no-images':
            return noImages();
        case 'not-sent':
            return {
                message: nls.localize(
                    'theia/qwen-daemon/problem/notSent',
                    'The daemon could not be reached in time. The prompt was not sent.'
                ),
                nextStep: nls.localize('theia/qwen-daemon/problem/notSentNext', 'Ask again.')
            };
        case 'stopping':
            return { message: nls.localize('theia/qwen-daemon/problem/stopping', 'The IDE backend is stopping.') };
        case 'failed':
            return { message: problem.cause };
    }
}

export function startFaultText(fault: StartFault): string {
    switch (fault.code) {
        case 'ended':
            return endText(fault);
        case 'silent':
            return nls.localize('theia/qwen-daemon/problem/startSilent', 'It did not say where it listens.');
        case 'failed':
            return fault.cause;
    }
}

export function endText({ signal, exitCode, lastLine }: DaemonEnd): string {
    if (signal) {
        return lastLine
            ? nls.localize('theia/qwen-daemon/problem/killedSaying', 'The daemon was ended by {0}: {1}.', signal, lastLine)
            : nls.localize('theia/qwen-daemon/problem/killed', 'The daemon was ended by {0}.', signal);
    }
    const code = exitCode ?? nls.localize('theia/qwen-daemon/problem/unknown', 'unknown');
    return lastLine
        ? nls.localize('theia/qwen-daemon/problem/endedSaying', 'The daemon ended with code {0}: {1}.', code, lastLine)
        : nls.localize('theia/qwen-daemon/problem/ended', 'The daemon ended with code {0}.', code);
}

function incompatible(problem: ProblemOf<'incompatible'>): string {
    const unknown = (): string => nls.localize('theia/qwen-daemon/problem/unknown', 'unknown');
    switch (problem.flaw) {
        case 'answer':
            return nls.localize(
                'theia/qwen-daemon/problem/incompatibleAnswer',
                'This daemon cannot be used: it does not describe itself properly.'
            );
        case 'protocol':
            return nls.localize(
                'theia/qwen-daemon/problem/incompatibleProtocol',
                'This daemon cannot be used: it runs as {0} with protocol {1}.',
                problem.mode,
                problem.protocols?.join(', ') ?? unknown()
            );
        case 'features':
            return nls.localize(
                'theia/qwen-daemon/problem/incompatibleFeatures',
                'This daemon cannot be used: version {0} lacks {1}.',
                problem.version ?? unknown(),
                problem.missing.join(', ')
            );
    }
}

function modelFailed({ failed }: ProblemOf<'model-failed'>): string {
    switch (failed) {
        case 'turn':
            return nls.localize('theia/qwen-daemon/turn/failed', 'The turn failed.');
        case 'past-turn':
            return nls.localize('theia/qwen-daemon/problem/pastTurnFailed', 'The turn ended with an error.');
        case 'change':
            return nls.localize('theia/qwen-daemon/problem/modelNotChanged', 'The model could not be changed.');
    }
}

function reconnect(): string {
    return nls.localize('theia/qwen-daemon/problem/reconnect', 'Make sure that it is running, and reconnect.');
}
