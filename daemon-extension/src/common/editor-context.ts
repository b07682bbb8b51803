// SPDX-License-Identifier: Apache-2.0

export interface EditorContext {
    /** Absolute path of the active file. */
    path: string;
    /** Both numbers start at 1. */
    cursor?: { line: number; character: number };
    selectedText?: string;
}

const BEGIN = '<editor-context>\n';
const END = '\n</editor-context>';

/** The editor's context as a text for the model. It follows the prompt. */
export namespace EditorContextText {
    export function create({ path, cursor, selectedText }: EditorContext): string {
        const lines = [`The user's active file is ${JSON.stringify(path)}.`];
        if (cursor) {
            lines.push(`The cursor is at line ${cursor.line}, column ${cursor.character}.`);
        }
        if (selectedText) {
            lines.push('The selected text is between the next line and the last:', selectedText);
        }
        return `\n\n${BEGIN}${lines.join('\n')}${END}`;
    }

    /** A prompt as the user wrote it: a daemon that loads a session from its disk gives both in one. */
    export function remove(prompt: string): string {
        const begin = prompt.indexOf(BEGIN);
        return begin >= 0 && prompt.trimEnd().endsWith(END) ? prompt.slice(0, begin).trimEnd() : prompt;
    }
}
