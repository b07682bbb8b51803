// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem, problemText } from '../../common/daemon-problem';

/** A failure that is shown to the user. */
export class DaemonProblemError extends Error {
    constructor(readonly problem: DaemonProblem) {
        super(problemText(problem));
    }
}

/** What the client library throws, distinguished by its shape: its classes have other names in the shipped bundle. */
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

    /** It is about the connection rather than the request: nothing answers any more, or something that does not know us. */
    export function isOfConnection(error: unknown): boolean {
        return isNetwork(error) || status(error) === 401;
    }

    export function isStarting(error: unknown): boolean {
        return status(error) === 503 && code(error) === 'daemon_runtime_starting';
    }

    export function isSessionGone(error: unknown): boolean {
        // An old daemon says 404 of a route that it does not know.
        return status(error) === 404 && code(error) === 'session_not_found';
    }

    export function isPromptLimit(error: unknown): boolean {
        return (error as { name?: unknown } | undefined)?.name === 'DaemonPendingPromptLimitError' || code(error) === 'prompt_queue_full';
    }
}

/** What the user gets to know about a failed call. The daemon's error bodies stay here. */
export function problemOf(error: unknown): DaemonProblem {
    if (error instanceof DaemonProblemError) {
        return error.problem;
    }
    const status = DaemonError.status(error);
    const code = DaemonError.code(error);
    if (DaemonError.isPromptLimit(error)) {
        return { code: 'prompt-limit' };
    }
    if (status === undefined) {
        return { code: 'no-answer' };
    }
    if (status === 401) {
        return { code: 'wrong-token' };
    }
    if (code === 'session_limit_exceeded') {
        return { code: 'session-limit' };
    }
    if (code === 'workspace_mismatch') {
        const { boundWorkspace, requestedWorkspace } = DaemonError.body(error);
        return { code: 'workspace-mismatch', requested: String(requestedWorkspace), offered: [String(boundWorkspace)] };
    }
    if (/^Authentication required/.test(String(DaemonError.body(error).error))) {
        return { code: 'no-credentials' };
    }
    return DaemonError.isSessionGone(error) ? { code: 'session-gone' } : { code: 'call-failed', status };
}
