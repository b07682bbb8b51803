// SPDX-License-Identifier: Apache-2.0

/**
 * What the user is looking at, as the CLIs take it: the parameters of the `ide/contextUpdate` notification
 * (specification, section II). Absent values are left out: `null` fails the CLIs' schema and disconnects them
 * (seen with Gemini CLI 0.61 and Qwen Code 0.24).
 */
export interface IdeContext {
    workspaceState?: {
        /** At most {@link IdeContextLimits.openFiles}, the most recently focused first. */
        openFiles?: IdeContextFile[];
        /** Left out until the workspace's trust is known: a change makes the CLIs ask for a restart. */
        isTrusted?: boolean;
    };
}

export interface IdeContextFile {
    /** Absolute path of a file that exists on disk. */
    path: string;
    /** When the file last had the focus, in milliseconds since the epoch. The active file's is the greatest. */
    timestamp: number;
    /** On the active file only. */
    isActive?: boolean;
    /** On the active file only; both numbers start at 1. */
    cursor?: { line: number; character: number };
    /** On the active file only. */
    selectedText?: string;
    /** Where {@link selectedText} is; all numbers start at 1. Not in the specification: only CLIs of another family get it. */
    selection?: { start: { line: number; character: number }; end: { line: number; character: number } };
}

export const IdeContextLimits = {
    /** Files in one context (specification, section II). */
    openFiles: 10,
    /** Bytes of UTF-8 of the selected text (specification, section II: 16 KB). */
    selectedText: 16 * 1024
} as const;

/** The context without cursor and selection; the same object if it has none. */
export function withoutSelection(context: IdeContext): IdeContext {
    const { openFiles = [], ...state } = context.workspaceState ?? {};
    const isKnown = ({ cursor, selectedText, selection }: IdeContextFile): boolean => Boolean(cursor ?? selectedText ?? selection);
    if (!openFiles.some(isKnown)) {
        return context;
    }
    const files = openFiles.map(({ cursor: _, selectedText: _text, selection: _selection, ...file }) => file);
    return { ...context, workspaceState: { ...state, openFiles: files } };
}
