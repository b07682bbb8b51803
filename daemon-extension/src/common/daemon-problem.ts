// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { listOf, SentenceTable } from 'theia-cli-companion/lib/common';

/**
 * What went wrong, as the backend sends it: a code with its arguments. The page makes the sentences.
 * Arguments in the daemon's or the system's own words are plain text, never markup, and without secrets.
 */
export type DaemonProblem =
    | { code: 'off' | 'policy' | 'no-workspace' | 'untrusted' | 'ai-off' | 'token-in-preferences' | 'bad-token-file' | 'no-cli' }
    | { code: 'wrong-token' | 'no-credentials' | 'session-limit' | 'prompt-limit' }
    /** The source is the setting or the variable that holds the address. */
    | { code: 'bad-url'; source: string }
    /** Nothing listens there, or it is still starting. */
    | { code: 'not-running'; host: string }
    /** The cause is in the system's and the daemon's words, and may be empty. */
    | { code: 'start-failed'; cause: string }
    | { code: 'workspace-mismatch'; requested: string; offered: string[] }
    | { code: 'incompatible'; version?: string; missing: string[] }
    /** The daemon does not know the session; or it was closed there, or its process ended. */
    | { code: 'session-gone' | 'session-died' }
    /** The connection to the daemon; or the daemon itself ended in the middle of a turn. */
    | { code: 'daemon-lost' | 'turn-lost' }
    /** The cause is in the model's words, and may be empty. */
    | { code: 'model-failed'; cause: string }
    /** The page asked for something that it was not offered; the daemon did not answer. */
    | { code: 'invalid' | 'no-answer' }
    | { code: 'call-failed'; status: number }
    | { code: 'bad-image'; name: string }
    | { code: 'failed'; cause: string };

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

/** By code: what is so, and what helps. */
const PROBLEMS = new SentenceTable('theia/qwen-daemon/problem/', {
    off: { what: 'Qwen is switched off here. Set qwen-code.experimentalDaemon.enabled in the user settings.' },
    policy: { what: 'Your administrator has switched off Qwen in the chat.' },
    'no-workspace': { what: 'The daemon needs a folder to work in: open one.' },
    untrusted: {
        what: 'Qwen does not run here, because this workspace is not trusted: a folder can make Qwen run its code before Qwen asks anything. If you trust who wrote the files, say so with the command "Manage Workspace Trust".'
    },
    'ai-off': { what: 'Qwen does not run here, because AI features are turned off in the settings.' },
    'token-in-preferences': {
        what: 'The token is in the settings, which every page of this IDE can read. Remove qwen-code.experimentalDaemon.token, give the daemon a new one, and name its file in qwen-code.experimentalDaemon.tokenFile.'
    },
    'bad-token-file': {
        what: 'The token cannot be read. In qwen-code.experimentalDaemon.tokenFile, write the full path of a file that holds the token alone and that only its owner can read (chmod 600).'
    },
    'no-cli': {
        what: 'There is no executable "qwen" where the IDE backend runs. Install it with: npm install -g @qwen-code/qwen-code, or write its full path into qwen-code.experimentalDaemon.command.'
    },
    'wrong-token': {
        what: 'The daemon requires another token. Name a file with the one that it was started with in qwen-code.experimentalDaemon.tokenFile, and reconnect.'
    },
    'no-credentials': {
        what: 'Qwen Code has no credentials for a model where the daemon runs. Put a provider\'s key into ~/.qwen/.env or the settings that the daemon reads there, or run "qwen" in a terminal there and sign in; then try again. What a shell exports does not reach it.'
    },
    'session-limit': { what: 'The daemon has reached its limit of sessions. Unused ones end by themselves after an hour.' },
    'prompt-limit': { what: 'Too many messages wait in this chat. Send this one again when one is done.' },
    'bad-url': {
        what: 'The value of {source} is no http or https address of this machine. Correct it, or set qwen-code.experimentalDaemon.allowRemoteHosts in the user settings for another host.'
    },
    'not-running': { what: 'No daemon is ready at {host}. Start it with "qwen serve" in the workspace folder, and reconnect.' },
    'start-failed': {
        what: 'The daemon could not be started. Make sure that "qwen serve" works in a terminal in the workspace folder, and reconnect. {cause}'
    },
    'workspace-mismatch': {
        what: 'The daemon works in {offered}, not in this workspace. Start it with --workspace "{requested}", or open its folder here.'
    },
    incompatible: { what: 'This daemon cannot be used: version {version} lacks {missing}. Update Qwen Code, or this extension.' },
    'session-gone': { what: 'The daemon no longer knows this session. Start a new chat.' },
    'session-died': {
        what: "The session was closed, or the daemon's agent process ended. The next message loads it again, as does Reconnect."
    },
    'daemon-lost': {
        what: 'The connection to the daemon was lost and could not be restored. Make sure that it is running, and reconnect.'
    },
    'turn-lost': {
        what: 'The daemon ended in the middle of this turn, and what it had not saved is gone. Check what was done, and ask again.'
    },
    'model-failed': { what: 'The turn failed. {cause}' },
    invalid: { what: 'This session does not allow that, or no longer does.' },
    'no-answer': {
        what: 'The daemon did not answer, and the request may or may not have arrived. Check what the session is doing before you try again.'
    },
    'call-failed': {
        what: 'The daemon could not do this (it answered {status}). If it keeps failing, see its log, .qwen/debug/daemon/daemon.log in its home folder.'
    },
    'bad-image': {
        what: 'The message was not sent: the image {name} could not be read, or is none that Qwen takes (PNG, JPEG, GIF, WebP or BMP of at most 8 MiB, 20 MiB in all).'
    }
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

/** Plain text, never markup. The page localises it. A backend has no localisation, so that its log is in English. */
export function problemText(problem: DaemonProblem): string {
    if (problem.code === 'failed') {
        return problem.cause;
    }
    const lists = Object.entries(problem).map(([name, value]) => [name, Array.isArray(value) ? listOf(value) : value]);
    return (PROBLEMS.describe(problem.code, Object.fromEntries(lists)).what ?? '').trim();
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
