// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { listOf, SentenceTable } from 'theia-cli-companion/lib/common';

/**
 * What went wrong, as the backend sends it: a code with its arguments. The page makes the sentences.
 * Arguments in the daemon's or the system's own words are plain text, never markup, and without secrets.
 */
export type DaemonProblem =
    | { code: 'off' | 'no-workspace' | 'untrusted' | 'ai-off' | 'token-in-preferences' | 'starting' | 'no-credentials' }
    | { code: 'session-limit' | 'prompt-limit' }
    /** Off, or on with another daemon, since the turn began. */
    | { code: 'switched-off' | 'other-daemon' }
    /** The source is the setting or the variable that holds the address. */
    | { code: 'bad-url'; source: string }
    | { code: 'remote-host'; source: string; hostname: string }
    /** The path is of a file that others can read or write. */
    | { code: 'bad-token-file'; openToOthers?: string }
    | { code: 'no-cli'; configured: boolean }
    | { code: 'not-running'; host: string }
    /** The cause is in the system's and the daemon's words, and empty if it only did not say where it listens. */
    | { code: 'start-failed'; cause: string }
    | { code: 'wrong-token'; hasToken: boolean }
    | { code: 'workspace-mismatch'; requested: string; offered: string[] }
    | { code: 'incompatible'; version?: string; missing: string[] }
    /** The daemon does not know the session; some client closed it; its process ended. */
    | { code: 'session-gone' | 'session-closed' | 'session-died' }
    /** Qwen works; or its session does not know the turn. */
    /** The connection to the daemon; or the daemon itself ended in the middle of a turn. */
    | { code: 'daemon-lost' | 'turn-lost' }
    /** The cause is in the model's words, and may be empty. */
    | { code: 'model-failed'; cause: string }
    /** The page asked for something that it was not offered; the daemon did not answer; the prompt was not sent in time. */
    | { code: 'invalid' | 'no-answer' | 'not-sent' | 'stopping' }
    | { code: 'call-failed'; status: number; daemonCode?: string }
    /** The name is that of the image which is wrong; absent if all together are too large. */
    | { code: 'bad-image'; name?: string }
    | { code: 'failed'; cause: string };

/** A problem in sentences; plain text, never markup. */
export interface DaemonProblemText {
    readonly message: string;
    readonly nextStep?: string;
}

/** What limits but does not prevent the daemon's use. */
export type DaemonWarning =
    /** It wants no token. */
    'open-daemon' | 'unencrypted';

/** Something that a chat cannot show faithfully, or that the user should know. */
export type SessionNotice =
    | { code: 'history-shortened' | 'rewound' | 'vote-elsewhere' }
    /** A part of the answer, or an event that cannot be read; the kind is the daemon's word. */
    | { code: 'part-not-shown'; kind: string }
    /** The text may be empty. */
    | { code: 'prompt-extended'; text: string }
    /** What Qwen says beside the answer, such as what became of a command in the background. */
    | { code: 'background'; text: string }
    /** An image of a prompt that was asked elsewhere, or earlier. */
    | { code: 'prompt-image'; name: string }
    /** By another model, which got them. */
    | { code: 'images-described'; described: number; by: string };

const INSTALL = 'Install it with: npm install -g @qwen-code/qwen-code, or set qwen-code.experimentalDaemon.url to a running daemon.';
const GIVE_TOKEN =
    'Give the IDE backend the token that the daemon was started with: QWEN_SERVER_TOKEN in its environment, or a file that only ' +
    'you can read, named in qwen-code.experimentalDaemon.tokenFile.';
const RECONNECT = 'Make sure that it is running, and reconnect.';
const MESSAGE_NOT_SENT = 'The message was not sent. Edit it above, or send another one.';

