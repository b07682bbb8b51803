// SPDX-License-Identifier: Apache-2.0

/** What ends a mention in one of the CLIs, or is special to them in another way (Qwen Code 0.24.4, Gemini CLI 0.61). */
const SPECIAL = /[\s()[\]{};|*?$`'"#&<>!~,\\@]/g;

export interface MentionedLines {
    /** Counted from 1. */
    readonly first: number;
    readonly last: number;
    readonly text: string;
}

/** What a user would type to tell a CLI of files: `@path`, which both CLIs read the file for. With blanks around it: there may be text. */
export const PromptMention = {
    /**
     * @param path absolute real path, whatever the platform's separator
     * @param folder the CLI's working folder, a real path, if it is known: a path below it is told as seen from there
     */
    file(path: string, folder: string | undefined): string {
        return ` @${relative(path, folder).replace(SPECIAL, '\\$&')} `;
    },

    selection(path: string, folder: string | undefined, { first, last, text }: MentionedLines): string {
        const lines = first === last ? `line ${first}` : `lines ${first}-${last}`;
        const fence = '`'.repeat(Math.max(3, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)));
        // An @ in the text would name another file to the CLI, chosen by whoever wrote the text.
        const harmless = text.replace(/@/g, '\\@').replace(/\n+$/, '');
        return `${PromptMention.file(path, folder)}(${lines}):\n${fence}\n${harmless}\n${fence} `;
    }
} as const;

function relative(path: string, folder: string | undefined): string {
    const prefix = folder?.replace(/[/\\]*$/, '');
    const isBelow = prefix !== undefined && path.startsWith(prefix) && /[/\\]/.test(path.charAt(prefix.length));
    return isBelow ? path.substring(prefix.length + 1) : path;
}
