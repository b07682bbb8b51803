// SPDX-License-Identifier: Apache-2.0

import type { Conversation } from './conversation.mts';

/** What the CLIs tell a model about the editor and the folder that they run in. */
export interface EditorContext {
    /** The folder of the CLI, absolute; undefined where the request does not tell. */
    readonly folder: string | undefined;
    readonly activeFile: string | undefined;
    /** Undefined where nothing is selected. */
    readonly selectedLines: number | undefined;
}

const FOLDER = [/currently working in the directory: (.+)/, /\*\*Workspace Directories:\*\*\n\s*- (.+)/];
const ACTIVE_FILE = [
    /^Active file:\n\s+Path: (.+)$/gm,
    /"activeFile(?:Changed)?": \{\s*"path": "((?:[^"\\]|\\.)*)"/g,
    /^The user's active file is "((?:[^"\\]|\\.)*)"\.$/gm,
    /^The user (?:selected the lines \d+ to \d+ from|opened the file) (.+?)(?::| in the IDE\..*)$/gm
];
const ACTIVE_FILE_CHANGED = /^Active file changed:\n\s+Path: (.+)$/gm;
const SELECTION = [
    /Selected text:\n```\n([\s\S]*?)\n```/g,
    /"selectedText": "((?:[^"\\]|\\.)*)"/g,
    /^The user selected the lines .+:\n([\s\S]*?)\n\nThis may/gm,
    /The selected text is between the next line and the last:\n([\s\S]*?)\n<\/editor-context>/g
];

/** Reads the words of Qwen Code 0.24, Gemini CLI 0.61 and Claude Code 2.1.330, and of Qwen in the IDE's chat. */
export function readEditorContext(conversation: Conversation): EditorContext {
    const texts = conversation.turns.map(turn => turn.text);
    const all = texts.join('\n');
    const folder = FOLDER.map(pattern => pattern.exec(all)?.[1].trim()).find(Boolean);
    // Later turns tell only what has changed, so the file is the last one that was named; a selection counts when it is new.
    const activeFile = lastMatch(all, [...ACTIVE_FILE, ACTIVE_FILE_CHANGED]);
    const selection = lastMatch(texts.at(-1) ?? '', SELECTION);
    return { folder, activeFile, selectedLines: selection ? selection.trimEnd().split('\n').length : undefined };
}

function lastMatch(where: string, patterns: RegExp[]): string | undefined {
    const last = patterns
        .flatMap(pattern => [...where.matchAll(pattern)])
        .sort((one, other) => one.index - other.index)
        .at(-1);
    if (!last) {
        return undefined;
    }
    // Gemini's context is JSON, Qwen's is plain text.
    return last[0].startsWith('"') ? String(JSON.parse(`"${last[1]}"`)) : last[1];
}