/** By code; some codes have two rows. */
const PROBLEMS = new SentenceTable('theia/qwen-daemon/problem/', {
    off: {
        what: 'The Qwen Code daemon is not enabled.',
        advice: 'Set qwen-code.experimentalDaemon.enabled in the user settings.'
    },
    'switched-off': { what: 'The Qwen daemon was switched off; this turn is no longer shown.' },
    'no-workspace': { what: 'The daemon needs a folder to work in, and none is open.', advice: 'Open a folder.' },
    untrusted: {
        what: 'Qwen does not run here, because this workspace is not trusted: a folder can make Qwen run its code before Qwen asks anything.',
        advice: 'If you trust who wrote the files, say so with the command "Manage Workspace Trust".'
    },
    'ai-off': {
        what: 'Qwen does not run here, because AI features are turned off.',
        advice: 'Turn them on in the settings.'
    },
    'token-in-preferences': {
        what: 'The token is in the settings, which every page of this IDE can read. It is not used.',
        advice: 'Remove qwen-code.experimentalDaemon.token and give the daemon a new token. Set it as QWEN_SERVER_TOKEN in the environment of the IDE backend, or name a file that only you can read in qwen-code.experimentalDaemon.tokenFile.'
    },
    'bad-url': {
        what: 'The value of {source} is not an http or https address, or has more than a host, a port and a path.',
        advice: 'Correct it, e.g. http://127.0.0.1:4170, or remove it.'
    },
    'remote-host': {
        what: 'The address in {source} is on another host ({hostname}).',
        advice: 'Use a daemon on 127.0.0.1, or set qwen-code.experimentalDaemon.allowRemoteHosts in the user settings.'
    },
    'bad-token-file': {
        what: 'The token file cannot be read, or contains no token.',
        advice: 'In qwen-code.experimentalDaemon.tokenFile, write the full path of a small file with the token and nothing else.'
    },
    'token-file-open': {
        what: 'The token file can be read or written by others.',
        advice: 'As its owner, run: chmod 600 "{openToOthers}"'
    },
    'no-cli': {
        what: 'Qwen Code is not installed where the IDE backend runs: there is no "qwen" on its PATH.',
        advice: INSTALL
    },
    'bad-command': {
        what: 'The command in qwen-code.experimentalDaemon.command is not an executable file with an absolute path.',
        advice: INSTALL
    },
    'not-running': {
        what: 'No daemon answers at {host}.',
        advice: 'Start it with "qwen serve" in the workspace folder and connect again.'
    },
    starting: { what: 'The daemon is still starting.', advice: 'Wait a moment and connect again.' },
    'start-failed': {
        what: 'The daemon could not be started. {cause}',
        advice: 'Make sure that "qwen serve" works in a terminal in the workspace folder, and connect again.'
    },
    'wrong-token': { what: 'The daemon does not accept the token.', advice: GIVE_TOKEN },
    'no-token': { what: 'The daemon requires a token, and none is set.', advice: GIVE_TOKEN },
    'workspace-mismatch': {
        what: 'The daemon works in {folders}, not in this workspace, {requested}.',
        advice: 'Start the daemon with --workspace "{requested}", or open its folder here.'
    },
    incompatible: {
        what: 'This daemon cannot be used: version {version} lacks {lacks}.',
        advice: 'Update Qwen Code, or this extension.'
    },
    'no-credentials': {
        what: 'Qwen Code has no credentials for a model where the daemon runs.',
        advice: 'Run "qwen" in a terminal on that host, sign in or set a provider\'s key there, and try again.'
    },
    'session-limit': {
        what: 'The daemon has reached its limit of live sessions.',
        advice: 'Close chats that are not needed; idle sessions end by themselves after half an hour.'
    },
    'prompt-limit': {
        what: 'Too many prompts are waiting in this session.',
        advice: 'Wait until one is done, or take one out of the queue.'
    },
    'session-gone': {
        what: 'The daemon no longer knows this session.',
        advice: 'Start a new chat, or open another session.'
    },
    'session-closed': { what: 'The session was closed.', advice: 'The next prompt opens it again.' },
    'session-died': {
        what: "The daemon's agent process ended.",
        advice: "Reconnect: the session is loaded again from the daemon's disk."
    },
    'daemon-lost': { what: 'The connection to the daemon was lost and could not be restored.', advice: RECONNECT },
    'other-daemon': { what: 'Another daemon was configured.', advice: RECONNECT },
    'turn-lost': {
        what: 'The daemon ended in the middle of this turn. What it had not saved is gone.',
        advice: 'Check what was done, and ask again.'
    },
    'model-failed': { what: 'The turn failed.' },
    invalid: { what: 'This session does not allow that, or no longer does.' },
    'no-answer': {
        what: 'The daemon did not answer. The request may or may not have arrived.',
        advice: 'Check what the session is doing before you try again.'
    },
    'call-failed': {
        what: 'The daemon could not do this (it answered {answer}).',
        advice: "Try again in a moment. If it keeps failing, see .qwen/debug/daemon/daemon.log in the home folder on the daemon's host."
    },
    'bad-image': {
        what: 'The image {name} could not be read, or is none that Qwen takes: PNG, JPEG, GIF, WebP or BMP of at most 8 MiB.',
        advice: MESSAGE_NOT_SENT
    },
    'too-many-images': { what: 'Too many images: at most 20 MiB go with a message.', advice: MESSAGE_NOT_SENT },
    'not-sent': { what: 'The daemon could not be reached in time. The prompt was not sent.', advice: 'Ask again.' },
    stopping: { what: 'The IDE backend is stopping.' }
});

