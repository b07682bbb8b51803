// SPDX-License-Identifier: Apache-2.0

import { daemonOff, DaemonProblem } from '../../common/daemon-status';

/** What the client library throws, told apart by its shape: its classes have other names in the shipped bundle. */
export namespace DaemonError {
    export function status(error: unknown): number | undefined {
        const value = (error as { status?: unknown } | undefined)?.status;
        return typeof value === 'number' ? value : undefined;
    }

    /** The daemon's own code, e.g. `workspace_mismatch`. */
    export function code(error: unknown): string | undefined {
        const value = body(error).code;
        return typeof value === 'string' ? value : undefined;
    }

    export function body(error: unknown): Record<string, unknown> {
        const value = (error as { body?: unknown } | undefined)?.body;
        return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    }

    /** No answer came at all: the daemon is not there, or the connection was cut, or it took too long. */
    export function isNetwork(error: unknown): boolean {
        const isProblem = typeof (error as { problem?: unknown } | undefined)?.problem === 'object';
        return status(error) === undefined && !isPromptLimit(error) && !isProblem;
    }

    /** It says more of the connection than of the request: nobody answers any more, or somebody who does not know us. */
    export function isOfConnection(error: unknown): boolean {
        return isNetwork(error) || status(error) === 401;
    }

    export function isStarting(error: unknown): boolean {
        return status(error) === 503 && code(error) === 'daemon_runtime_starting';
    }

    export function isSessionGone(error: unknown): boolean {
        return status(error) === 404;
    }

    export function isPromptLimit(error: unknown): boolean {
        return (error as { name?: unknown } | undefined)?.name === 'DaemonPendingPromptLimitError' || code(error) === 'prompt_queue_full';
    }
}

/** Words for what went wrong. The daemon's error bodies stay here. */
export namespace DaemonProblems {
    export const off = daemonOff;

    export const noWorkspace: DaemonProblem = {
        code: 'no-workspace',
        message: 'The daemon needs a folder to work in, and none is open.',
        nextStep: 'Open a folder.'
    };

    export const openDaemon =
        'This daemon wants no token: every process and every user of its machine can give it work. Start it with --require-auth.';

    export const unencrypted = 'Prompts, answers and the token travel to this daemon unencrypted. Use https.';

    export const stopping: DaemonProblem = { code: 'failed', message: 'The IDE backend is stopping.' };

    export const promptLimit: DaemonProblem = {
        code: 'prompt-limit',
        message: 'Too many prompts wait in this session already.',
        nextStep: 'Wait until one is done, or take one out of the queue.'
    };

    export const notSent: DaemonProblem = {
        code: 'failed',
        message: 'The daemon could not be reached in time. The prompt was not sent.',
        nextStep: 'Ask again.'
    };

    export function invalid(what: string): DaemonProblem {
        return { code: 'invalid', message: what };
    }

    export function notRunning(host: string): DaemonProblem {
        return {
            code: 'not-running',
            message: `No daemon answers at ${host}.`,
            nextStep: 'Start it with "qwen serve" in the workspace folder and connect again.'
        };
    }

    export function lost(host: string | undefined): DaemonProblem {
        return {
            code: 'daemon-lost',
            message: `The connection to the daemon${host ? ` at ${host}` : ''} was lost and could not be made again.`,
            nextStep: 'See that it runs, and reconnect.'
        };
    }

    export function starting(): DaemonProblem {
        return { code: 'starting', message: 'The daemon is still starting.', nextStep: 'Wait a moment and connect again.' };
    }

    export function startFailed(message: string): DaemonProblem {
        return {
            code: 'start-failed',
            message: `The daemon could not be started. ${message}`,
            nextStep: 'See that "qwen serve" works in a terminal in the workspace folder, and connect again.'
        };
    }

    export function wrongToken(hasToken: boolean): DaemonProblem {
        return {
            code: 'wrong-token',
            message: hasToken ? 'The daemon does not accept the token.' : 'The daemon wants a token, and none is set.',
            nextStep:
                'Give the IDE backend the token that the daemon was started with: QWEN_SERVER_TOKEN in its environment, or a file that only ' +
                'you can read, named in qwen-code.experimentalDaemon.tokenFile.'
        };
    }

    export function workspaceMismatch(requested: string, offered: string[]): DaemonProblem {
        return {
            code: 'workspace-mismatch',
            message: `The daemon works in ${offered.join(', ') || 'no folder'}, not in this workspace, ${requested}.`,
            nextStep: `Start the daemon with --workspace "${requested}", or open its folder here.`
        };
    }

    export function incompatible(what: string): DaemonProblem {
        return { code: 'incompatible', message: `This daemon cannot be used: ${what}.`, nextStep: 'Update Qwen Code, or this extension.' };
    }

    export function sessionGone(): DaemonProblem {
        return {
            code: 'session-gone',
            message: 'The daemon does not know this session any more.',
            nextStep: 'Start a new chat, or pick another earlier session.'
        };
    }

    export function sessionDied(reason: string | undefined): DaemonProblem {
        return {
            code: 'session-died',
            message: `The daemon's agent process ended${reason ? ` (${reason})` : ''}.`,
            nextStep: "Reconnect: the session is loaded again from the daemon's disk."
        };
    }

    export function turnLost(): DaemonProblem {
        return {
            code: 'daemon-lost',
            message: 'The daemon ended in the middle of this turn. What it had not written down is gone.',
            nextStep: 'Look at what was done, and ask again.'
        };
    }

    /** @param message without secrets */
    export function turnFailed(message: string): DaemonProblem {
        return { code: 'model-failed', message: message || 'The turn failed.' };
    }

    /**
     * @param doing what failed, e.g. `The model could not be changed`
     */
    export function ofCall(error: unknown, doing: string): DaemonProblem {
        const status = DaemonError.status(error);
        const code = DaemonError.code(error);
        if (DaemonError.isPromptLimit(error)) {
            return promptLimit;
        }
        if (status === undefined) {
            return {
                code: 'daemon-lost',
                message: `${doing}: the daemon did not answer. It is not known whether it got the request.`,
                nextStep: 'Look at what the session does before you try again.'
            };
        }
        if (status === 401) {
            return wrongToken(true);
        }
        if (DaemonError.isStarting(error)) {
            return starting();
        }
        if (code === 'session_limit_exceeded') {
            return {
                code: 'session-limit',
                message: 'The daemon has as many live sessions as it allows.',
                nextStep: 'Close chats that are not needed; idle sessions end by themselves after half an hour.'
            };
        }
        if (code === 'workspace_mismatch') {
            const { boundWorkspace, requestedWorkspace } = DaemonError.body(error);
            return workspaceMismatch(String(requestedWorkspace), [String(boundWorkspace)]);
        }
        if (/^Authentication required/.test(String(DaemonError.body(error).error))) {
            return {
                code: 'no-credentials',
                message: 'Qwen Code has no credentials for a model where the daemon runs.',
                nextStep: 'Run "qwen" in a terminal on that host, sign in or set a provider\'s key there, and try again.'
            };
        }
        return status === 404
            ? sessionGone()
            : {
                  code: 'failed',
                  message: `${doing} (the daemon answered ${status}${code ? `, ${code}` : ''}).`,
                  nextStep:
                      "Try again in a moment. Where it stays so, look into .qwen/debug/daemon/daemon.log in the home folder on the daemon's host."
              };
    }
}