const NOTICES = new SentenceTable('theia/qwen-daemon/notice/', {
    'open-daemon': {
        what: 'This daemon requires no token: every process and user on its machine can give it work. Start it with --require-auth.'
    },
    unencrypted: { what: 'Prompts, answers and the token travel to this daemon unencrypted. Use https.' },
    'history-shortened': { what: 'Parts of this session are not shown: they are too old, or could not be read.' },
    rewound: {
        what: 'Another client rewound this session to an earlier turn: Qwen no longer knows what this chat shows after it.'
    },
    'vote-elsewhere': {
        what: 'The daemon does not accept the answer of this IDE alone. Answer the request in the client that asked, too.'
    },
    'part-not-shown': { what: 'The daemon sent something of kind "{kind}" that this chat cannot show.' },
    'prompt-extended': { what: 'Added to the prompt while it ran: {text}' },
    'prompt-image': { what: 'The message had an image, which is not shown here: {name}' },
    'images-described': {
        what: 'The model cannot see images. They were sent with the prompt to {by}, which described them for it.'
    },
    'images-not-described': {
        what: 'The model cannot see images. {by} should have described them but did not, so the model knows nothing about them.'
    }
});

/** As one text for people. The page localises it. A backend has no localisation, so that its log is in English. */
export function problemText(problem: DaemonProblem): string {
    return joinedText(describeProblem(problem));
}

export function joinedText({ message, nextStep }: DaemonProblemText): string {
    return nextStep ? `${message}\n${nextStep}` : message;
}

export function describeProblem(problem: DaemonProblem): DaemonProblemText {
    if (problem.code === 'failed' || (problem.code === 'model-failed' && problem.cause)) {
        return { message: problem.cause };
    }
    const { what = '', advice } = PROBLEMS.describe(rowOf(problem), valuesOf(problem));
    return advice === undefined ? { message: what } : { message: what, nextStep: advice };
}

function rowOf(problem: Exclude<DaemonProblem, { code: 'failed' }>): keyof typeof PROBLEMS.rows {
    switch (problem.code) {
        case 'bad-token-file':
            return problem.openToOthers === undefined ? problem.code : 'token-file-open';
        case 'no-cli':
            return problem.configured ? 'bad-command' : problem.code;
        case 'wrong-token':
            return problem.hasToken ? problem.code : 'no-token';
        case 'bad-image':
            return problem.name === undefined ? 'too-many-images' : problem.code;
        default:
            return problem.code;
    }
}

/** What the sentences name. */
function valuesOf(problem: DaemonProblem): Record<string, unknown> {
    switch (problem.code) {
        case 'start-failed':
            return {
                cause: problem.cause || nls.localize('theia/qwen-daemon/problem/start-silent', 'It did not say where it listens.')
            };
        case 'workspace-mismatch':
            return {
                folders: listOf(problem.offered) || nls.localize('theia/qwen-daemon/problem/no-folder', 'no folder'),
                requested: problem.requested
            };
        case 'incompatible':
            return { version: problem.version ?? '?', lacks: listOf(problem.missing) };
        case 'call-failed':
            return { answer: [problem.status, problem.daemonCode].filter(part => part).join(', ') };
        default:
            return { ...problem };
    }
}

export function warningText(warning: DaemonWarning): string {
    return NOTICES.describe(warning).what ?? '';
}

export function noticeText(notice: SessionNotice): string {
    switch (notice.code) {
        case 'background':
            return notice.text;
        case 'prompt-extended':
            return say(notice.code, {
                text: notice.text || nls.localize('theia/qwen-daemon/notice/no-text', '(a text that cannot be shown here)')
            });
        case 'images-described':
            return say(notice.described === 0 ? 'images-not-described' : notice.code, notice);
        default:
            return say(notice.code, { ...notice });
    }
}

function say(id: keyof typeof NOTICES.rows, values: object): string {
    return NOTICES.describe(id, { ...values }).what ?? '';
}
